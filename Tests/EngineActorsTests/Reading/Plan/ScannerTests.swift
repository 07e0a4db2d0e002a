// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Scanning a source for its boundaries", .timeLimit(.minutes(10)))
struct ScannerTests {
    /// A frame of video every 40 ms, and a keyframe every second.
    private static func film(seconds: Int) -> MatroskaBytes {
        let payload = [UInt8](repeating: 1, count: 40)
        return MatroskaBytes(
            (0..<seconds * 25).map { number in
                Packet(payload, stream: 0, pts: Int64(number) * 40, flags: number % 25 == 0 ? .key : [])
            }
        )
    }

    private static func opened(_ file: any ByteSource) -> OpenedSource {
        let container = ContainerFormat(name: "matroska,webm")
        return OpenedSource(
            file: file,
            container: container,
            edits: .any,
            media: .fixture([.fixture(0, .vp9)]),
            tracks: [.fixture()],
            origin: .zero,
            indexPlan: nil,
            trackEnds: [nil],
            notices: [],
            interleaving: Interleaving(of: file, in: container)
        )
    }

    private static func scanner(_ file: any ByteSource, target: MediaTime = .seconds(40)) -> Scanner {
        Scanner(source: opened(file), target: target)
    }

    @Test(
        "Each batch extends the plan of the previous one and changes nothing announced; the last one completes it"
    )
    func batches() async throws {
        let file = Self.film(seconds: 400)
        let scanner = Self.scanner(ScriptedSource(file.bytes))
        var batches: [Scanner.Batch] = []
        repeat { batches.append(try await scanner.step()) } while !batches[batches.count - 1].plan.isComplete
        #expect(batches.map(\.plan.boundaries.count) == [4, 8, 10])
        for (one, next) in zip(batches, batches.dropFirst()) {
            #expect(next.plan.boundaries.starts(with: one.plan.boundaries))
            #expect(one.progress < next.progress)
            #expect(one.trackEnds == [nil] && !one.plan.isComplete)
        }
        let last = try #require(batches.last)
        let clusters = (0..<10).map { file.clusters[$0 * 40] }
        #expect(last.plan.boundaries.map(\.time) == clusters.map(\.time))
        #expect(last.plan.boundaries.map(\.position) == clusters.map(\.position))
        #expect(last.plan.end == 400_000 && last.progress == 1 && last.trackEnds == [.seconds(400)])
    }

    @Test("In a source that grows, a step returns with new boundaries before it waits for more bytes")
    func growth() async throws {
        let (file, gate) = (Self.film(seconds: 6), Gate())
        let start = Int(file.clusters[4].position)
        let source = ScriptedSource(file.bytes, growing: .init(from: start, after: gate))
        let scanner = Self.scanner(source, target: .seconds(1))
        let counts = Locked<[Int]>([])
        let scan = Task {
            while true {
                let batch = try await scanner.step()
                counts.withLock { $0.append(batch.plan.boundaries.count) }
                if batch.plan.isComplete { return batch }
            }
        }
        await gate.arrival()
        // A slow machine may end a step before it has found anything.
        #expect(counts.withLock { Set($0).subtracting([0]) } == [1, 2, 3, 4])
        gate.open()
        #expect(try await scan.value.plan.boundaries.map(\.time) == [0, 1000, 2000, 3000, 4000, 5000])
    }

    @Test("An interrupt ends a step that waits; the scan can then be finished with what was found")
    func interruption() async throws {
        let (file, gate) = (Self.film(seconds: 6), Gate())
        let start = Int(file.clusters[4].position)
        let source = ScriptedSource(file.bytes, growing: .init(from: start, after: gate))
        let scanner = Self.scanner(source, target: .seconds(1))
        let scan = Task { () async -> EngineError? in
            do throws(EngineError) {
                while try await !scanner.step().plan.isComplete {}
                return nil
            } catch {
                return error
            }
        }
        await gate.arrival()
        scanner.interrupt()
        #expect(await scan.value?.code == .cancelled)
        let rest = await scanner.finish()
        #expect(rest.plan.isComplete && rest.plan.boundaries.map(\.time) == [0, 1000, 2000, 3000])
        #expect((3900...4000).contains(rest.plan.end ?? 0))
        #expect(source.growth == nil, "nothing is waited for any more")
    }

    @Test("After a failure, the boundaries found so far complete the plan")
    func failure() async throws {
        let file = Self.film(seconds: 400)
        let place = file.clusters[240].position
        let source = ScriptedSource(file.bytes) { range in
            range.upperBound > place ? .failure(EngineError(.sourceUnreachable, "scripted")) : .whole
        }
        let scanner = Self.scanner(source)
        let first = try await scanner.step()
        #expect(first.plan.boundaries.count == 4)
        let error = await #expect(throws: EngineError.self) { while true { _ = try await scanner.step() } }
        #expect(error?.code == .sourceUnreachable)
        let rest = await scanner.finish()
        #expect(
            rest.plan.isComplete && rest.plan.boundaries.map(\.time) == [0, 40_000, 80_000, 120_000, 160_000, 200_000]
        )
    }

    @Test(
        "A finished scan reports jumps of the clock, and changes that could not be followed",
        arguments: [
            (0, 0, 0, 0, []), (2, 0, 0, 0, ["plan.clock_jump"]), (0, 1, 0, 0, ["plan.clock_jump"]),
            (0, 0, 3, 0, ["video.parameter_sets_refused"]), (0, 0, 0, 1, ["audio.format_changes"]),
            (1, 0, 1, 1, ["plan.clock_jump", "video.parameter_sets_refused", "audio.format_changes"]),
        ] as [(Int, Int, Int, Int, [String])]
    )
    func notices(jumps: Int, unfollowed: Int, refused: Int, audio: Int, expected: [String]) {
        var plan = DescribedSource.plan(segments: 4)
        plan.jumps = (0..<jumps).map { ClockJump(firstSegment: $0 + 1, position: 0, offset: 0, start: 0) }
        let batch = Scanner.Batch(
            plan: plan,
            progress: 1,
            refusedChanges: refused,
            unfollowedJumps: unfollowed,
            audioChanges: audio,
            trackEnds: [nil]
        )
        #expect(batch.notices(path: "film").map(\.code) == expected)
    }
}
