// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Packets of one stream that were read but not decoded yet. Pure.
struct FeedQueue {
    /// The amount that a queue may hold before its stream is read separately.
    struct Limit: Hashable {
        var byteCount: Int
        var packetCount: Int
        var length: MediaTime
    }

    private var packets: [FeedPacket] = []
    /// How many packets at the front of `packets` were already taken or dropped.
    private var start = 0
    private(set) var byteCount = 0
    private let base: TimeBase

    init(base: TimeBase) { self.base = base }

    var count: Int { packets.count - start }
    var isEmpty: Bool { count == 0 }
    var last: FeedPacket? { isEmpty ? nil : packets.last }

    mutating func append(_ packet: FeedPacket) {
        packets.append(packet)
        byteCount += packet.packet.byteCount
    }

    /// Removes packets from the front: at most `limit`, ending with the one that reaches `byteLimit`.
    mutating func take(atMost limit: Int, byteLimit: Int) -> [FeedPacket] {
        var taken: [FeedPacket] = []
        var bytes = 0
        while taken.count < limit, bytes < byteLimit, start < packets.count {
            bytes += packets[start].packet.byteCount
            taken.append(packets[start])
            start += 1
        }
        byteCount -= bytes
        giveBack()
        return taken
    }

    /// Drops packets before `time`, in ticks, except for the last one at or before it.
    mutating func forget(before time: Int64) {
        while start + 1 < packets.count, packets[start + 1].time <= time {
            byteCount -= packets[start].packet.byteCount
            start += 1
        }
        giveBack()
    }

    private mutating func giveBack() {
        guard start > 64, start * 2 > packets.count || start == packets.count else { return }
        packets.removeFirst(start)
        start = 0
    }

    func isOver(_ limit: Limit) -> Bool {
        byteCount > limit.byteCount || count > limit.packetCount || length > limit.length
    }

    /// The time from the first packet to the last.
    var length: MediaTime {
        guard let last, start < packets.count, last.time > packets[start].time else { return .zero }
        return MediaTime(last.time &- packets[start].time, in: base)
    }
}
