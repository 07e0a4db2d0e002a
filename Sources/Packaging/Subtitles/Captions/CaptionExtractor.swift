// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Finds captions within coded pictures: `cc_data` of ATSC A/53 part 4 §6.2.3, in SEI messages of H.264 and HEVC, in user
/// data of MPEG-2 and in metadata of AV1.
package struct CaptionExtractor: Sendable {
    private enum Coding {
        case units(NALFraming, headerSize: Int, supplemental: @Sendable (UInt8) -> Bool)
        case startCodes
        case objects
    }

    private let coding: Coding

    /// `nil` for a codec that carries no captions.
    package init?(codec: CodecID, extradata: [UInt8]) {
        switch codec {
        case .h264:
            let framing = (try? AVCConfiguration(record: extradata)).map { NALFraming.lengthPrefixed($0.lengthSize) }
            coding = .units(framing ?? .annexB, headerSize: 1) { H264.unitType($0) == H264.supplementalInformation }
        case .hevc:
            let framing = (try? HEVCConfiguration(record: extradata)).map { NALFraming.lengthPrefixed($0.lengthSize) }
            coding = .units(framing ?? .annexB, headerSize: 2) { HEVC.unitType($0) == HEVC.prefixInformation }
        case .av1: coding = .objects
        default:
            guard codec.rawValue == "mpeg2video" else { return nil }
            coding = .startCodes
        }
    }

    /// The triplets of `cc_data` in one picture, those that say nothing as well. None where it is damaged.
    package func triplets(in packet: Span<UInt8>) -> [UInt8] {
        switch coding {
        case .units(let framing, let headerSize, let isSupplemental):
            Self.supplemental(packet, framing, headerSize, isSupplemental)
        case .startCodes: Self.userData(packet)
        case .objects: Self.metadata(packet)
        }
    }

    /// The channels that a picture has captions of, as INSTREAM-ID names them.
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
        guard let units = try? framing.units(in: packet) else { return [] }
        var found: [UInt8] = []
        for unit in units where unit.count > headerSize && isSupplemental(packet[unit.lowerBound]) {
            guard unit.count <= RawPayload.byteLimit else { continue }
            var messages = VideoMessages()
            messages.readSupplemental(bytes(packet, unit), headerSize: headerSize)
            found += messages.captions
        }
        return found
    }

    /// ISO/IEC 13818-2 §6.2.2.2.2: user data from its start code to the next one.
    private static func userData(_ packet: Span<UInt8>) -> [UInt8] {
        guard let units = try? AnnexB.units(in: packet) else { return [] }
        let mark = Array("GA94".utf8) + [3]
        var found: [UInt8] = []
        for unit in units where packet[unit.lowerBound] == 0xB2 && unit.count <= RawPayload.byteLimit {
            let data = bytes(packet, unit)
            guard data.count > mark.count + 1, Array(data[1...mark.count]) == mark else { continue }
            found += CaptionData.triplets(Array(data[(mark.count + 1)...]))
        }
        return found
    }

    private static func metadata(_ packet: Span<UInt8>) -> [UInt8] {
        var messages = VideoMessages()
        messages.readAV1(bytes(packet, 0..<packet.count))
        return messages.captions
    }

    private static func bytes(_ packet: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(packet[index]) }
        return bytes
    }
}

/// `cc_data` of ATSC A/53 part 4 §6.2.3 and CTA-708 §4.4.
enum CaptionData {
    /// Its triplets, as many as it says and has.
    ///
    /// - Parameter data: from the byte with the count on.
    static func triplets(_ data: [UInt8]) -> [UInt8] {
        // process_cc_data_flag
        guard let first = data.first, first & 0x40 != 0 else { return [] }
        let end = min(2 + Int(first & 0x1F) * 3, data.count)
        guard end > 2 else { return [] }
        return Array(data[2..<(end - (end - 2) % 3)])
    }
}
