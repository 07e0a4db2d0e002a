// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings
@testable import Packaging
@testable import Reading
@testable import Segments

@Suite("Making parts of live segments", .timeLimit(.minutes(10)))
struct PartProducerTests {
    /// Reads an arriving segment: each track has a packet every 40 ms, up to and including the one at the end of the
    /// known parts.
    private final class Arriving: PartReading {
        let gate = Gate()
        let failure = Locked<EngineError?>(nil)
        let reads = Locked<[(settled: Int64?, tracks: Set<Int>)]>([])
        /// Whether the packets have other times than in the finished segment.
        let isDamaged = Locked(false)
        /// The tracks of which it finds nothing.
        let missing = Locked<Set<Int>>([])
        let isClosed = Locked(false)

        func read(partsOf plan: SegmentPlan, active: Set<Int>) async throws(EngineError) -> SegmentMaterial {
            reads.withLock { $0.append((plan.settled, active)) }
            await gate.pass()
            if let failure = failure.withLock({ $0 }) { throw failure }
            let lines = plan.parts(of: plan.segmentCount)
            let (start, end) = (lines[0], lines[lines.count - 1])
            let shift: Int64 = isDamaged.withLock { $0 } ? 10 : 0
            let found = active.subtracting(missing.withLock { $0 })
            let parts = [0, 1].map { track in
                found.contains(track) ? PartProducerTests.part(track, from: start, through: end, shift: shift) : nil
            }
            return SegmentMaterial(index: plan.segmentCount, parts: parts)
        }

        func interrupt() {
            failure.withLock { $0 = EngineError(.cancelled, "the read was interrupted") }
            gate.open()
        }

        func close() async { isClosed.withLock { $0 = true } }
    }

    /// Reads finished segments.
    private struct Finished: SegmentReading {
        func read(
            segment index: Int,
            of plan: SegmentPlan,
            trackEnds: [MediaTime?],
            active: Set<Int>,
            subtitles: Set<Int>
        ) async throws(EngineError) -> SegmentMaterial {
            let (start, end) = (plan.boundaries[index].time, plan.endTime(of: index) ?? 0)
            let parts = [0, 1].map { track -> SegmentMaterial.Part? in
                guard active.contains(track) else { return nil }
                var part = PartProducerTests.part(track, from: start, through: end - 1)
                part.next = end
                return part
            }
            return SegmentMaterial(index: index, parts: parts)
        }

        func interrupt() {}
        func close() async {}
    }

    private static func part(
        _ track: Int,
        from start: Int64,
        through end: Int64,
        shift: Int64 = 0
    ) -> SegmentMaterial.Part {
        let times = Array(stride(from: start, to: end, by: 40)) + (end % 40 == 0 ? [end] : [])
        let packets = times.map { time in
            let packet = Packet(
                [UInt8(truncatingIfNeeded: time / 40)],
                stream: track,
                pts: time,
                dts: time,
                duration: 40,
                flags: time == start ? .key : []
            )
            return TimedPacket(packet: packet, time: time + shift)
        }
        return SegmentMaterial.Part(packets: packets, start: start)
    }

    private let arriving = Arriving()
    private let segments: SegmentProducer
    private let producer: PartProducer

    init() throws {
        var described = DescribedSource()
        described.hasAudio = true
        let (source, plan) = (try described.opened(), Self.plan(segments: 1, settled: nil))
        segments = SegmentProducer(
            source: source,
            demuxers: SegmentDemuxers(Finished()) { _ in Finished() },
            plan: plan,
            trackEnds: [nil, nil],
            budget: 64 << 10,
            target: .seconds(2),
            onReport: { _ in }
        )
        producer = PartProducer(source: source, producer: segments, open: { [arriving] in arriving }, plan: plan)
    }

    /// A plan with segments of 2 s, of which the first `segments` are announced.
    private static func plan(segments: Int, settled: Int64?) -> SegmentPlan {
        var plan = DescribedSource.plan(segments: segments + 1, of: 2000, isComplete: false)
        (plan.partLength, plan.settled) = (400, settled)
        return plan
    }

    /// Extends the plan as a scan does: `count` segments are announced, and the next one is known up to `settled`, in
    /// milliseconds.
    private func find(segments count: Int, settled: Int64?) async {
        let plan = Self.plan(segments: count, settled: settled)
        await segments.extend(plan, trackEnds: [nil, nil])
        await producer.extend(plan)
    }

    private func bytes(_ part: Int, of segment: Int, track: Int = 0) async throws -> [UInt8]? {
        try await producer.part(part, of: segment, track: track).map { $0.bytes(0..<$0.byteCount) }
    }

