// SPDX-License-Identifier: Apache-2.0

/// The general part of profile_tier_level, ITU-T H.265 §7.3.3.
struct HEVCProfile: Hashable, Sendable {
    var space = 0
    var isHighTier = false
    var profile = 0
    /// Flag j is bit 31 - j.
    var compatibility: UInt32 = 0
    /// The 48 bits after the compatibility flags, source flags first.
    var constraints: [UInt8] = []
    var level = 0

    init() {}

    init(_ reader: inout BitReader, maxSubLayersMinus1: Int) throws(PackagingError) {
        space = try reader.int(2)
        isHighTier = try reader.flag()
        profile = try reader.int(5)
        compatibility = try reader.bits(32)
        for _ in 0..<6 { constraints.append(UInt8(truncatingIfNeeded: try reader.bits(8))) }
        level = try reader.int(8)
        guard maxSubLayersMinus1 > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<maxSubLayersMinus1 { present.append((try reader.flag(), try reader.flag())) }
        try reader.skip(2 * (8 - maxSubLayersMinus1))
        for flags in present { try reader.skip((flags.profile ? 88 : 0) + (flags.level ? 8 : 0)) }
    }
}
