// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// sequence_header_obu, AV1 bitstream specification §5.5.
struct AV1SequenceHeader: Hashable, Sendable {
    var profile = 0
    /// The level of operating point 0.
    var level = 0
    var isHighTier = false
    var isReducedStillPicture = false
    var width = 0
    var height = 0
    var bitDepth = 8
    var isMonochrome = false
    var subsamplingX = true
    var subsamplingY = true
    var chromaSamplePosition = 0
    var display = DisplayParameters()

    /// - Parameter payload: the OBU's payload, without its header.
    init(payload: [UInt8]) throws(PackagingError) {
        var reader = BitReader(payload, subject: "AV1 sequence header")
        profile = try reader.int(3)
        guard profile <= 2 else { throw PackagingError(.unsupportedFeature, "AV1 profile \(profile) is not supported") }
        try reader.skip(1)
        isReducedStillPicture = try reader.flag()
        if isReducedStillPicture {
            level = try reader.int(5)
        } else {
            try readOperatingPoints(&reader)
        }
        let widthBits = try reader.int(4) + 1
        let heightBits = try reader.int(4) + 1
        width = try reader.int(widthBits) + 1
        height = try reader.int(heightBits) + 1
        if !isReducedStillPicture, try reader.flag() { try reader.skip(7) }
        try reader.skip(3)
        if !isReducedStillPicture { try skipTools(&reader) }
        try reader.skip(3)
        try readColour(&reader)
    }

    private mutating func readOperatingPoints(_ reader: inout BitReader) throws(PackagingError) {
        var delayBits = 0
        var hasDecoderModel = false
        if try reader.flag() {
            let unitsInTick = try reader.bits(32)
            let timeScale = try reader.bits(32)
            if try reader.flag() {
                let ticks = try reader.unsignedExpGolomb() + 1
                let product = Int(unitsInTick).multipliedReportingOverflow(by: ticks)
                if !product.overflow {
                    display.frameRate = DisplayParameters.rate(Int(timeScale), product.partialValue)
                }
            }
            hasDecoderModel = try reader.flag()
            if hasDecoderModel {
                delayBits = try reader.int(5) + 1
                try reader.skip(32 + 5 + 5)
            }
        }
        let hasDisplayDelay = try reader.flag()
        let count = try reader.int(5) + 1
        for index in 0..<count {
            try reader.skip(12)
            let pointLevel = try reader.int(5)
            let pointTier = pointLevel > 7 ? try reader.flag() : false
            if index == 0 { (level, isHighTier) = (pointLevel, pointTier) }
            if hasDecoderModel, try reader.flag() { try reader.skip(2 * delayBits + 1) }
            if hasDisplayDelay, try reader.flag() { try reader.skip(4) }
        }
    }

    private func skipTools(_ reader: inout BitReader) throws(PackagingError) {
        try reader.skip(4)
        let hasOrderHint = try reader.flag()
        if hasOrderHint { try reader.skip(2) }
        let choosesScreenContent = try reader.flag()
        let forcesScreenContent = choosesScreenContent ? true : try reader.flag()
        if forcesScreenContent, try !reader.flag() { try reader.skip(1) }
        if hasOrderHint { try reader.skip(3) }
    }

    /// color_config, §5.5.2.
    private mutating func readColour(_ reader: inout BitReader) throws(PackagingError) {
        let isHighBitDepth = try reader.flag()
        bitDepth = isHighBitDepth ? 10 : 8
        if profile == 2, isHighBitDepth, try reader.flag() { bitDepth = 12 }
        isMonochrome = profile == 1 ? false : try reader.flag()
        if try reader.flag() {
            display.color.primaries = try reader.int(8)
            display.color.transfer = try reader.int(8)
            display.color.matrix = try reader.int(8)
        }
        if isMonochrome {
            display.color.isFullRange = try reader.flag()
            return
        }
        if display.color == ColorDescription(primaries: 1, transfer: 13, matrix: 0) {
            display.color.isFullRange = true
            (subsamplingX, subsamplingY) = (false, false)
            return
        }
        display.color.isFullRange = try reader.flag()
        switch profile {
        case 0: (subsamplingX, subsamplingY) = (true, true)
        case 1: (subsamplingX, subsamplingY) = (false, false)
        default:
            subsamplingX = bitDepth == 12 ? try reader.flag() : true
            subsamplingY = bitDepth == 12 && subsamplingX ? try reader.flag() : false
        }
        if subsamplingX, subsamplingY { chromaSamplePosition = try reader.int(2) }
    }
}
