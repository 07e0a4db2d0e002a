// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Who decodes pictures: a device while one does, else the processor. Pure: told what happened, it says what to try next.
struct DecoderChoice: Hashable, Sendable {
    /// What to try.
    enum Backend: Hashable, Sendable {
        case device(HardwareDevice.Kind)
        case processor
    }

    private(set) var backend: Backend
    /// Why no device decodes, as far as one was tried, for the log.
    private(set) var reasons: [String] = []
    private var left: [HardwareDevice.Kind]

    /// - Parameter kinds: of devices that could decode the stream, the best first.
    init(_ kinds: [HardwareDevice.Kind]) {
        backend = kinds.first.map { .device($0) } ?? .processor
        left = Array(kinds.dropFirst())
    }

    /// The device cannot be opened: the next kind is tried.
    mutating func couldNotOpen(_ reason: String) {
        guard case .device(let kind) = backend else { return }
        reasons.append("\(kind.rawValue): \(reason)")
        backend = left.isEmpty ? .processor : .device(left.removeFirst())
    }

    /// The device has given up midway: the processor goes on, so that nothing is tried twice while somebody watches.
    mutating func gaveUp(_ reason: String) {
        guard case .device(let kind) = backend else { return }
        reasons.append("\(kind.rawValue): \(reason)")
        left = []
        backend = .processor
    }
}
