// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Puts the captions of pictures, which come in decoding order, in the order of presentation.
struct CaptionOrder {
    struct Item {
        /// When the picture is shown, in ticks of its stream.
        let time: Int64
        let triplets: [UInt8]
        let packet: Packet
    }

    /// No coding puts more pictures between a picture and its turn.
    private static let reorderLimit = 32

    private var pending: [Item] = []

    /// - Parameter packet: the next one in decoding order. One without any time is left out.
    /// - Returns: those that nothing can come before any more.
    mutating func next(_ packet: Packet) -> [Item] {
        guard let time = packet.pts ?? packet.dts else { return [] }
        let place = pending.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        pending.insert(Item(time: time, triplets: packet.bytes, packet: packet), at: place)
        // Nothing that comes later is presented before its own decoding time.
        let ready = packet.dts.map { dts in pending.prefix { $0.time <= dts }.count } ?? 0
        return take(max(ready, pending.count - Self.reorderLimit))
    }

    mutating func rest() -> [Item] { take(pending.count) }

    private mutating func take(_ count: Int) -> [Item] {
        let ready = Array(pending.prefix(count))
        pending.removeFirst(ready.count)
        return ready
    }
}
