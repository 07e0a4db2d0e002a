// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime
internal import Logging

/// Selects the decoder of a video stream: a device while one works, otherwise the processor. Pure: callers report what
/// failed, and `backend` is what to use or to try next.
struct DecoderChoice: Hashable, Sendable {
    /// What decodes the video.
    enum Backend: Hashable, Sendable {
        case device(HardwareDevice.Kind)
        case processor
    }

    private(set) var backend: Backend
    /// Why devices do not decode: one reason for each device that was tried in vain. For the log.
    private(set) var reasons: [String] = []
    private var left: [HardwareDevice.Kind]

    /// - Parameter kinds: devices that could decode the stream, best first.
    init(_ kinds: [HardwareDevice.Kind]) {
        backend = kinds.first.map { .device($0) } ?? .processor
        left = Array(kinds.dropFirst())
    }

    /// The device cannot be opened: the next one is tried, or the processor after the last.
    mutating func couldNotOpen(_ reason: String) {
        guard case .device(let kind) = backend else { return }
        reasons.append("\(kind.rawValue): \(reason)")
        backend = left.isEmpty ? .processor : .device(left.removeFirst())
    }

    /// The device has failed midway: the processor takes over, and this decoder tries no other device.
    mutating func gaveUp(_ reason: String) {
        guard case .device(let kind) = backend else { return }
        reasons.append("\(kind.rawValue): \(reason)")
        left = []
        backend = .processor
    }
}

extension DecoderChoice {
    private static let logged = Locked<Set<String>>([])

    /// Logs why the last device does not decode: once per process for each reason, because every source would log the
    /// same.
    func log() {
        guard let reason = reasons.last, Self.logged.withLock({ $0.insert(reason).inserted }) else { return }
        Logger(label: "decoder").info("hardware decoding is not available: \(reason)")
    }
}
