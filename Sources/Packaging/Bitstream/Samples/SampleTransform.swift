// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The conversion of a container's packet to an fMP4 sample.
///
/// Except for Dolby Vision, only the framing changes. In-band parameter sets, access unit delimiters and SEI messages
/// stay in place, so that a stream whose parameter sets change midway still decodes.
package enum SampleTransform: Hashable, Sendable {
    case unchanged
    /// H.264 and HEVC: reframed with four-byte lengths.
    case nalUnits(NALFraming)
    /// HEVC with a Dolby Vision enhancement layer, which is removed.
    case dolbyVision(DolbyVisionPacking)
    /// AV1: temporal delimiters are removed (AV1-ISOBMFF §2.4).
    case openBitstreamUnits
    /// AAC: the ADTS header is removed.
    case adts
}

/// A packet converted to a sample of a segment.
package struct PackedSample: Sendable {
    package let payload: any ByteRegion
    /// Whether the sample is a Dolby Vision picture without an RPU, because the RPU is damaged or missing.
    package let lacksMetadata: Bool
}

extension SampleTransform {
    /// The framing of the packets' NAL units, if they have any.
    var framing: NALFraming? {
        switch self {
        case .nalUnits(let framing): framing
        case .dolbyVision(let packing): packing.framing
        case .unchanged, .openBitstreamUnits, .adts: nil
        }
    }

    /// Whether a packet is not a sample by itself, but the rest of the previous one.
    package func isRest(_ packet: any ByteRegion) -> Bool {
        guard case .dolbyVision(let packing) = self else { return false }
        return packet.withBytes { packing.isRest($0) }
    }

    /// Whether the NAL units of a packet end with the packet. In Annex B, which has no length fields: whether it begins
    /// with a start code. True for packets without NAL units.
    package func isWhole(_ packet: any ByteRegion) -> Bool {
        guard let framing else { return true }
        return packet.withBytes { framing.consumes($0) }
    }

    /// The sample in `packet`. Returns the same object, without copying, if nothing changes.
    ///
    /// Thread-safety: pure. Takes time linear in the packet's length.
    package func apply(_ packet: any ByteRegion) throws(PackagingError) -> any ByteRegion {
        try sample(of: packet, in: PacketSurroundings()).payload
    }

    /// Like `apply(_:)`, for a video whose RPUs may be in neighbouring packets.
    package func sample(
        of packet: any ByteRegion,
        in surroundings: PacketSurroundings
    ) throws(PackagingError) -> PackedSample {
        var lacksMetadata = false
        let replaced = try packet.withBytes { (bytes: Span<UInt8>) throws(PackagingError) -> [UInt8]? in
            switch self {
            case .unchanged, .nalUnits(.lengthPrefixed(4)): return nil
            case .nalUnits(let framing): return try Self.fourByteLengths(bytes, units: framing.units(in: bytes))
            case .dolbyVision(let packing):
                let sample = try packing.sample(of: bytes, in: surroundings)
                lacksMetadata = sample.lacksMetadata
                return sample.bytes
            case .openBitstreamUnits: return try AV1Units.withoutTemporalDelimiters(bytes)
            case .adts: return try ADTSHeader.payload(of: bytes)
            }
        }
        return PackedSample(payload: replaced.map { ArrayRegion($0) } ?? packet, lacksMetadata: lacksMetadata)
    }

    private static func fourByteLengths(
        _ bytes: Span<UInt8>,
        units: [Range<Int>]
    ) throws(PackagingError) -> [UInt8] {
        let size = units.reduce(0) { $0 + 4 + $1.count }
        return [UInt8](capacity: size) { output in
            for unit in units {
                output.appendLength(unit.count)
                output.append(bytes, unit)
            }
        }
    }
}
