// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Metadata in the video bitstream outside the parameter sets: SEI messages of H.264 and HEVC (ITU-T H.274), metadata
/// OBUs of AV1, and Dolby Vision RPUs.
struct VideoMessages: Hashable, Sendable {
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLight?
    /// preferred_transfer_characteristics, H.274 §8.20.
    var preferredTransfer: Int?
    /// SMPTE ST 2094-40.
    var hasDynamicMetadata = false
    var hasCaptions = false
    var captionChannels: Set<String> = []
    /// Triplets of `cc_data`, in the order in which they were read. `merge` ignores them, because they belong to a
    /// single picture.
    var captions: [UInt8] = []
    /// The caption channels to announce. If none has sent data yet, the first channel.
    var signalledCaptions: Set<String> { captionChannels.isEmpty ? ["CC1"] : captionChannels }
    /// Whether there are Dolby Vision RPUs.
    var hasDolbyVision = false
    /// The Dolby Vision profile: 7 if there are NAL units of an enhancement layer; otherwise 5 or 8 according to the
    /// RPUs, where 8 also stands for an RPU of profile 7.
    var dolbyVisionProfile: Int?
    /// Messages that extend beyond the end of their NAL unit, or are too short for their content.
    var damagedMessages = 0
    /// HEVC RPUs that have a wrong checksum, are truncated, or have invalid fields.
    var damagedMetadata = 0
    /// The number of pictures examined.
    var pictures = 0

    /// Fills in the fields that are missing here from `other`, and adds its counts.
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
    ///   - extradata: from the container; an `hvcC` may contain SEI messages.
    ///   - packets: complete, starting at a random access point.
    init(codec: CodecID, extradata: [UInt8], packets: [[UInt8]], transform: SampleTransform) {
        switch codec {
        case .hevc:
            for unit in HEVCConfiguration.declared(by: extradata).information { readSupplemental(unit, headerSize: 2) }
        case .av1: readAV1(AV1Configuration.units(in: extradata).span)
        default: break
        }
        for packet in packets { read(packet.span, codec, transform) }
    }

    /// Reads a complete packet.
    mutating func read(_ packet: Span<UInt8>, _ codec: CodecID, _ transform: SampleTransform) {
        switch codec {
        case .hevc, .h264:
            guard let units = transform.framing?.unitsToSearch(in: packet) else { return }
            for unit in units where unit.count > 2 {
                let bytes = packet.extracting(unit)
                if codec == .hevc { readHEVC(bytes) } else { readH264(bytes) }
            }
        case .av1: readAV1(packet)
        default: return
        }
        pictures += 1
    }

    private mutating func readHEVC(_ unit: Span<UInt8>) {
        switch HEVC.unitType(unit[0]) {
        case HEVC.prefixInformation: readSupplemental([UInt8](copying: unit), headerSize: 2)
        case HEVC.referenceProcessingUnit:
            hasDolbyVision = true
            readMetadata([UInt8](copying: unit))
        case HEVC.enhancementLayer: dolbyVisionProfile = 7
        default: break
        }
    }

    /// Reads the profile from an RPU, and counts the RPU if it is damaged. An unsupported RPU does not count as
    /// damaged.
    private mutating func readMetadata(_ unit: [UInt8]) {
        do throws(PackagingError) {
            switch try RPU(unit: unit).profile {
            case .five: dolbyVisionProfile = dolbyVisionProfile ?? 5
            case .seven, .eight: dolbyVisionProfile = dolbyVisionProfile ?? 8
            case .four, nil: break
            }
        } catch {
            if error.code != .unsupportedFeature { damagedMetadata += 1 }
        }
    }

    private mutating func readH264(_ unit: Span<UInt8>) {
        switch H264.unitType(unit[0]) {
        case H264.supplementalInformation: readSupplemental([UInt8](copying: unit), headerSize: 1)
        case H264.referenceProcessingUnit: hasDolbyVision = true
        default: break
        }
    }
}
