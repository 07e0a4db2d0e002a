// SPDX-License-Identifier: Apache-2.0

/// NAL unit types of ITU-T H.265, Table 7-1.
enum HEVC {
    static let videoParameterSet: UInt8 = 32
    static let sequenceParameterSet: UInt8 = 33
    static let pictureParameterSet: UInt8 = 34
    static let prefixInformation: UInt8 = 39
    static let endOfSequence: UInt8 = 36
    static let endOfBitstream: UInt8 = 37
    /// Unspecified by H.265; a Dolby Vision RPU.
    static let referenceProcessingUnit: UInt8 = 62
    /// Unspecified by H.265; wraps a NAL unit of Dolby Vision's enhancement layer.
    static let enhancementLayer: UInt8 = 63
    /// BLA, IDR and CRA pictures, and types reserved for more of them.
    static let randomAccessPictures: ClosedRange<UInt8> = 16...23
    /// End of a sequence or of the whole bitstream.
    static let ends: Set<UInt8> = [endOfSequence, endOfBitstream]
    static let pictures: ClosedRange<UInt8> = 0...31

    static func unitType(_ header: UInt8) -> UInt8 { header >> 1 & 0x3F }

    /// nuh_layer_id. Layers above 0 are another view or an enhancement.
    static func layer(_ header: UInt8, _ second: UInt8) -> Int { Int(header & 1) << 5 | Int(second >> 3) }
}
