// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A stream to a device of the sound server or of ALSA, as `DeviceAudioSink` uses it. No call waits for the device.
protocol DeviceStream: AnyObject, Sendable {
    /// The format that the device wants for audio of format `source`. Valid until the next flush.
    func format(for source: AudioFormat) -> AudioFormat
    /// Whether the device is gone.
    var isOver: Bool { get }
    /// How many samples the stream has room for.
    var room: Int { get }
    /// Takes all of `block`, which is in the format that `format(for:)` returned.
    ///
    /// - Returns: whether the device still works.
    func give(_ block: SampleBlock) -> Bool
    /// Starts playback, or pauses it at the current sample.
    func setRunning(_ isRunning: Bool)
    /// Discards samples that have not been played yet.
    func flush()
    /// Whether a flush is still in progress.
    var isFlushing: Bool { get }
    /// No samples follow: the device plays what it was given, even if that is less than it buffers before it starts.
    func end()
    /// The time from now until a sample given now is heard, in seconds. `nil` while unknown.
    var wait: Double? { get }
    /// Closes the device as soon as possible if it accepts only one client. Other devices are closed when the stream is
    /// released.
    func close()
    /// A remark for the log when the stream ends; `nil` if there is none.
    var remark: String? { get }
}

extension PulseStream: DeviceStream {
    func format(for source: AudioFormat) -> AudioFormat { format }

    func give(_ block: SampleBlock) -> Bool {
        do throws(PulseError) {
            try write(block)
            return true
        } catch {
            return false
        }
    }

    func end() { trigger() }

    /// Does nothing: any number of streams may play on a sink of the server.
    func close() {}

    var wait: Double? { delay }

    var remark: String? { nil }
}

extension AlsaStream: DeviceStream {
    var isOver: Bool { failure != nil }

    func give(_ block: SampleBlock) -> Bool {
        write(block)
        return failure == nil
    }

    var wait: Double? { delay }

    var remark: String? {
        let gone = failure.map { "it failed: \($0)" }
        let dry = underruns > 0 ? "underruns: \(underruns)" : nil
        let timeless = keepsTime ? nil : "its position reports are unreliable"
        let remarks = [gone, dry, timeless].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }
}
