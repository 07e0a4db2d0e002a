// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A page of a container whose packets are skipped.
enum PassedPage {
    case none
    /// The page that contains the next packet.
    case next
    /// The page that begins at this byte of the file.
    case at(Int64)

    /// Whether a packet belongs to the page.
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
