// SPDX-License-Identifier: Apache-2.0

/// The way in which NAL units are delimited in a packet.
package enum NALFraming: Hashable, Sendable {
    /// ITU-T H.264 and H.265 Annex B: start codes.
    case annexB
    /// ISO/IEC 14496-15: each unit follows its length, in this many bytes (1 to 4).
    case lengthPrefixed(Int)
}

extension NALFraming {
    /// At most this many packets are used to detect the framing.
    private static let sampledPackets = 16

    /// Detects the framing of complete packets.
    ///
    /// The test follows the length fields, which must end exactly at the end of a packet. The first bytes alone are
    /// not enough, because a length between 256 and 511 looks like a start code. If no framing fits all packets, the
    /// result is the one that fits the most.
    ///
    /// - Parameter declared: the framing from the decoder configuration. It is tried first, and used if all packets are
    ///   empty.
    /// - Throws: `malformed` if no framing fits any packet.
    static func detect(_ packets: [[UInt8]], declared: NALFraming) throws(PackagingError) -> NALFraming {
        let sampled = packets.lazy.filter { !$0.isEmpty }.prefix(sampledPackets).map { $0 }
        guard !sampled.isEmpty else { return declared }
        let candidates = [declared, .lengthPrefixed(4), .annexB, .lengthPrefixed(2), .lengthPrefixed(1)]
        var best: (framing: NALFraming, hits: Int) = (declared, 0)
        for candidate in candidates {
            let hits = sampled.count { candidate.consumes($0.span) }
            if hits == sampled.count { return candidate }
            if hits > best.hits { best = (candidate, hits) }
        }
        guard best.hits > 0 else {
            throw PackagingError(
                .malformed,
                "none of \(sampled.count) packets consists of NAL units in a known framing"
            )
        }
        return best.framing
    }

    /// Whether `packet` has this framing. For Annex B, only its beginning is checked: a start code. Length fields are
    /// followed to the end of the packet.
    func consumes(_ packet: Span<UInt8>) -> Bool {
        switch self {
        case .annexB:
            var index = 0
            while index < packet.count, packet[index] == 0 { index += 1 }
            return index >= 2 && index < packet.count && packet[index] == 1
        case .lengthPrefixed(let lengthSize):
            var index = 0
            var units = 0
            while index < packet.count {
                guard let length = LengthPrefixed.length(in: packet, at: index, size: lengthSize) else { return false }
                guard length <= packet.count - index - lengthSize else { return false }
                index += lengthSize + length
                units += length > 0 ? 1 : 0
            }
            return units > 0
        }
    }

    /// The ranges of the NAL units in `packet`, without framing. Empty units are omitted.
    func units(in packet: Span<UInt8>) throws(PackagingError) -> [Range<Int>] {
        switch self {
        case .annexB: try AnnexB.units(in: packet)
        case .lengthPrefixed(let size): try LengthPrefixed.units(in: packet, lengthSize: size)
        }
    }

    /// The NAL units of a packet that the caller only searches for metadata, captions or parameter sets. `nil` if the
    /// packet is malformed.
    ///
    /// The error is reported when the packet becomes a sample and `units(in:)` throws.
    func unitsToSearch(in packet: Span<UInt8>) -> [Range<Int>]? {
        do throws(PackagingError) { return try units(in: packet) } catch { return nil }
    }

    /// A packet with more NAL units than this is considered garbage.
    static let unitLimit = 1 << 16
}
