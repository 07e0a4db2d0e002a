// SPDX-License-Identifier: Apache-2.0

/// Finds the streams of a transport stream that are scrambled from its start (transport_scrambling_control, ISO/IEC
/// 13818-1 §2.4.3.3): conditional access, for which the engine has no keys. Pure: the caller passes in the start of the
/// transport stream, until `isDecided`.
///
/// A stream is in the clear if one of its units begins with the start code of a PES packet, whatever its packets claim:
/// some descramblers leave the bits set.
package struct ScrambledStreams: Sendable {
    /// How much is examined.
    package struct Limits: Sendable {
        /// In bytes, while no packet is scrambled: for streams that have no packets.
        var clear: Int64 = 256 << 10
        /// In bytes, while all packets of a stream are scrambled. A recording may begin before its descrambler had the
        /// key.
        var scrambled: Int64
        /// In 90 kHz ticks, by the program's clock. `nil`: no limit. A receiver may need some seconds for its first key.
        var ticks: Int64?

        package static let stored = Self(scrambled: 16 << 20)
        /// With the limit in bytes, a stream without a clock is decided.
        package static let live = Self(scrambled: 4 << 20, ticks: 5 * 90_000)
    }

    private let limits: Limits
    /// The streams of which no unit has been seen yet.
    private var unknown: Set<Int>
    private var spacing: TransportPacket.Spacing?
    /// The bytes after the last examined packet.
    private var pending: [UInt8] = []
    private var byteCount: Int64 = 0
    /// The program clock reference of each stream that has one: the first one, and the largest distance from it.
    private var clocks: [Int: (first: Int64, length: Int64)] = [:]
    /// Streams with scrambled packets, and none in the clear.
    package private(set) var found: Set<Int> = []

    /// - Parameter streams: the PIDs of all video and audio streams.
    package init(_ streams: Set<Int>, within limits: Limits) {
        unknown = streams
        self.limits = limits
    }

    /// Whether more bytes would change nothing.
    package var isDecided: Bool {
        if unknown.isEmpty { return true }
        let isLong = limits.ticks.map { limit in clocks.values.contains { $0.length >= limit } } ?? false
        return isLong || byteCount >= (found.isEmpty ? limits.clear : limits.scrambled)
    }

    /// Accepts the next bytes. Damaged packets are skipped.
    package mutating func add(_ bytes: [UInt8]) {
        byteCount += Int64(bytes.count)
        pending += bytes
        if spacing == nil {
            spacing = TransportPacket.Spacing(of: pending)
            pending.removeFirst(spacing?.first ?? 0)
        }
        guard let spacing else { return }
        var place = 0
        while pending.count - place >= max(spacing.size, TransportPacket.byteCount) {
            if let packet = TransportPacket(pending, at: place), !packet.isDamaged { note(packet) }
            place += spacing.size
        }
        pending.removeFirst(place)
    }

    private mutating func note(_ packet: TransportPacket) {
        if let time = packet.clock {
            let first = clocks[packet.stream]?.first ?? time
            let length = TransportPacket.distance(from: first, to: time).magnitude
            clocks[packet.stream] = (first, max(clocks[packet.stream]?.length ?? 0, Int64(length)))
        }
        guard unknown.contains(packet.stream) else { return }
        if case .unit = packet.payload {
            unknown.remove(packet.stream)
            found.remove(packet.stream)
        } else if packet.isScrambled, packet.payload != .none {
            found.insert(packet.stream)
        }
    }
}
