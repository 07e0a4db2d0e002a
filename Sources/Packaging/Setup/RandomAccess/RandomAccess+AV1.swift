// SPDX-License-Identifier: Apache-2.0

extension RandomAccess {
    /// Whether a temporal unit has a sequence header, and its first frame is a shown keyframe (AV1-ISOBMFF §2.4: sync
    /// sample).
    static func av1(_ prefix: Span<UInt8>) -> Bool? {
        var index = 0
        var hasSequenceHeader = false
        var isReducedStillPicture = false
        while let unit = AV1Units.leadingUnit(in: prefix, at: index) {
            switch unit.type {
            case AV1Units.sequenceHeader:
                guard !unit.payload.isEmpty else { return nil }
                hasSequenceHeader = true
                isReducedStillPicture = prefix[unit.payload.lowerBound] & 0x08 != 0
            case AV1Units.frame, AV1Units.frameHeader:
                guard !unit.payload.isEmpty else { return nil }
                // show_existing_frame, frame_type (2 bits, 0 is KEY_FRAME), show_frame: §5.9.2.
                let head = prefix[unit.payload.lowerBound]
                return hasSequenceHeader && (isReducedStillPicture || head & 0xF0 == 0x10)
            default:
                break
            }
            index = unit.whole.upperBound
        }
        return nil
    }
}
