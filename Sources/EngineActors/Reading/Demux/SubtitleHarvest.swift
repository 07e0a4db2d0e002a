// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Subtitle packets that playback reads along the way, handed over per segment when they are known to be complete.
///
/// For Matroska only: its demuxer returns packets in file order, so that a position in the file shows which packets
/// have been read. Pure: the demuxer feeds it.
struct SubtitleHarvest {
    private(set) var streams: Set<Int> = []
    /// All packets from this byte on have been seen, as far as the source has been read. `nil` if no streams are
    /// followed.
    private var start: Int64?
    /// The highest position of a packet seen so far.
    private var latest = Int64.min
    private var packets: [Packet] = []

    /// - Parameter offset: the current read position in the file.
    mutating func follow(_ streams: Set<Int>, from offset: Int64) {
        guard streams != self.streams else { return }
        self.streams = streams
        enter(at: offset)
    }

    /// Call this when reading continues at another position.
    mutating func enter(at offset: Int64) {
        start = streams.isEmpty ? nil : offset
        latest = .min
        packets = []
    }

    /// Notes a packet of any stream. Returns whether it belongs to a followed subtitle stream.
    mutating func note(_ packet: Packet) -> Bool {
        guard !streams.isEmpty else { return false }
        latest = max(latest, packet.position ?? .min)
        guard streams.contains(packet.streamIndex) else { return false }
        packets.append(packet)
        return true
    }

    /// The subtitle packets of a segment. `nil` when some may have been missed or may still come.
    ///
    /// - Parameter isAtEnd: whether the source has been read to its end.
    mutating func take(_ units: SubtitleUnits, _ index: Int, isAtEnd: Bool) -> [Packet]? {
        guard let start, !units.isByTime else { return nil }
        let end = units.end(of: index) ?? .max
        defer { packets.removeAll { ($0.position ?? .min) < end } }
        guard index == 0 ? start == 0 : start <= units.position(of: index), isAtEnd || latest >= end else { return nil }
        return packets.filter { ($0.position ?? .min) >= units.position(of: index) && ($0.position ?? .max) < end }
    }
}
