// SPDX-License-Identifier: Apache-2.0

/// Skips the parts of an HEVC sequence parameter set that are not needed.
enum HEVCCodingTools {
    /// scaling_list_data, ITU-T H.265 §7.3.4.
    static func skipScalingLists(_ reader: inout BitReader) throws(PackagingError) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard try reader.flag() else {
                    _ = try reader.unsignedExpGolomb()
                    continue
                }
                if size > 1 { _ = try reader.signedExpGolomb() }
                for _ in 0..<min(64, 1 << (4 + size << 1)) { _ = try reader.signedExpGolomb() }
            }
        }
    }

    /// Skips all st_ref_pic_set structures, §7.3.7.
    static func skipShortTermReferenceSets(_ reader: inout BitReader) throws(PackagingError) {
        let setCount = try reader.unsignedExpGolomb(atMost: 64, "num_short_term_ref_pic_sets")
        /// NumDeltaPocs of the previous set.
        var pictures = 0
        for index in 0..<setCount {
            if index > 0, try reader.flag() {
                try reader.skip(1)
                _ = try reader.unsignedExpGolomb()
                var kept = 0
                for _ in 0...pictures {
                    let isUsed = try reader.flag()
                    let isInSet = isUsed ? true : try reader.flag()
                    if isInSet { kept += 1 }
                }
                pictures = kept
            } else {
                let negative = try reader.unsignedExpGolomb(atMost: 16, "num_negative_pics")
                let positive = try reader.unsignedExpGolomb(atMost: 16, "num_positive_pics")
                for _ in 0..<(negative + positive) {
                    _ = try reader.unsignedExpGolomb()
                    try reader.skip(1)
                }
                pictures = negative + positive
            }
        }
    }
}
