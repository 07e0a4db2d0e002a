// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Finds captions in coded pictures: `cc_data` of ATSC A/53 part 4 §6.2.3, in SEI messages of H.264 and HEVC, in MPEG-2
/// user data and in AV1 metadata.
package struct CaptionExtractor: Sendable {
    private enum Coding {
        case units(NALFraming, headerSize: Int, supplemental: @Sendable (UInt8) -> Bool)
        /// Whether the sequence is progressive, so that its frames have no field order.
        case startCodes(isProgressive: Bool)
        case objects
    }

    private let coding: Coding

    /// `nil` for a codec that cannot carry captions.
    package init?(codec: CodecID, extradata: [UInt8]) {
        switch codec {
        case .h264:
            let framing = NALFraming(codec: codec, extradata: extradata)
            coding = .units(framing, headerSize: 1) { H264.unitType($0) == H264.supplementalInformation }
        case .hevc:
            let framing = NALFraming(codec: codec, extradata: extradata)
            coding = .units(framing, headerSize: 2) { HEVC.unitType($0) == HEVC.prefixInformation }
        case .av1: coding = .objects
        default:
            guard codec.rawValue == "mpeg2video" else { return nil }
            coding = .startCodes(isProgressive: Self.isProgressive(extradata.span))
        }
    }

    /// The `cc_data` triplets in one picture, including fill. Empty if the data is damaged.
    package func triplets(in packet: Span<UInt8>) -> [UInt8] {
        switch coding {
        case .units(let framing, let headerSize, let isSupplemental):
            Self.supplemental(packet, framing, headerSize, isSupplemental)
        case .startCodes(let isProgressive): Self.userData(packet, isProgressive: isProgressive)
        case .objects: Self.metadata(packet)
        }
    }

    /// Like `triplets(in:)`, but examines only the data before the first slice, which is where captions belong. A
    /// packet that is not in Annex B format is examined completely.
    package func headTriplets(in packet: Span<UInt8>) -> [UInt8] {
        guard NALFraming.annexB.consumes(packet) else { return triplets(in: packet) }
        let end =
            switch coding {
            case .units(_, headerSize: 1, _):
                AnnexB.headEnd(of: packet) { (H264.slice...H264.idrSlice).contains(H264.unitType($0)) }
            case .units: AnnexB.headEnd(of: packet) { HEVC.pictures.contains(HEVC.unitType($0)) }
            // ISO/IEC 13818-2, table 6-1.
            case .startCodes: AnnexB.headEnd(of: packet) { (0x01...0xAF).contains($0) }
            case .objects: packet.count
            }
        return triplets(in: packet.extracting(0..<end))
    }

    /// The channels for which a picture has captions, in the syntax of INSTREAM-ID.
    package func channels(in packet: Span<UInt8>) -> Set<String> {
        var messages = VideoMessages()
        messages.noteCaptions(triplets(in: packet))
        return messages.hasCaptions ? messages.signalledCaptions : []
    }

    private static func supplemental(
        _ packet: Span<UInt8>,
        _ declared: NALFraming,
        _ headerSize: Int,
        _ isSupplemental: (UInt8) -> Bool
    ) -> [UInt8] {
        let framing = [declared, .annexB, .lengthPrefixed(4)].first { $0.consumes(packet) } ?? declared
        var found: [UInt8] = []
        for unit in framing.unitsToSearch(in: packet) ?? []
        where unit.count > headerSize && isSupplemental(packet[unit.lowerBound]) {
            guard unit.count <= RawPayload.byteLimit else { continue }
            var messages = VideoMessages()
            messages.readSupplemental(bytes(packet, unit), headerSize: headerSize)
            found += messages.captions
        }
        return found
    }

    /// ISO/IEC 13818-2 §6.2.2.2.2: user data from its start code to the next. If a picture carries captions in several
    /// formats, the first in the order of `CaptionUserData.Kind` is used.
    private static func userData(_ packet: Span<UInt8>, isProgressive: Bool) -> [UInt8] {
        var found: [CaptionUserData.Kind: [UInt8]] = [:]
        var isTopFirst = true
        for unit in NALFraming.annexB.unitsToSearch(in: packet) ?? [] where unit.count <= RawPayload.byteLimit {
            switch packet[unit.lowerBound] {
            // The picture coding extension, for top_field_first.
            case 0xB5 where unit.count > 4 && packet[unit.lowerBound + 1] >> 4 == 8:
                isTopFirst = isProgressive || packet[unit.lowerBound + 4] & 0x80 != 0
            case 0xB2:
                let data = bytes(packet, (unit.lowerBound + 1)..<unit.upperBound)
                guard let kind = CaptionUserData.Kind(data) else { continue }
                found[kind, default: []] += kind.triplets(data, isTopFirst: isTopFirst)
            default: continue
            }
        }
        return CaptionUserData.Kind.allCases.lazy.compactMap { found[$0] }.first { !$0.isEmpty } ?? []
    }

    /// progressive_sequence of the sequence extension, ISO/IEC 13818-2 §6.2.2.3.
    private static func isProgressive(_ extradata: Span<UInt8>) -> Bool {
        (NALFraming.annexB.unitsToSearch(in: extradata) ?? []).contains { unit in
            unit.count > 2 && extradata[unit.lowerBound] == 0xB5 && extradata[unit.lowerBound + 1] >> 4 == 1
                && extradata[unit.lowerBound + 2] & 0x08 != 0
        }
    }

    private static func metadata(_ packet: Span<UInt8>) -> [UInt8] {
        var messages = VideoMessages()
        messages.readAV1(packet)
        return messages.captions
    }

    private static func bytes(_ packet: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(packet[index]) }
        return bytes
    }
}
