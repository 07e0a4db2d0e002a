// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// What it takes to decode once more what a device still owes: its packets since the last random access point but one, as
/// pictures before the last may still be under way, and the times of the pictures that came of them. Pure.
struct DecodingReplay {
    struct Entry {
        let packet: Packet
        /// Codec private data that holds from this packet on.
        var privateData: [UInt8]?
    }

    /// More is not kept.
    private static let limit = 2000

    private(set) var entries: [Entry] = []
    /// Where the packets from the last random access point on begin.
    private var newest = 0
    private var times: Set<Int64> = []
    private var earlierTimes: Set<Int64> = []

    /// Times of the pictures that need not come again.
    var given: Set<Int64> { times.union(earlierTimes) }

    mutating func note(_ packet: Packet, privateData: [UInt8]?) {
        if packet.isKey {
            drop(newest)
            newest = entries.count
            (earlierTimes, times) = (times, [])
        } else if entries.count >= Self.limit {
            drop(newest > 0 ? newest : entries.count)
            newest = 0
        }
        entries.append(Entry(packet: packet, privateData: privateData ?? carried))
        carried = nil
    }

    mutating func note(pictureAt time: Int64) { times.insert(time) }

    /// What holds from the next packet on, as one that is kept no more said.
    private var carried: [UInt8]?

    private mutating func drop(_ count: Int) {
        let data = entries.prefix(count).last { $0.privateData != nil }?.privateData
        entries.removeFirst(count)
        guard let data else { return }
        if entries.isEmpty { carried = data } else { entries[0].privateData = entries[0].privateData ?? data }
    }
}
