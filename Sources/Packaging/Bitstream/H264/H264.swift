// SPDX-License-Identifier: Apache-2.0

/// NAL unit types of ITU-T H.264, Table 7-1.
enum H264 {
    static let slice: UInt8 = 1
    static let dataPartitionA: UInt8 = 2
    static let idrSlice: UInt8 = 5
    static let supplementalInformation: UInt8 = 6
    static let sequenceParameterSet: UInt8 = 7
    static let pictureParameterSet: UInt8 = 8
    static let sequenceParameterSetExtension: UInt8 = 13

    /// Unspecified by H.264; a Dolby Vision RPU.
    static let referenceProcessingUnit: UInt8 = 28

    static func unitType(_ header: UInt8) -> UInt8 { header & 0x1F }
}
