// SPDX-License-Identifier: Apache-2.0

/// syncinfo and bsi of an enhanced AC-3 frame, ETSI TS 102 366 §E.1.2.
struct EAC3Frame: Hashable, Sendable {
    /// strmtyp: 0 independent, 1 dependent, 2 independent converted from AC-3.
    var streamType = 0
    var substream = 0
    var byteCount = 0
    var sampleRateCode = 0
    var sampleRate = 0
    var blocks = 6
    var channelMode = 0
    var hasLowFrequency = false
    var streamID = 0
    var mode = 0
    /// chanmap of a dependent substream, with the left channel in the most significant bit.
    var channelMap: UInt32?
    /// complexity_index_type_a, if addbsi signals object coding (JOC, §8.3 of ETSI TS 103 420).
    var objectComplexity: Int?

    static let samplesPerBlock = 256
    private static let syncWord: UInt32 = 0x0B77
    private static let blockCounts = [1, 2, 3, 6]
    private static let reducedSampleRates = [24000, 22050, 16000]

    var isDependent: Bool { streamType == 1 }

    /// An AC-3 frame in place of independent substream 0, as on discs.
    init(core: AC3Frame) {
        byteCount = core.byteCount
        sampleRateCode = core.sampleRateCode
        sampleRate = core.sampleRate
        channelMode = core.channelMode
        hasLowFrequency = core.hasLowFrequency
        streamID = core.streamID
        mode = core.mode
    }

    /// - Parameter bytes: the frame, starting at its sync word; anything after the frame is ignored.
    init(_ bytes: [UInt8]) throws(PackagingError) {
        var reader = BitReader(bytes, subject: "E-AC-3 frame")
        guard try reader.bits(16) == Self.syncWord else {
            throw PackagingError(.malformed, "an E-AC-3 frame does not start with a sync word")
        }
        streamType = try reader.int(2)
        substream = try reader.int(3)
        byteCount = (try reader.int(11) + 1) * 2
        sampleRateCode = try reader.int(2)
        let code = try reader.int(2)
        if sampleRateCode == 3 {
            guard code < 3 else { throw PackagingError(.malformed, "E-AC-3: the sample rate is reserved") }
            sampleRate = Self.reducedSampleRates[code]
        } else {
            sampleRate = AC3Frame.sampleRates[sampleRateCode]
            blocks = Self.blockCounts[code]
        }
        channelMode = try reader.int(3)
        hasLowFrequency = try reader.flag()
        streamID = try reader.int(5)
        guard (11...16).contains(streamID), streamType != 3 else {
            throw PackagingError(.malformed, "E-AC-3: invalid stream id \(streamID), type \(streamType)")
        }
        for _ in 0..<(channelMode == 0 ? 2 : 1) {
            try reader.skip(5)
            if try reader.flag() { try reader.skip(8) }
        }
        if isDependent, try reader.flag() { channelMap = try reader.bits(16) }
        if try reader.flag() { try skipMixing(&reader) }
        if try reader.flag() { try readInformation(&reader) }
        if streamType == 0, blocks != 6 { try reader.skip(1) }
        if streamType == 2 {
            let hasSizeCode = blocks == 6 ? true : try reader.flag()
            if hasSizeCode { try reader.skip(6) }
        }
        guard try reader.flag() else { return }
        let length = try reader.int(6) + 1
        guard length >= 2 else { return }
        try reader.skip(7)
        if try reader.flag() { objectComplexity = try reader.int(8) }
    }

    /// Skips the fields of mixmdate.
    private func skipMixing(_ reader: inout BitReader) throws(PackagingError) {
        if channelMode > 2 { try reader.skip(2) }
        if channelMode & 1 == 1, channelMode > 2 { try reader.skip(6) }
        if channelMode & 4 != 0 { try reader.skip(6) }
        if hasLowFrequency, try reader.flag() { try reader.skip(5) }
        guard streamType == 0 else { return }
        for _ in 0..<(channelMode == 0 ? 2 : 1) where try reader.flag() { try reader.skip(6) }
        if try reader.flag() { try reader.skip(6) }
        switch try reader.int(2) {
        case 1: try reader.skip(5)
        case 2: try reader.skip(12)
        case 3:
            let length = try reader.int(5) + 2
            try reader.skip(length * 8)
        default: break
        }
        if channelMode < 2 {
            for _ in 0..<(channelMode == 0 ? 2 : 1) where try reader.flag() { try reader.skip(14) }
        }
        guard try reader.flag() else { return }
        if blocks == 1 {
            try reader.skip(5)
        } else {
            for _ in 0..<blocks where try reader.flag() { try reader.skip(5) }
        }
    }

    /// Reads the fields of infomdate.
    private mutating func readInformation(_ reader: inout BitReader) throws(PackagingError) {
        mode = try reader.int(3)
        try reader.skip(2)
        if channelMode == 2 { try reader.skip(4) }
        if channelMode >= 6 { try reader.skip(2) }
        for _ in 0..<(channelMode == 0 ? 2 : 1) where try reader.flag() { try reader.skip(8) }
        if sampleRateCode < 3 { try reader.skip(1) }
    }
}
