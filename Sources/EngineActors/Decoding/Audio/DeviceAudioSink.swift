// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
internal import Logging

/// Plays on a device, through the sound server or ALSA. The samples that the device has played drive the playhead.
package final class DeviceAudioSink: AudioSink {
    /// Silence written after the last sample, in seconds. Without it the time at which that sample is heard would be
    /// unknown.
    private static let tail = 1.0
    /// How long a running device may accept no samples before it counts as lost.
    private static let patience = Duration.seconds(3)
    /// How often a `take` that waits checks for room, because a device may make room without a signal.
    private static let interval = Duration.milliseconds(500)

    private struct State {
        var generation: UInt64 = 0
        var isRunning = false
        var hasBegun = false
        /// Whether the device was closed or counts as lost.
        var isLost = false
        /// Samples of this generation that were written, including the tail.
        var written: Int64 = 0
        /// Samples of this generation that were written, without the tail.
        var given: Int64 = 0
        var heard: Int64 = 0
        /// The format of this generation's samples; `nil` before the first.
        var format: AudioFormat?
    }

    /// The name by which the device was opened.
    package let name: String
    private let stream: any DeviceStream
    private let room: ChangeSignal
    private let state = Locked(State())

    private init(_ name: String, _ stream: any DeviceStream, room: ChangeSignal) {
        self.name = name
        self.stream = stream
        self.room = room
    }

    deinit {
        if let remark = stream.remark { Logger(label: "sound").notice("closed an audio device: \(remark)") }
    }

    /// Opens a device: through the sound server if one responds, otherwise through ALSA, unless `name` selects one of
    /// them.
    ///
    /// - Parameters:
    ///   - name: a sink of the sound server; `alsa:` and an ALSA device; empty for the default device.
    ///   - server: the address of the sound server; `nil`: the one that libpulse finds.
    /// - Throws: `unavailable`, listing every attempt, when the device cannot be opened; `invalidArgument` for an
    ///   invalid name.
    package static func open(_ name: String, of server: String? = nil) async throws(EngineError) -> DeviceAudioSink {
        let room = ChangeSignal()
        var failures: [String] = []
        for backend in try AudioDevice(name).backends {
            do throws(DeviceFailure) {
                return DeviceAudioSink(name, try await backend.open(of: server) { room.signal() }, room: room)
            } catch {
                failures.append(error.description)
            }
        }
        throw EngineError(
            .unavailable,
            "\(name.isEmpty ? "the default audio device" : "the audio device \(name)") cannot be opened",
            cause: failures.joined(separator: "; ")
        )
    }

    package var isRealTime: Bool { true }

    /// Whether the device has failed or was closed.
    package var isOver: Bool { stream.isOver || state.withLock { $0.isLost } }

    /// Closes the device, so that it can be opened again: some devices accept only one client. Afterwards `take`
    /// returns `false`.
    package func close() {
        state.withLock { $0.isLost = true }
        stream.close()
        room.signal()
    }

    package func format(for source: AudioFormat) -> AudioFormat { stream.format(for: source) }

    package func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        let isAlive = await fill(with: audio, generation)
        if !isAlive { state.withLock { $0.isLost = true } }
        return isAlive
    }

    /// - Returns: whether the device still works.
    private func fill(with audio: TimedAudio, _ generation: UInt64) async -> Bool {
        var rest = audio
        var deadline = Deadline(in: Self.patience)
        while !Task.isCancelled {
            let seen = room.signalCount
            guard !isOver else { return false }
            let (isCurrent, isRunning) = state.withLock { ($0.generation == generation, $0.isRunning) }
            guard isCurrent else { return true }
            let count = stream.isFlushing ? 0 : min(stream.room, rest.block.count)
            if count > 0 {
                guard give(rest.taking(count), generation) else { return false }
                guard count < rest.block.count else { return true }
                rest = rest.dropping(count)
                deadline = Deadline(in: Self.patience)
            } else {
                if !isRunning { deadline = Deadline(in: Self.patience) }
                guard !deadline.hasPassed else { return false }
                await room.wait(after: seen, until: Deadline(in: Self.interval).nanoseconds)
            }
        }
        return true
    }

    /// - Returns: whether the device still works.
    private func give(_ audio: TimedAudio, _ generation: UInt64) -> Bool {
        guard stream.give(audio.block) else { return false }
        state.withLock { state in
            guard state.generation == generation else { return }
            state.format = audio.format
            state.written += Int64(audio.block.count)
            state.given += Int64(audio.block.count)
        }
        return true
    }

    package func flush(to generation: UInt64) {
        state.withLock { $0 = State(generation: generation, isRunning: $0.isRunning, isLost: $0.isLost) }
        stream.flush()
        room.signal()
    }

    package func setRunning(_ isRunning: Bool) {
        state.withLock { state in
            state.isRunning = isRunning
            if isRunning { state.hasBegun = true }
        }
        stream.setRunning(isRunning)
        room.signal()
    }

    package func samplesHeard(at now: Int64) -> Int64? {
        guard !stream.isFlushing, let wait = stream.wait else { return nil }
        return state.withLock { state in
            guard state.hasBegun, let format = state.format else { return nil }
            let heard = state.written - Int64((wait * Double(format.rate)).rounded())
            // Never decreases, even if the device reports less for a moment.
            state.heard = max(state.heard, min(max(0, heard), state.given))
            return state.heard > 0 ? state.heard : nil
        }
    }

    package func finish(generation: UInt64) {
        let format = state.withLock { $0.generation == generation ? $0.format : nil }
        // If the device is lost, the next `take` reports it.
        if let format {
            let count = Int(Double(format.rate) * Self.tail)
            let isGiven = stream.give(.silence(count, format))
            state.withLock { state in
                if isGiven, state.generation == generation { state.written += Int64(count) }
            }
        }
        stream.end()
    }
}
