// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Reading

/// Reorders captions, which arrive in the decoding order of their pictures, into presentation order.
struct CaptionOrder {
    struct Item {
        /// The presentation time of the picture, in ticks of its stream.
        let time: Int64
        let triplets: [UInt8]
        let packet: Packet
    }

    /// No codec reorders by more pictures than this.
    private static let reorderLimit = 32

    private var pending: [Item] = []

    /// - Parameter packet: the next packet in decoding order. A packet without a timestamp is dropped.
    /// - Returns: the items before which no later packet can be presented.
    mutating func next(_ packet: Packet) -> [Item] {
        guard let time = packet.pts ?? packet.dts else { return [] }
        let place = pending.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        pending.insert(Item(time: time, triplets: packet.bytes, packet: packet), at: place)
        // No later picture is presented before its own decoding time.
        let ready = packet.dts.map { dts in pending.prefix { $0.time <= dts }.count } ?? 0
        return take(max(ready, pending.count - Self.reorderLimit))
    }

    mutating func takeAll() -> [Item] { take(pending.count) }

    private mutating func take(_ count: Int) -> [Item] {
        let ready = Array(pending.prefix(count))
        pending.removeFirst(ready.count)
        return ready
    }
}
