// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The packets of a video from the last keyframe before a segment up to the segment. Pictures at the start of the segment
/// may depend on them.
struct LeadIn {
    /// In decoding order. Empty until a random access point has been read.
    private(set) var packets: [Packet] = []

    /// Takes the next packet before the segment.
    ///
    /// - Parameter isBoundary: whether the plan has a boundary at the packet, so that it is a random access point even if
    ///   the container does not state it.
    mutating func add(_ packet: Packet, isBoundary: Bool) {
        if packet.isKey || isBoundary {
            packets = [packet]
        } else if !packets.isEmpty {
            packets.append(packet)
        }
    }

    /// The lead-in of the segment that follows one with these pictures.
    ///
    /// - Parameter pictures: of a whole segment, in decoding order.
    static func after(_ pictures: [Packet]) -> [Packet] {
        Array(pictures[(pictures.lastIndex { $0.isKey } ?? pictures.startIndex)...])
    }
}
