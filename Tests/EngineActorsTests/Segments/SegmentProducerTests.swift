// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading
@testable import Segments

@Suite("Making segments", .timeLimit(.minutes(10)))
struct SegmentProducerTests {
    /// A producer for a source of ten segments of 10 s. With the default arguments it reads nothing ahead, because a
    /// segment has more bytes than may be read ahead.
    private struct Production {
        let demuxers = ScriptedDemuxers()
        let producer: SegmentProducer
        let reports = Locked<[SegmentProducer.Report]>([])
        let plan: SegmentPlan

        /// - Parameters:
        ///   - budget: in bytes. A third of the budget may be read ahead of a reader.
        ///   - announced: how many segments the plan has at first.
        ///   - byteCount: the size of each segment in the source, in bytes.
        ///   - target: the target duration; 24 s of such segments are read ahead, but at least two.
        init(
            budget: Int = 64 << 10,
            announced: Int = 10,
            byteCount: Int64 = 1 << 20,
            target: MediaTime = .seconds(10)
        ) throws {
            var described = DescribedSource()
            described.hasAudio = true
            let source = try described.opened()
            var plan = DescribedSource.plan(segments: 10)
            for place in plan.boundaries.indices { plan.boundaries[place].position = Int64(place) * byteCount }
            self.plan = plan
            let (demuxers, reports) = (demuxers, reports)
            producer = SegmentProducer(
                source: source,
                demuxers: SegmentDemuxers(demuxers.first()) { demuxers.open($0) },
                plan: Self.cut(plan, to: announced),
                trackEnds: [nil, nil],
                budget: budget,
                target: target,
                onReport: { report in reports.withLock { $0.append(report) } }
            )
        }

        /// The plan while a scan has found only the first `count` segments.
        static func cut(_ plan: SegmentPlan, to count: Int) -> SegmentPlan {
            guard count < plan.boundaries.count else { return plan }
            var plan = plan
            plan.boundaries.removeLast(plan.boundaries.count - count - 1)
            plan.end = nil
            return plan
        }

        var last: SegmentProducer.Report { reports.withLock { $0.last ?? SegmentProducer.Report() } }

        /// Requests a segment, and returns its bytes or the error.
        func request(_ index: Int, track: Int = 0) async -> Result<[UInt8], EngineError> {
            do throws(EngineError) {
                let body = try await producer.segment(index, track: track)
                return .success(
                    body.regions.flatMap { region in region.withBytes { span in span.indices.map { span[$0] } } }
                )
            } catch {
                return .failure(error)
            }
        }

        /// The code of the error with which a request fails; `nil` if it succeeds.
        func failure(_ index: Int, track: Int = 0) async -> EngineError.Code? {
            if case .failure(let error) = await request(index, track: track) { error.code } else { nil }
        }

        /// Requests a segment, and returns once its read is held.
        ///
        /// - Returns: the gate that holds reads of the segment, and the request.
        func held(_ index: Int) async -> (Gate, Task<EngineError.Code?, Never>) {
            let gate = Gate()
            demuxers.hold(index, at: gate)
            let request = Task { await failure(index) }
            await gate.arrival()
            return (gate, request)
        }

        /// Returns once `count` requests wait.
        func wait(for count: Int) async throws {
            try await eventually { await producer.waitingCount == count }
        }
    }

    @Test("Requests for a segment that is being read wait for it: it is read once, and all get the same bytes")
    func sharing() async throws {
        let production = try Production()
        let (gate, first) = await production.held(4)
        let others = (0..<5).map { _ in Task { await production.request(4) } }
        try await production.wait(for: 6)
        gate.open()
        #expect(await first.value == nil)
        var answers: Set<[UInt8]> = []
        for other in others { answers.insert(try await other.value.get()) }
        #expect(answers.count == 1)
        #expect(answers.first?.suffix(ScriptedDemuxers.byteCount).allSatisfy { $0 == 4 } == true)
        #expect(production.demuxers.log == [4])
        #expect(try await production.request(4).get() == answers.first)
        #expect(production.demuxers.log == [4], "it is in memory now")
        await production.producer.stop()
    }

