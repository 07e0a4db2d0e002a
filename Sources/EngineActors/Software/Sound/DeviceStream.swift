// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A way to a device, of a sound server or of the machine: what `DeviceSoundSink` asks of it. No call waits for the device.
protocol DeviceStream: AnyObject, Sendable {
    /// What the device wants to be given of `source`. The answer holds until the next flush.
    func format(for source: AudioFormat) -> AudioFormat
    /// Whether the device is gone.
    var isOver: Bool { get }
    /// How many samples there is room for.
    var room: Int { get }
    /// Takes all of `block`, in the format that was said.
    ///
    /// - Returns: whether the device lives.
    func give(_ block: SampleBlock) -> Bool
    /// Begins to play, or stops where it is.
    func setRunning(_ isRunning: Bool)
    /// Throws away what is not played yet.
    func flush()
    /// Whether a flush is not done yet.
    var isFlushing: Bool { get }
    /// Nothing follows what was given: it is played, however little it is.
    func end()
    /// How long a sample that is given now waits until it is heard, in seconds. `nil` while nobody knows.
    var wait: Double? { get }
    /// Gives the device back as soon as it can; nothing else is asked of it. Letting go of the stream does the same.
    func close()
    /// What is worth a line in the log when the stream ends; `nil`: nothing.
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

    /// Any number may play on a device of the server.
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
        let gone = failure.map { "it is gone: \($0)" }
        let dry = underruns > 0 ? "underruns: \(underruns)" : nil
        let timeless = keepsTime ? nil : "it keeps no time"
        let remarks = [gone, dry, timeless].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }
}
