// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// A device of the sound server. What it plays is the clock.
package final class DeviceSoundSink: SoundSink {
    /// Silence behind the last sample, in seconds: without it nobody can tell when that was heard.
    private static let tail = 1.0
    /// How long a device that runs may take nothing before it counts as gone, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000

    private struct State {
        var generation: UInt64 = 0
        var isRunning = false
        var hasBegun = false
        /// Samples of the generation that were written.
        var written: Int64 = 0
        /// Of them those that are the sound's, not the tail's.
        var given: Int64 = 0
        var heard: Int64 = 0
    }

    private let stream: PulseStream
    private let door: SinkDoor
    private let state = Locked(State())

    private init(_ stream: PulseStream, door: SinkDoor) {
        self.stream = stream
        self.door = door
    }

    /// Connects to a device; an empty name means the server's default.
    ///
    /// - Throws: `unavailable`, when there is no sound server or no such device.
    package static func open(_ device: String, of server: String? = nil) async throws(EngineError) -> DeviceSoundSink {
        let door = SinkDoor()
        do throws(PulseError) {
            let stream = try await DeviceOpener().connect(to: device, of: server) { door.open() }
            return DeviceSoundSink(stream, door: door)
        } catch {
            let name = device.isEmpty ? "the default sound device" : "the sound device \(device)"
            throw EngineError(.unavailable, "\(name) cannot be opened", cause: error.description)
        }
    }

    package var isRealTime: Bool { true }

    package func format(for source: AudioFormat) -> AudioFormat { stream.format }

    package func take(_ sound: TimedSound, generation: UInt64) async -> Bool {
        var rest = sound
        var lastProgress = monotonicNanoseconds()
        while !Task.isCancelled {
            let ticket = door.ticket
            guard !stream.isOver else { return false }
            let (isCurrent, isRunning) = state.withLock { ($0.generation == generation, $0.isRunning) }
            guard isCurrent else { return true }
            let count = stream.isFlushing ? 0 : min(stream.room, rest.block.count)
            if count > 0 {
                guard write(rest.taking(count).block, generation) else { return false }
                guard count < rest.block.count else { return true }
                rest = rest.dropping(count)
                lastProgress = monotonicNanoseconds()
            } else {
                let now = monotonicNanoseconds()
                if !isRunning { lastProgress = now }
                guard now - lastProgress < Self.patience else { return false }
                await door.wait(since: ticket, atMost: 500_000_000)
            }
        }
        return true
    }

    /// - Returns: whether the device lives.
    private func write(_ block: SampleBlock, _ generation: UInt64) -> Bool {
        do throws(PulseError) {
            try stream.write(block)
        } catch {
            return false
        }
        state.withLock { state in
            guard state.generation == generation else { return }
            state.written += Int64(block.count)
            state.given += Int64(block.count)
        }
        return true
    }

    package func flush(to generation: UInt64) {
        state.withLock { $0 = State(generation: generation, isRunning: $0.isRunning) }
        stream.flush()
        door.open()
    }

    package func setRunning(_ isRunning: Bool) {
        state.withLock { state in
            state.isRunning = isRunning
            if isRunning { state.hasBegun = true }
        }
        stream.setRunning(isRunning)
        door.open()
    }

    package func samplesHeard(at now: Int64) -> Int64? {
        guard !stream.isFlushing, let delay = stream.delay else { return nil }
        let rate = Double(stream.format.rate)
        return state.withLock { state in
            guard state.hasBegun else { return nil }
            let heard = state.written - Int64(delay * rate)
            // It never goes back, whatever the server believes for a moment.
            state.heard = max(state.heard, min(max(0, heard), state.given))
            return state.heard > 0 ? state.heard : nil
        }
    }

    package func finish(generation: UInt64) {
        let count = Int(Double(stream.format.rate) * Self.tail)
        do throws(PulseError) { try stream.write(.silence(count, stream.format)) } catch {
            // Then it is over, which the next one who asks hears.
        }
        state.withLock { state in
            if state.generation == generation { state.written += Int64(count) }
        }
        stream.trigger()
    }
}

/// Connects on a thread of its own, because a sound server may take its time.
private actor DeviceOpener {
    private let executor = ThreadExecutor(name: "sound-open")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func connect(
        to device: String,
        of server: String?,
        onChange: @escaping @Sendable () -> Void
    ) throws(PulseError) -> PulseStream {
        try PulseStream.connect(to: device, of: server, named: "engined", onChange: onChange)
    }
}
