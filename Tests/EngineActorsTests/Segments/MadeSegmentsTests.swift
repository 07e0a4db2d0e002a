// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Reading
@testable import Segments

@Suite("Segments made of files", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct MadeSegmentsTests {
    /// A producer for a clip of 13 one-second segments, with the producer's reports.
    private struct Production {
        let producer: SegmentProducer
        let source: OpenedSource
        let plan: SegmentPlan
        let reports: Locked<[SegmentProducer.Report]>

        init(_ path: String, budget: Int = 64 << 20) async throws {
            var options = LoadOptions()
            options.requestedSegmentTarget = .seconds(1)
            let demuxer = Demuxer(name: "test")
            source = try await demuxer.open(path, options: options)
            plan = try #require(source.indexPlan)
            let reports = Locked<[SegmentProducer.Report]>([])
            self.reports = reports
            producer = SegmentProducer(
                source: source,
                demuxers: SegmentDemuxers(demuxer, of: source),
                plan: plan,
                trackEnds: source.trackEnds,
                budget: budget,
                target: .seconds(1),
                preferredTrack: 1
            ) { report in reports.withLock { $0.append(report) } }
        }

        var last: SegmentProducer.Report { reports.withLock { $0.last ?? SegmentProducer.Report() } }

        func bytes(_ index: Int, track: Int = 0) async throws -> [UInt8] {
            try await producer.segment(index, track: track).regions.flatMap { region in
                region.withBytes { span in span.indices.map { span[$0] } }
            }
        }

        func all(_ order: some Sequence<Int>) async throws -> [Int: [UInt8]] {
            var found: [Int: [UInt8]] = [:]
            for index in order { found[index] = try await bytes(index) }
            return found
        }

        /// The code of the error with which a request fails; `nil` if it succeeds.
        func failure(_ index: Int, track: Int = 0) async -> EngineError.Code? {
            do throws(EngineError) {
                _ = try await producer.segment(index, track: track)
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test(
        "a segment has the same bytes in any order of requests, from any demuxer, and when made again",
        arguments: [
            Clip.matroska, .mp4,
        ]
    )
    func purity(_ clip: Clip) async throws {
        let forward = try await Production(clip.path())
        let count = forward.plan.segmentCount
        #expect(count >= 12)
        let expected = try await forward.all(0..<count)
        let backward = try await Production(clip.path(), budget: 1)
        #expect(try await backward.all((0..<count).reversed()) == expected)
        #expect(backward.last.segmentsEvicted > 0)
        let players = try await Production(clip.path())
        async let first = players.all([0, 1, 2, 3])
        async let second = players.all([8, 9, 10])
        async let third = players.all([5, 4, 11])
        let found = try await [first, second, third]
        for part in found {
            for (index, bytes) in part { #expect(bytes == expected[index], "segment \(index)") }
        }
        for production in [forward, backward, players] { await production.producer.stop() }
    }

    @Test(
        "no segment is made of a file after it was changed in place, whatever the change",
        arguments: [Clip.matroska, .mp4],
        ClipCopy.Change.allCases
    )
    func changes(clip: Clip, change: ClipCopy.Change) async throws {
        let copy = try ClipCopy(of: clip)
        defer { copy.remove() }
        // The store has no room for segments that are made in advance, before the file is changed.
        let production = try await Production(copy.path, budget: 1)
        _ = try await production.bytes(0)
        try copy.make(change)
        #expect(await production.failure(11) == .sourceChanged)
        #expect(await production.failure(3) == .sourceChanged)
        await production.producer.stop()
    }

    @Test("segments made before a file was changed in place are still served")
    func changesOfMade() async throws {
        let copy = try ClipCopy(of: .matroska)
        defer { copy.remove() }
        let production = try await Production(copy.path)
        let made = try await production.all(0..<production.plan.segmentCount)
        try copy.make(.shortened)
        #expect(try await production.all(0..<production.plan.segmentCount) == made)
        await production.producer.stop()
    }

    @Test("a file that is renamed while another one takes its place is read to its end")
    func replacement() async throws {
        let copy = try ClipCopy(of: .matroska)
        defer { copy.remove() }
        let production = try await Production(copy.path, budget: 1)
        _ = try await production.bytes(0)
        try copy.replace()
        #expect(await production.failure(11) == nil)
        await production.producer.stop()
    }
}
