// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// Consumes audio at an even pace without playing it, so that it keeps time like a device.
package final class NullAudioSink: AudioSink {
    /// How much unheard audio the sink holds before `take` waits, in seconds.
    private static let capacity = 0.2

    private struct State {
        var meter = AudioMeter()
        var generation: UInt64 = 0
        var hasBegun = false

        mutating func take(_ audio: TimedAudio, _ generation: UInt64, _ limit: Int64, at now: Int64) -> Step {
            guard generation == self.generation else { return .outdated }
            let wait = meter.wait(untilLeft: limit, at: now)
            guard wait <= 0 else { return .full(meter.isRunning ? wait : nil) }
            defer { meter.add(audio.block.count, rate: audio.format.rate, at: now) }
            return .taken(first: meter.given)
        }
    }

    private enum Step {
        case outdated
        case taken(first: Int64)
        /// Full for this many nanoseconds; `nil`: until the sink runs again.
        case full(Int64?)
    }

    private let clock: AudioClock
    private let fixedFormat: AudioFormat?
    private let state = Locked(State())
    private let room = ChangeSignal()
    private let onAudio: @Sendable (TimedAudio, _ first: Int64, _ generation: UInt64) -> Void

    /// - Parameters:
    ///   - format: the format that the sink wants; `nil`: the source's format.
    ///   - onAudio: called with the audio taken, the number of its first sample within the generation, and the generation.
    package init(
        clock: AudioClock = .monotonic,
        format: AudioFormat? = nil,
        onAudio: @escaping @Sendable (TimedAudio, Int64, UInt64) -> Void = { _, _, _ in }
    ) {
        self.clock = clock
        fixedFormat = format
        self.onAudio = onAudio
    }

    package var isRealTime: Bool { true }

    package func format(for source: AudioFormat) -> AudioFormat { fixedFormat ?? source }

    package func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        while !Task.isCancelled {
            let seen = room.signalCount
            let now = time
            let limit = Int64(Double(audio.format.rate) * Self.capacity)
            let step = state.withLock { $0.take(audio, generation, limit, at: now) }
            switch step {
            case .outdated: return true
            case .taken(let first):
                onAudio(audio, first, generation)
                return true
            case .full(let wait): await waitForRoom(seen, now, wait)
            }
        }
        return true
    }

    private func waitForRoom(_ seen: UInt64, _ now: Int64, _ wait: Int64?) async {
        guard case .manual(_, let whenMoved) = clock else {
            return await room.wait(after: seen, until: wait.map { monotonicNanoseconds() + $0 })
        }
        whenMoved { [room] in room.signal() }
        if time == now { await room.wait(after: seen) }
    }

    package func flush(to generation: UInt64) {
        let now = time
        state.withLock { state in
            state.generation = generation
            state.meter.reset(at: now)
            state.hasBegun = false
        }
        room.signal()
    }

    package func setRunning(_ isRunning: Bool) {
        let now = time
        state.withLock { state in
            state.meter.setRunning(isRunning, at: now)
            if isRunning { state.hasBegun = true }
        }
        room.signal()
    }

    package func samplesHeard(at now: Int64) -> Int64? {
        let now = clock.time(at: now)
        return state.withLock { $0.hasBegun ? $0.meter.heard(at: now) : nil }
    }

    package func finish(generation: UInt64) {}

    private var time: Int64 { clock.time(at: monotonicNanoseconds()) }
}
