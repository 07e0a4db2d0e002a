// SPDX-License-Identifier: Apache-2.0

extension H264ParameterSet {
    /// The maximum number of frames that can precede a frame in decoding order and follow it in presentation order.
    ///
    /// 0 if the profile or the type of the picture order count rules out reordering; otherwise the declared value,
    /// `max_num_reorder_frames`. If none is declared, the smaller of the capacity of the decoded picture buffer
    /// (§A.3.1, Table A-1) and the number of reference frames, but at least 1.
    var reorderDepth: Int {
        let isIntraOnly = constraints & 0x10 != 0 && Self.intraCapableProfiles.contains(profile)
        if isIntraOnly || profile == 44 || profile == 66 || pictureOrderCountType == 2 { return 0 }
        if let reorderFrames { return reorderFrames }
        return min(decodedPictureBufferFrames, max(1, referenceFrames))
    }

    /// Profiles in which `constraint_set3_flag` means that every picture is intra coded.
    private static let intraCapableProfiles: Set<Int> = [86, 100, 110, 122, 244]

    /// MaxDpbFrames.
    private var decodedPictureBufferFrames: Int {
        let isLevel1b = level == 11 && constraints & 0x10 != 0 && [66, 77, 88].contains(profile)
        let macroblocks: Int =
            switch level {
            case 9, 10: 396
            case 11: isLevel1b ? 396 : 900
            case 12, 13, 20: 2376
            case 21: 4752
            case 22, 30: 8100
            case 31: 18000
            case 32: 20480
            case 40, 41: 32768
            case 42: 34816
            case 50: 110_400
            case 51, 52: 184_320
            default: 696_320
            }
        return min(16, max(1, macroblocks / max(1, widthInMacroblocks * heightInMacroblocks)))
    }
}
