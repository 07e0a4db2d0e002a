// SPDX-License-Identifier: Apache-2.0

extension RandomAccess {
    /// Whether the first slice belongs to an IRAP picture, ITU-T H.265 §7.4.2.2.
    static func hevc(_ transform: SampleTransform, _ prefix: Span<UInt8>) -> Bool? {
        for range in leadingUnits(transform, prefix) {
            let type = HEVC.unitType(prefix[range.lowerBound])
            if HEVC.pictures.contains(type) { return HEVC.randomAccessPictures.contains(type) }
        }
        return nil
    }
}
