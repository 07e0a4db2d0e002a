// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Caches subtitle packets by unit, so that decoding adjacent units does not read shared packets twice.
struct PacketStore {
    private struct Entry {
        let streams: Set<Int>
        let packets: [Packet]
        let byteCount: Int
        var use: UInt64
    }

    private static let byteLimit = 16 << 20
    /// Enough for the preroll and postroll of a unit if segments are short.
    private static let unitLimit = 256

    private var entries: [Int: Entry] = [:]
    private var byteCount = 0
    private var uses: UInt64 = 0

    /// - Parameter packets: all packets of `streams` in the unit.
    mutating func set(_ packets: [Packet], of unit: Int, streams: Set<Int>) {
        remove(unit)
        uses += 1
        let size = packets.reduce(0) { $0 + $1.byteCount + 64 }
        entries[unit] = Entry(streams: streams, packets: packets, byteCount: size, use: uses)
        byteCount += size
        while entries.count > 1, byteCount > Self.byteLimit || entries.count > Self.unitLimit,
            let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key
        {
            remove(oldest)
        }
    }

    /// The packets of a stream in a unit; `nil` if they are not cached.
    mutating func packets(of unit: Int, stream: Int) -> [Packet]? {
        guard let entry = entries[unit], entry.streams.contains(stream) else { return nil }
        uses += 1
        entries[unit]?.use = uses
        return entry.packets.filter { $0.streamIndex == stream }
    }

    private mutating func remove(_ unit: Int) {
        byteCount -= entries.removeValue(forKey: unit)?.byteCount ?? 0
    }
}
