// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Packets of subtitles that come along while playback reads, handed over a segment at a time where they are known to be all.
///
/// Only of Matroska, whose demuxer gives what it has in the order of the file, so that a place in the file says what has
/// been read. No C, no waiting: the demuxer feeds it.
struct SubtitleHarvest {
    private(set) var streams: Set<Int> = []
    /// Everything from this byte on has been seen. `nil`: nothing yet.
    private var start: Int64?
    /// The last byte at which something was.
    private var latest = Int64.min
    private var packets: [Packet] = []

    /// - Parameter offset: the byte at which reading stands.
    mutating func follow(_ streams: Set<Int>, from offset: Int64) {
        guard streams != self.streams else { return }
        self.streams = streams
        enter(at: offset)
    }

    /// Reading goes on at another place.
    mutating func enter(at offset: Int64) {
        start = streams.isEmpty ? nil : offset
        latest = .min
        packets = []
    }

    /// Notes a packet of any stream. Whether it is one of subtitles.
    mutating func note(_ packet: Packet) -> Bool {
        guard !streams.isEmpty else { return false }
        latest = max(latest, packet.position ?? .min)
        guard streams.contains(packet.streamIndex) else { return false }
        packets.append(packet)
        return true
    }

    /// The packets that belong to a segment. `nil` where some may have been missed, or may still come.
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