    @Test("A cancelled request ends at once; the others keep waiting, and the segment is kept")
    func cancellation() async throws {
        let production = try Production()
        let (gate, cancelled) = await production.held(4)
        let patient = Task { await production.failure(4) }
        try await production.wait(for: 2)
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled, "the gate is still closed")
        #expect(production.producer.pressure.isUp, "one request waits")
        patient.cancel()
        #expect(await patient.value == .cancelled)
        #expect(!production.producer.pressure.isUp)
        let late = Task { await production.failure(4) }
        try await production.wait(for: 1)
        gate.open()
        #expect(await late.value == nil)
        #expect(production.demuxers.log == [4], "nobody's cancellation ends the read")
        await production.producer.stop()
    }

    @Test("A stop while segments are read answers every request, interrupts the demuxers and closes them")
    func stopping() async throws {
        let production = try Production()
        let (_, first) = await production.held(4)
        let others = [4, 5, 9].map { index in Task { await production.failure(index) } }
        try await production.wait(for: 4)
        await production.producer.stop()
        for request in [first] + others { #expect(await request.value == .cancelled) }
        #expect(production.demuxers.interrupted == [0] && production.demuxers.closed == [0])
        #expect(await production.failure(4) == .cancelled, "no request is answered any more")
        #expect(production.producer.contiguousEnd(from: 0) == 0 && production.demuxers.log == [4])
    }

    @Test("After production ends, what was being read is not packed, and nothing else is read")
    func ending() async throws {
        let production = try Production(budget: 30_000, byteCount: 1000, target: .seconds(1))
        let (gate, request) = await production.held(4)
        let ending = production.producer.end()
        gate.open()
        #expect(await production.failure(5) == .cancelled)
        #expect(await request.value == .cancelled)
        await ending.value
        try await eventually { await production.producer.isResting }
        #expect(production.demuxers.log == [4] && production.last.segmentsProduced == 0)
    }

    @Test("Whenever production ends, every request ends, and nothing is left in memory", arguments: 0..<60)
    func endingAtAnyMoment(turns: Int) async throws {
        let production = try Production(budget: 30_000, byteCount: 1000, target: .seconds(1))
        let (gate, first) = await production.held(4)
        let others = [4, 5, 9].map { index in Task { await production.failure(index) } }
        gate.open()
        for _ in 0..<turns { await Task.yield() }
        let endings = [production.producer.end(), production.producer.end()]
        let late = [4, 9].map { index in Task { await production.failure(index) } }
        for request in [first] + others + late {
            let failure = await request.value
            #expect(failure == nil || failure == .cancelled)
        }
        for ending in endings { await ending.value }
        let opened = Set([0] + production.demuxers.opened)
        #expect(production.demuxers.interrupted == opened && production.demuxers.closed == opened)
        #expect(await production.producer.waitingCount == 0 && !production.producer.pressure.isUp)
        try await eventually { await production.producer.isResting }
        #expect((0..<10).allSatisfy { production.producer.contiguousEnd(from: $0) == $0 })
    }

    @Test("A demuxer that is slow to close delays neither the answers to requests nor the end of other producers")
    func endingSlowly() async throws {
        let (slow, other) = (try Production(), try Production())
        let closing = Gate()
        slow.demuxers.holdClosing(at: closing)
        let (_, request) = await slow.held(4)
        let endings = [slow.producer.end(), other.producer.end()]
        await closing.arrival()
        #expect(await request.value == .cancelled)
        #expect(await slow.failure(6) == .cancelled)
        await endings[1].value
        #expect(slow.demuxers.closed.isEmpty && other.demuxers.closed == [0])
        closing.open()
        await endings[0].value
        #expect(slow.demuxers.closed == [0])
    }

    @Test("Segments that are read ahead for several positions and do not fit in memory are not read again and again")
    func resting() async throws {
        // A segment has ten bytes in the source, and more than a thousand in memory.
        let production = try Production(budget: 3 * ScriptedDemuxers.byteCount, byteCount: 10, target: .seconds(10))
        for index in [0, 4, 8] { #expect(await production.failure(index) == nil) }
        try await eventually { await production.producer.isResting }
        // Three requested segments, and after each request at most two segments ahead of each position so far.
        let most = 3 + 2 + 4 + 6
        #expect(production.demuxers.log.count <= most)
        await production.producer.stop()
    }

    @Test("A segment that cannot be read ahead is tried only once while no reader moves")
    func failingAhead() async throws {
        let production = try Production(budget: 30_000, byteCount: 1000, target: .seconds(10))
        production.demuxers.fail(4, with: EngineError(.segmentFailed, "scripted"))
        #expect(await production.failure(3) == nil)
        try await eventually { production.producer.contiguousEnd(from: 5) == 6 }
        try await eventually { await production.producer.isResting }
        #expect(production.demuxers.log == [3, 4, 5])
        #expect(await production.failure(4) == .segmentFailed)
        await production.producer.stop()
    }

    @Test("A failure reaches every request for the segment, and no other; the next request reads it again")
    func failing() async throws {
        let production = try Production()
        production.demuxers.fail(4, with: EngineError(.segmentFailed, "scripted"))
        let (gate, first) = await production.held(4)
        let second = Task { await production.failure(4) }
        let other = Task { await production.failure(7) }
        try await production.wait(for: 3)
        gate.open()
        #expect(await first.value == .segmentFailed)
        #expect(await second.value == .segmentFailed)
        #expect(await other.value == nil)
        #expect(await production.failure(4) == .segmentFailed)
        production.demuxers.fail(4, with: nil)
        #expect(await production.failure(4) == nil)
        #expect(production.demuxers.log.filter { $0 == 4 } == [4, 4, 4])
        await production.producer.stop()
    }

    @Test("The bytes in memory stay within the budget; what was evicted is read again")
    func eviction() async throws {
        let production = try Production(budget: 4 * ScriptedDemuxers.byteCount)
        for index in 0..<8 { #expect(await production.failure(index) == nil) }
        try await eventually { production.last.segmentsProduced == 8 }
        #expect(production.last.cachedBytes <= UInt64(4 * ScriptedDemuxers.byteCount))
        #expect(production.last.segmentsEvicted >= 4)
        #expect(production.demuxers.log == Array(0..<8))
        #expect(await production.failure(0) == nil)
        #expect(production.demuxers.log == Array(0..<8) + [0])
        await production.producer.setBudget(0)
        #expect(production.last.cachedBytes == 0)
        await production.producer.stop()
    }

    @Test(
        "Segments that a reader will request next are read ahead, none behind it, and no more than fit in a third of the budget"
    )
    func ahead() async throws {
        let production = try Production(budget: 30_000, byteCount: 2500, target: .seconds(1))
        #expect(await production.failure(3) == nil)
        // 10,000 bytes ahead of the reader, its own segment included.
        try await eventually { production.producer.contiguousEnd(from: 3) == 6 }
        #expect(await production.failure(3) == nil)
        #expect(production.demuxers.log == [3, 4, 5])
        #expect(production.producer.contiguousStart(upTo: 3) == 3)
        #expect(await production.failure(5) == nil)
        try await eventually { production.producer.contiguousEnd(from: 3) == 8 }
        await production.producer.stop()
    }

    @Test("Read-ahead resumes when the budget grows, although no reader moves")
    func growingBudget() async throws {
        let production = try Production(budget: 30_000, byteCount: 2500, target: .seconds(1))
        #expect(await production.failure(3) == nil)
        try await eventually { production.producer.contiguousEnd(from: 3) == 6 }
        try await eventually { await production.producer.isResting }
        await production.producer.setBudget(45_000)
        // 15,000 bytes ahead of the reader, its own segment included.
        try await eventually { production.producer.contiguousEnd(from: 3) == 8 }
        #expect(production.demuxers.log == [3, 4, 5, 6, 7])
        await production.producer.stop()
    }

    @Test("A segment exists once it is announced; an unknown track never does")
    func announcements() async throws {
        let production = try Production(announced: 4)
        for index in [-1, 4, 9, .max] { #expect(await production.failure(index) == .internal, "segment \(index)") }
        #expect(await production.failure(0, track: 2) == .internal)
        #expect(await production.failure(3) == nil)
        await production.producer.extend(production.plan, trackEnds: [nil, nil])
        #expect(await production.failure(9) == nil)
        #expect(await production.failure(10) == .internal)
        await production.producer.stop()
    }

    @Test("Once a track is requested or preferred, it is made with every segment")
    func tracks() async throws {
        let production = try Production()
        #expect(await production.failure(2) == nil)
        #expect(production.demuxers.tracks(of: 2) == [0])
        #expect(await production.failure(2, track: 1) == nil, "the segment is read again, with the track")
        #expect(production.demuxers.log == [2, 2])
        #expect(await production.failure(3) == nil)
        #expect(production.demuxers.tracks(of: 3) == [0, 1])
        await production.producer.stop()
        let other = try Production()
        #expect(await other.failure(2) == nil)
        await other.producer.prefer(track: 1, from: 2)
        try await eventually { other.demuxers.log.count == 4 }
        #expect(other.demuxers.log == [2, 2, 3, 4])
        await other.producer.stop()
    }

    @Test("Players that take turns at different positions get demuxers of their own, which a stop closes too")
    func demuxers() async throws {
        let production = try Production()
        for index in [1, 8] { #expect(await production.failure(index) == nil) }
        #expect(production.demuxers.opened.isEmpty, "one player that seeks needs no other")
        #expect(await production.failure(2) == nil)
        #expect(production.demuxers.opened == [1])
        let (gate, first) = await production.held(3)
        #expect(await production.failure(9) == nil, "it does not wait for the other player's segment")
        gate.open()
        #expect(await first.value == nil)
        await production.producer.stop()
        #expect(production.demuxers.interrupted == [0, 1] && production.demuxers.closed == [0, 1])
    }

    @Test("Subtitle packets that are read along with a segment are delivered, segment by segment")
    func harvest() async throws {
        let production = try Production()
        let taken = Locked<[HarvestedPackets]>([])
        await production.producer.harvest([2]) { packets in taken.withLock { $0.append(packets) } }
        for index in [6, 2] { #expect(await production.failure(index) == nil) }
        #expect(taken.withLock { $0.map(\.segment) } == [6, 2])
        #expect(taken.withLock { $0.allSatisfy { $0.streams == [2] && $0.packets.count == 1 } })
        await production.producer.harvest([]) { _ in Issue.record("nothing is wanted any more") }
        #expect(await production.failure(4) == nil)
        await production.producer.stop()
    }

    @Test("The report counts the segments that were made, their bytes, and the requests for segments in memory")
    func reports() async throws {
        let production = try Production()
        for index in [1, 1, 1, 2] { #expect(await production.failure(index) == nil) }
        try await eventually { production.last.cacheHits == 2 }
        #expect(production.last.segmentsProduced == 2 && production.last.segmentsEvicted == 0)
        #expect(production.last.bytesProduced == production.last.cachedBytes)
        #expect(production.last.madeMicroseconds == 20_000_000)
        await production.producer.stop()
    }
}