    @Test("parts are made once the scan knows them, and together they equal the finished segment")
    func parts() async throws {
        arriving.gate.open()
        #expect(try await bytes(0, of: 1) == nil)
        await find(segments: 1, settled: 2900)
        let early = [try await bytes(0, of: 1), try await bytes(1, of: 1)]
        #expect(early.allSatisfy { $0 != nil })
        #expect(try await bytes(2, of: 1) == nil)
        #expect(try await bytes(0, of: 2) == nil)
        // Both parts were made in one step.
        #expect(arriving.reads.withLock { $0.map(\.settled) } == [2900])
        await find(segments: 1, settled: 3300)
        let third = try await bytes(2, of: 1)
        await find(segments: 2, settled: nil)
        var all: [[UInt8]] = []
        for part in 0..<5 { all.append(try #require(try await bytes(part, of: 1))) }
        #expect(Array(all.prefix(3)) == early + [third])
        let whole = try await segments.segment(1, track: 0)
        #expect(all.flatMap { $0 } == whole.bytes(0..<whole.byteCount))
        #expect(try await bytes(5, of: 1) == nil)
        #expect(arriving.reads.withLock { $0.count } == 2)
    }

    @Test("a part never changes once it is made, and its segment contains it unchanged")
    func isKept() async throws {
        arriving.gate.open()
        arriving.isDamaged.withLock { $0 = true }
        await find(segments: 1, settled: 2900)
        let early = [try #require(try await bytes(0, of: 1)), try #require(try await bytes(1, of: 1))]
        arriving.isDamaged.withLock { $0 = false }
        await find(segments: 1, settled: 3300)
        #expect(try await bytes(0, of: 1) == early[0])
        await find(segments: 2, settled: nil)
        var all: [[UInt8]] = []
        for part in 0..<5 { all.append(try #require(try await bytes(part, of: 1))) }
        #expect(Array(all.prefix(2)) == early)
        let (sent, plain) = (try await producer.segment(1, track: 0), try await segments.segment(1, track: 0))
        #expect(sent.bytes(0..<sent.byteCount) == all.flatMap { $0 })
        #expect(sent.bytes(0..<sent.byteCount) != plain.bytes(0..<plain.byteCount))
        // Parts are kept only for the next 30 s of the source.
        await find(segments: 40, settled: nil)
        let late = try await producer.segment(1, track: 0)
        #expect(late.bytes(0..<late.byteCount) == plain.bytes(0..<plain.byteCount))
    }

    @Test("a request for a part that still waits when its segment completes gets the bytes of the finished segment")
    func givesUp() async throws {
        await find(segments: 1, settled: 2900)
        let waiting = Task { try await bytes(0, of: 1) }
        try await eventually { arriving.reads.withLock { $0.count } == 1 }
        let isAnswered = Locked(false)
        let answer = Task {
            defer { isAnswered.withLock { $0 = true } }
            return try await waiting.value
        }
        while !isAnswered.withLock({ $0 }) {
            await find(segments: 2, settled: nil)
            await Task.yield()
        }
        let whole = try await segments.segment(1, track: 0)
        let part = try #require(try await answer.value)
        #expect(whole.bytes(0..<part.count) == part)
        #expect(arriving.isClosed.withLock { $0 })
    }

    @Test("requests that come while parts are made wait for them")
    func concurrent() async throws {
        await find(segments: 1, settled: 2500)
        async let one = bytes(0, of: 1)
        try await eventually { arriving.reads.withLock { $0.count } == 1 }
        async let other = bytes(0, of: 1)
        async let audio = bytes(0, of: 1, track: 1)
        arriving.gate.open()
        let (first, second, third) = (try await one, try await other, try await audio)
        #expect(first != nil && first == second && third != nil && third != first)
        // No earlier request named the audio track, so its parts need a step of their own.
        #expect(arriving.reads.withLock { $0.map(\.tracks) } == [[0], [0, 1]])
    }

    @Test("a request fails if its read fails, and the next request reads again")
    func failures() async throws {
        arriving.gate.open()
        await find(segments: 1, settled: 2500)
        arriving.failure.withLock { $0 = EngineError(.sourceReadFailed, "gone") }
        await #expect(throws: EngineError.self) { try await bytes(0, of: 1) }
        arriving.failure.withLock { $0 = nil }
        #expect(try await bytes(0, of: 1) != nil)
    }

    @Test("a request for a part that was not found fails after one read")
    func nothing() async throws {
        arriving.gate.open()
        arriving.missing.withLock { $0 = [0] }
        await find(segments: 1, settled: 2500)
        await #expect(throws: EngineError.self) { try await bytes(0, of: 1) }
        #expect(arriving.reads.withLock { $0.count } == 1)
        #expect(try await bytes(0, of: 1, track: 1) != nil)
    }

    @Test("a stop fails waiting and later requests, and closes the demuxer")
    func stops() async throws {
        await find(segments: 1, settled: 2500)
        let waiting = Task { try await bytes(0, of: 1) }
        try await eventually { arriving.reads.withLock { $0.count } == 1 }
        await producer.stop()
        await #expect(throws: EngineError.self) { try await waiting.value }
        await #expect(throws: EngineError.self) { try await bytes(0, of: 1) }
        #expect(arriving.isClosed.withLock { $0 })
    }
}
