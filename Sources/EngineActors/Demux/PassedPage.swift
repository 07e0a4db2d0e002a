// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A page of a container of which the packets are not read.
enum PassedPage {
    case none
    /// The one that the next packet is in.
    case next
    /// The one that begins there in the file.
    case at(Int64)

    /// Whether a packet is in it.
    mutating func takes(_ packet: Packet) -> Bool {
        switch self {
        case .none: return false
        case .next:
            guard let position = packet.position else { return true }
            self = .at(position)
            return true
        case .at(let position):
            if packet.position == position || packet.position == nil { return true }
            self = .none
            return false
        }
    }
}
