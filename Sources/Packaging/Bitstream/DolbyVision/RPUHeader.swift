// SPDX-License-Identifier: Apache-2.0

/// `rpu_data_header` up to the mapping, ETSI GS CCM 001 §5.
package struct RPUHeader: Hashable, Sendable {
    /// The coding of coefficients.
    package enum CoefficientType: Hashable, Sendable {
        /// An integer part and this many fraction bits.
        case fixedPoint(fractionBits: Int)
        /// IEEE 754, 32 bits.
        case float
    }

    package var format: Int
    package var rpuProfile: Int
    package var rpuLevel: Int
    package var hasExplicitChromaFilter: Bool
    package var coefficientType: CoefficientType
    package var normalizedIDC: Int
    package var isFullRange: Bool
    /// Bits per sample of the base layer.
    package var baseBitDepth: Int
    /// `el_bit_depth_minus8` as coded: the bits above its low eight carry an extension of the mapping.
    package var enhancementBitDepthCode: Int
    /// Bits per sample of the reconstructed picture.
    package var outputBitDepth: Int
    package var hasSpatialResampling: Bool
    /// 1 means that the colour metadata is compressed; other values are reserved.
    package var colorCompression: Int
    package var hasEnhancementResampling: Bool
    package var isResidualDisabled: Bool
    package var hasColorMetadata: Bool
    /// The id of the earlier RPU whose mapping also applies here. `nil`: this RPU has its own.
    package var previousID: Int?

    var enhancementBitDepth: Int { 8 + (enhancementBitDepthCode & 0xFF) }

    /// Whether the mapping carries parameters of the enhancement layer's residual.
    package var hasResidual: Bool { !isResidualDisabled }

    private static let type: UInt32 = 2

    init(_ reader: inout BitReader) throws(PackagingError) {
        guard try reader.bits(6) == Self.type else { throw PackagingError(.unsupportedFeature, "RPU: type is not 2") }
        format = try reader.int(11)
        rpuProfile = try reader.int(4)
        rpuLevel = try reader.int(4)
        guard try reader.flag(), format & 0x700 == 0 else {
            throw PackagingError(.unsupportedFeature, "RPU: the coefficient coding is not present")
        }
        hasExplicitChromaFilter = try reader.flag()
        switch try reader.bits(2) {
        case 0:
            let bits = try reader.unsignedExpGolomb(atMost: 32, "coefficient_log2_denom")
            coefficientType = .fixedPoint(fractionBits: bits)
        case 1: coefficientType = .float
        default: throw PackagingError(.unsupportedFeature, "RPU: the coefficient type is unknown")
        }
        normalizedIDC = try reader.int(2)
        isFullRange = try reader.flag()
        baseBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 8, "bl_bit_depth_minus8"))
        enhancementBitDepthCode = try reader.unsignedExpGolomb(atMost: 0xFFFF, "el_bit_depth_minus8")
        guard enhancementBitDepthCode & 0xFF <= 8 else {
            throw PackagingError(.malformed, "RPU: the enhancement layer has more than 16 bits")
        }
        outputBitDepth = 8 + (try reader.unsignedExpGolomb(atMost: 8, "vdr_bit_depth_minus8"))
        hasSpatialResampling = try reader.flag()
        colorCompression = try reader.int(3)
        hasEnhancementResampling = try reader.flag()
        isResidualDisabled = try reader.flag()
        hasColorMetadata = try reader.flag()
        previousID = try reader.flag() ? try reader.unsignedExpGolomb(atMost: 15, "prev_vdr_rpu_id") : nil
    }

    func write(to writer: inout BitWriter) {
        writer.bits(Self.type, 6)
        writer.bits(UInt32(format), 11)
        writer.bits(UInt32(rpuProfile), 4)
        writer.bits(UInt32(rpuLevel), 4)
        writer.flag(true)
        writer.flag(hasExplicitChromaFilter)
        switch coefficientType {
        case .fixedPoint(let bits):
            writer.bits(0, 2)
            writer.unsignedExpGolomb(bits)
        case .float: writer.bits(1, 2)
        }
        writer.bits(UInt32(normalizedIDC), 2)
        writer.flag(isFullRange)
        writer.unsignedExpGolomb(baseBitDepth - 8)
        writer.unsignedExpGolomb(enhancementBitDepthCode)
        writer.unsignedExpGolomb(outputBitDepth - 8)
        writer.flag(hasSpatialResampling)
        writer.bits(UInt32(colorCompression), 3)
        writer.flag(hasEnhancementResampling)
        writer.flag(isResidualDisabled)
        writer.flag(hasColorMetadata)
        writer.flag(previousID != nil)
        if let previousID { writer.unsignedExpGolomb(previousID) }
    }
}
