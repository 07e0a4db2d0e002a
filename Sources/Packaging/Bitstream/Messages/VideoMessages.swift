// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// What pictures say of themselves beside their parameter sets: SEI messages of H.264 and HEVC (ITU-T H.274), metadata
/// units of AV1, and units of Dolby Vision.
struct VideoMessages: Hashable, Sendable {
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLight?
    /// preferred_transfer_characteristics, H.274 §8.20.
    var preferredTransfer: Int?
    /// SMPTE ST 2094-40.
    var hasDynamicMetadata = false
    var hasCaptions = false
    var captionChannels: Set<String> = []
    /// Units of Dolby Vision metadata.
    var hasDolbyVision = false
    /// As that metadata says it: 5 or 8; 7 where an enhancement layer lies beside the base layer.
    var dolbyVisionProfile: Int?
    /// Messages that run past the end of their unit, or are shorter than what they must hold.
    var damagedMessages = 0
    /// HEVC's units of Dolby Vision metadata with a wrong checksum, cut short, or with fields that cannot be.
    var damagedMetadata = 0
    /// Pictures that were looked at.
    var pictures = 0

    /// Adds what `other` has and this lacks.
    mutating func merge(_ other: VideoMessages) {
        masteringDisplay = masteringDisplay ?? other.masteringDisplay
        contentLight = contentLight ?? other.contentLight
        preferredTransfer = preferredTransfer ?? other.preferredTransfer
        hasDynamicMetadata = hasDynamicMetadata || other.hasDynamicMetadata
        hasCaptions = hasCaptions || other.hasCaptions
        captionChannels.formUnion(other.captionChannels)
        hasDolbyVision = hasDolbyVision || other.hasDolbyVision
        dolbyVisionProfile =
            [dolbyVisionProfile, other.dolbyVisionProfile].contains(7)
            ? 7 : dolbyVisionProfile ?? other.dolbyVisionProfile
        damagedMessages += other.damagedMessages
        damagedMetadata += other.damagedMetadata
        pictures += other.pictures
    }

    init() {}

    /// - Parameters:
    ///   - extradata: the container's; an `hvcC` may hold SEI messages.
    ///   - packets: complete, from a random access point on.
    init(codec: CodecID, extradata: [UInt8], packets: [[UInt8]], transform: SampleTransform) {
        switch codec {
        case .hevc:
            if let record = try? HEVCConfiguration(record: extradata) {
                for unit in record.information { readSupplemental(unit, headerSize: 2) }
            }
            read(packets, transform) { messages, unit in messages.readHEVC(unit) }
        case .h264:
            read(packets, transform) { messages, unit in messages.readH264(unit) }
        case .av1:
            readAV1(AV1Configuration.units(in: extradata))
            for packet in packets {
                readAV1(packet)
                pictures += 1
            }
        default: break
        }
    }

    private mutating func read(
        _ packets: [[UInt8]],
        _ transform: SampleTransform,
        _ body: (inout VideoMessages, ArraySlice<UInt8>) -> Void
    ) {
        guard let framing = transform.framing else { return }
        for packet in packets {
            guard let units = try? framing.units(in: packet.span) else { continue }
            for unit in units where unit.count > 2 { body(&self, packet[unit]) }
            pictures += 1
        }
    }

    private mutating func readHEVC(_ unit: ArraySlice<UInt8>) {
        switch HEVC.unitType(unit[unit.startIndex]) {
        case HEVC.prefixInformation: readSupplemental(Array(unit), headerSize: 2)
        case HEVC.referenceProcessingUnit:
            hasDolbyVision = true
            dolbyVisionProfile = dolbyVisionProfile ?? ReferenceProcessingUnit.profile(Array(unit))
            if isDamaged(Array(unit)) { damagedMetadata += 1 }
        case HEVC.enhancementLayer: dolbyVisionProfile = 7
        default: break
        }
    }

    /// What is only unknown here is not damaged.
    private func isDamaged(_ metadata: [UInt8]) -> Bool {
        do throws(PackagingError) {
            _ = try RPU(unit: metadata)
            return false
        } catch {
            return error.code != .unsupportedFeature
        }
    }

    private mutating func readH264(_ unit: ArraySlice<UInt8>) {
        switch H264.unitType(unit[unit.startIndex]) {
        case H264.supplementalInformation: readSupplemental(Array(unit), headerSize: 1)
        case H264.referenceProcessingUnit: hasDolbyVision = true
        default: break
        }
    }
}

/// The few fields of a Dolby Vision reference processing unit that name its profile (ETSI GS CCM 001 §5).
enum ReferenceProcessingUnit {
    private static let prefix: UInt8 = 0x19

    /// - Parameter unit: the NAL unit, its two header bytes first.
    static func profile(_ unit: [UInt8]) -> Int? {
        guard let payload = try? RawPayload.unescaped(Array(unit.prefix(32))), payload.count > 6, payload[2] == prefix
        else { return nil }
        // rpu_type (6 bits), rpu_format (11), vdr_rpu_profile (4).
        var reader = BitReader(Array(payload[3...]), subject: "RPU")
        guard (try? reader.skip(17)) != nil, let profile = try? reader.int(4) else { return nil }
        return profile == 0 ? 5 : profile == 1 ? 8 : nil
    }
}
