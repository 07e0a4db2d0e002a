// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The state that the processor needs to take over from a failing device. Pure.
///
/// Holds the times of the frames that the device has already output, and the packets since the second-to-last random
/// access point, because the device may still hold frames from before the last one.
package struct DecodingReplay {
    package struct Entry {
        let packet: Packet
        /// Codec private data that applies from this packet on.
        var privateData: [UInt8]?
    }

    /// Maximum number of entries.
    private static let limit = 2000

    private(set) var entries: [Entry] = []
    /// Index of the latest random access point in `entries`.
    private var newest = 0
    private var times: Set<Int64> = []
    private var earlierTimes: Set<Int64> = []

    /// Times of frames that the device has already output, so that they must not be output again.
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

    mutating func note(frameAt time: Int64) { times.insert(time) }

    /// Codec private data of a dropped packet. It applies from the next packet on.
    private var carried: [UInt8]?

    private mutating func drop(_ count: Int) {
        let data = entries.prefix(count).last { $0.privateData != nil }?.privateData
        entries.removeFirst(count)
        guard let data else { return }
        if entries.isEmpty { carried = data } else { entries[0].privateData = entries[0].privateData ?? data }
    }
}
