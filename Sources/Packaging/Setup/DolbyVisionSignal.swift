// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Determines a video's Dolby Vision configuration from the container's record and the bitstream's metadata. Records
/// are often wrong; impossible values are corrected or dropped, with a notice.
struct DolbyVisionSignal: Hashable, Sendable {
    /// `nil` if the video is not Dolby Vision.
    var record: DolbyVisionConfiguration?
    var notices: [Notice] = []

    /// - Parameters:
    ///   - video: complete, except that its Dolby Vision record is the container's.
    ///   - messages: from the first pictures.
    init(codec: CodecID, video: VideoProperties, messages: VideoMessages) {
        guard let declared = video.dolbyVision else {
            record = Self.undeclared(codec, video, messages)
            return
        }
        guard Self.profiles(of: codec).contains(declared.profile) else {
            contradict(
                "Dolby Vision profile \(declared.profile) is declared, but it cannot use \(codec.rawValue)"
            )
            return
        }
        var found = declared
        if declared.profile != 7, messages.pictures > 0, !messages.hasDolbyVision {
            contradict("Dolby Vision \(declared.name) is declared, but the pictures carry no RPU")
            return
        }
        if codec == .hevc, let profile = messages.dolbyVisionProfile, profile != declared.profile,
            [5, 7, 8].contains(declared.profile), !(declared.profile == 7 && profile == 8)
        {
            contradict("Dolby Vision \(declared.name) is declared, but the RPUs are of profile \(profile)")
            found = DolbyVisionConfiguration(profile: profile, level: declared.level, compatibility: 0)
        }
        complete(found, video)
    }

    private static func profiles(of codec: CodecID) -> Set<Int> {
        switch codec {
        case .hevc: [4, 5, 7, 8]
        case .h264: [9]
        case .av1: [10]
        default: []
        }
    }

    /// From the metadata alone. In AV1 it states no profile, so the transfer function must identify the base layer.
    private static func undeclared(
        _ codec: CodecID,
        _ video: VideoProperties,
        _ messages: VideoMessages
    ) -> DolbyVisionConfiguration? {
        guard messages.hasDolbyVision else { return nil }
        let profile: Int? =
            switch codec {
            case .hevc: messages.dolbyVisionProfile
            case .h264: 9
            case .av1: [16, 18].contains(video.color.transfer) ? 10 : nil
            default: nil
            }
        guard let profile else { return nil }
        var signal = DolbyVisionSignal()
        signal.complete(DolbyVisionConfiguration(profile: profile, level: 0, compatibility: 0), video)
        return signal.record
    }

    private init() {}

    private mutating func contradict(_ text: String) {
        notices.append(Notice(.warning, "video.dolby_vision_contradiction", text))
    }

    /// Corrects level, layers and compatibility.
    private mutating func complete(_ declared: DolbyVisionConfiguration, _ video: VideoProperties) {
        var record = declared
        if !(1...13).contains(record.level) {
            record.level = DolbyVisionLevel.smallest(
                width: video.width,
                height: video.height,
                frameRate: video.frameRate.map(FrameRate.snapped)
            )
        }
        record.versionMajor = max(1, record.versionMajor)
        record.hasRPU = true
        record.hasBaseLayer = true
        record.hasEnhancementLayer = record.profile == 7 || record.profile == 4
        record.compatibility = Self.compatibility(record, video.color)
        let isContradiction =
            video.dolbyVision?.profile == record.profile && declared.compatibility != record.compatibility
        if isContradiction, [8, 10].contains(record.profile) {
            let text =
                "Dolby Vision \(declared.name) is declared, but the base layer matches "
                + "\(record.profile).\(record.compatibility)"
            contradict(text)
        }
        self.record = record
    }

    /// dv_bl_signal_compatibility_id by profile. For profiles with several kinds, the base layer decides: its own
    /// transfer function takes precedence if it is specified.
    private static func compatibility(_ record: DolbyVisionConfiguration, _ color: ColorDescription) -> Int {
        switch record.profile {
        case 5: return 0
        case 7: return 6
        case 4, 9: return 2
        case 10 where record.compatibility == 0: return 0
        default: break
        }
        switch color.transfer {
        case 16: return 1
        case 18: return 4
        case 2: return [1, 2, 4].contains(record.compatibility) ? record.compatibility : 1
        // Profile 8.4 may signal BT.2020's own curve for players that do not support HLG.
        case 14, 15: return record.compatibility == 4 ? 4 : 2
        default: return 2
        }
    }

    /// The default colour of a video with this record, if nothing specifies it.
    static func color(of record: DolbyVisionConfiguration) -> ColorDescription {
        switch record.compatibility {
        case 2: ColorDescription(primaries: 1, transfer: 1, matrix: 1)
        case 4: ColorDescription(primaries: 9, transfer: 18, matrix: 9)
        default: ColorDescription(primaries: 9, transfer: 16, matrix: 9)
        }
    }
}
