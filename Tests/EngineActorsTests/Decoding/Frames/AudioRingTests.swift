// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding

@Suite("An audio ring", .timeLimit(.minutes(10)))
struct AudioRingTests {
    /// A session that accepts every sink.
    static let attacher = SinkAttacher(
        attach: { _ throws(EngineError) in SessionSinkID(number: 1) },
        detach: { _ in }
    )

    private static func audio(_ samples: Range<Int>, at seconds: Double) throws -> TimedAudio {
        let format = AudioFormat(samples: .int16, rate: 48_000, layout: try #require(ChannelLayout(named: "mono")))
        let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return TimedAudio(
            format: format,
            block: SampleBlock(planes: [bytes], count: samples.count),
            time: .seconds(seconds),
            isDiscontinuous: false
        )
    }

    private static func ring(_ buffer: MediaTime) throws -> AudioRing {
        let ring = try AudioRing(
            AudioRequest(format: .int16, rate: 48_000, layout: "mono", buffer: buffer),
            source: nil,
            attacher: attacher
        )
        ring.flush(to: 1)
        return ring
    }

    @Test("a reader on another thread gets every sample once and in order, whatever the size of the pieces")
    func producerAndConsumer() async throws {
        let ring = try Self.ring(.seconds(0.05))
        let total = 60_000
        let reading = Task.detached {
            var heard: [UInt8] = []
            while heard.count < 2 * total {
                let consumed = heard.count / 2
                let written = Int(ring.memory.ring.loadAcquiring(at: AudioLayout.Header.written))
                let count = min(written - consumed, ring.memory.capacity - consumed % ring.memory.capacity, 777)
                let place = AudioLayout.samples + 2 * (consumed % ring.memory.capacity)
                heard += ring.memory.ring.bytes(at: place, count: 2 * count)
                ring.memory.control.storeReleasing(UInt64(consumed + count), at: AudioLayout.Control.consumed)
                ring.asked()
                await Task.yield()
            }
            return heard
        }
        var first = 0
        for length in [1, 5000, 17, 2400, 2401, 50_181] {
            let audio = try Self.audio(first..<first + length, at: Double(first) / 48_000)
            #expect(await ring.take(audio, generation: 1))
            first += length
        }
        let heard = await reading.value
        #expect(heard == (0..<total).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    }

    @Test(
        "an impossible read position of a front-end is ignored",
        arguments: [2401, 1 << 40, UInt64.max, 1 << 63]
    )
    func liesAboutReading(lie: UInt64) async throws {
        let ring = try Self.ring(.seconds(0.05))
        #expect(await ring.take(try Self.audio(0..<2400, at: 0), generation: 1))
        ring.memory.control.storeReleasing(lie, at: AudioLayout.Control.consumed)
        let taking = Task { await ring.take(try Self.audio(0..<10, at: 0), generation: 1) }
        ring.asked()
        #expect(ring.memory.ring.loadAcquiring(at: AudioLayout.Header.written) == 2400)
        ring.flush(to: 2)
        #expect(try await taking.value)
    }

    private static func report(_ ring: AudioRing, _ played: UInt64, at moment: Int64, sequence: UInt32 = 2) {
        typealias Control = AudioLayout.Control
        ring.memory.control.storeReleasing(played, at: Control.played)
        ring.memory.control.storeReleasing(UInt64(bitPattern: moment), at: Control.moment)
        ring.memory.control.storeReleasing(sequence, at: Control.clockSequence)
    }

    @Test("samples heard are extrapolated from the reported clock, but not beyond the samples written")
    func clock() async throws {
        let ring = try Self.ring(.seconds(1))
        #expect(await ring.take(try Self.audio(0..<24_000, at: 3), generation: 1))
        let now: Int64 = 50_000_000_000
        #expect(ring.samplesHeard(at: now) == nil)
        Self.report(ring, 4800, at: now)
        #expect(ring.samplesHeard(at: now + 100_000_000) == 4800)
        ring.setRunning(true)
        #expect(ring.samplesHeard(at: now + 100_000_000) == 9600)
        #expect(ring.samplesHeard(at: now + 5_000_000_000) == 24_000)
        ring.flush(to: 2)
        #expect(ring.samplesHeard(at: now) == nil)
    }

    @Test(
        "an implausible clock is ignored",
        arguments: [
            (24_001, 0, 2), (UInt64.max, 0, 2), (4800, 11_000_000_000, 2), (4800, -11_000_000_000, 2),
            (4800, Int64.max, 2), (4800, Int64.min, 2), (4800, 0, 3), (4800, 0, 0),
        ] as [(UInt64, Int64, UInt32)]
    )
    func wrongClock(played: UInt64, distance: Int64, sequence: UInt32) async throws {
        let ring = try Self.ring(.seconds(1))
        #expect(await ring.take(try Self.audio(0..<24_000, at: 3), generation: 1))
        let now: Int64 = 50_000_000_000
        Self.report(ring, played, at: now.addingReportingOverflow(distance).partialValue, sequence: sequence)
        #expect(ring.samplesHeard(at: now) == nil)
    }

    @Test("a front-end that should play but consumes nothing is detached after 3 s")
    func stalls() async throws {
        var state = AudioRingState(try Self.ring(.seconds(0.05)).memory)
        state.flush(to: 1, at: 0)
        let isThere = state.publish(2400, time: .zero, isDiscontinuous: true, generation: 1)
        #expect(isThere)
        guard case .wait(until: nil) = state.decide(1, at: 1 << 50) else {
            Issue.record("it stands")
            return
        }
        state.setRunning(true, at: 1000)
        guard case .wait(until: 3_000_001_000) = state.decide(1, at: 2000) else {
            Issue.record("it has 3 s")
            return
        }
        guard case .over = state.decide(1, at: 3_000_001_000) else {
            Issue.record("3 s are over")
            return
        }
    }

    @Test("news is sent once for each request")
    func news() async throws {
        let ring = try Self.ring(.seconds(1))
        let peer = RecordingPeer()
        ring.begin(peer)
        try await eventually { peer.messages.withLock { $0.first?.kind == .memory } }
        for index in 0..<3 { #expect(await ring.take(try Self.audio(0..<10, at: Double(index)), generation: 1)) }
        func count() -> Int { peer.messages.withLock { $0.count { $0.kind == .news } } }
        #expect(count() == 1)
        ring.asked()
        #expect(count() == 2)
        ring.asked()
        #expect(count() == 2)
        #expect(await ring.take(try Self.audio(0..<10, at: 4), generation: 1))
        #expect(count() == 3)
        ring.ended()
        #expect(peer.isClosed.withLock { $0 })
        #expect(await !ring.take(try Self.audio(0..<10, at: 5), generation: 1))
    }
}
