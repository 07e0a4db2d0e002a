// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// How a container's packet becomes an fMP4 sample.
///
/// Only framing changes. What a packet says is kept: in-band parameter sets, access unit delimiters and SEI messages
/// stay where they are, so that a stream whose parameter sets change midway still decodes.
package enum SampleTransform: Hashable, Sendable {
    case unchanged
    /// H.264 and HEVC: to four-byte lengths.
    case nalUnits(NALFraming)
    /// AV1: temporal delimiters are dropped (AV1-ISOBMFF §2.4).
    case openBitstreamUnits
    /// AAC: the ADTS header is dropped.
    case adts
}

extension SampleTransform {
    /// The sample in `packet`. The same object when nothing changes; nothing is copied then.
    ///
    /// Thread-safety: pure. Time is linear in the packet's length.
    package func apply(_ packet: any ByteRegion) throws(PackagingError) -> any ByteRegion {
        let replaced = try packet.withBytes { (bytes: Span<UInt8>) throws(PackagingError) -> [UInt8]? in
            switch self {
            case .unchanged, .nalUnits(.lengthPrefixed(4)): nil
            case .nalUnits(let framing): try Self.fourByteLengths(bytes, units: framing.units(in: bytes))
            case .openBitstreamUnits: try AV1Units.withoutTemporalDelimiters(bytes)
            case .adts: try ADTSHeader.payload(of: bytes)
            }
        }
        return replaced.map { ArrayRegion($0) } ?? packet
    }

    private static func fourByteLengths(
        _ bytes: Span<UInt8>,
        units: [Range<Int>]
    ) throws(PackagingError) -> [UInt8] {
        let size = units.reduce(0) { $0 + 4 + $1.count }
        return [UInt8](capacity: size) { output in
            for unit in units {
                let length = UInt32(truncatingIfNeeded: unit.count)
                for shift in [UInt32(24), 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: length >> shift)) }
                output.append(bytes, unit)
            }
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the bytes of `source` that lie in `range`.
    mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) {
        let part = source.extracting(range)
        for index in part.indices { append(part[index]) }
    }
}
