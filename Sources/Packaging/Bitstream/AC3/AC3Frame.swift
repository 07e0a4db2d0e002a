// SPDX-License-Identifier: Apache-2.0

/// syncinfo and the start of bsi, ETSI TS 102 366 §4.3.
struct AC3Frame: Hashable, Sendable {
    var sampleRateCode = 0
    /// frmsizecod / 2.
    var bitRateCode = 0
    /// The low bit of frmsizecod: at 44.1 kHz, the frame is one word longer.
    var isPadded = false
    var streamID = 0
    var mode = 0
    var channelMode = 0
    var hasLowFrequency = false

    /// Every frame has six blocks of 256 samples.
    static let samplesPerFrame = 1536
    /// Full-range channels by acmod.
    static let channelCounts = [2, 1, 2, 3, 3, 4, 4, 5]
    static let sampleRates = [48000, 44100, 32000]
    /// Kilobits per second by frmsizecod / 2 (Table 4.13).
    private static let bitRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
    private static let syncWord: UInt32 = 0x0B77

    init(_ packet: [UInt8]) throws(PackagingError) {
        var reader = BitReader(Array(packet.prefix(16)), subject: "AC-3 frame")
        guard try reader.bits(16) == Self.syncWord else {
            throw PackagingError(.malformed, "an AC-3 packet does not start with a sync word")
        }
        try reader.skip(16)
        sampleRateCode = try reader.int(2)
        bitRateCode = try reader.int(5)
        isPadded = try reader.flag()
        streamID = try reader.int(5)
        mode = try reader.int(3)
        channelMode = try reader.int(3)
        guard sampleRateCode < 3, streamID <= 10, bitRateCode < 19 else {
            throw PackagingError(.malformed, "an AC-3 frame has reserved codes")
        }
        if channelMode & 1 == 1, channelMode != 1 { try reader.skip(2) }
        if channelMode & 4 != 0 { try reader.skip(2) }
        if channelMode == 2 { try reader.skip(2) }
        hasLowFrequency = try reader.flag()
    }

    var channels: Int { Self.channelCounts[channelMode] + (hasLowFrequency ? 1 : 0) }

    /// bsid 9 and 10 mean half and quarter rate.
    var sampleRate: Int { Self.sampleRates[sampleRateCode] >> max(0, streamID - 8) }

    var byteCount: Int {
        let rate = Self.sampleRates[sampleRateCode]
        let words = Self.bitRates[bitRateCode] * 1000 * Self.samplesPerFrame / (rate * 16)
        return 2 * (words + (rate == 44_100 && isPadded ? 1 : 0))
    }

    /// AC3SpecificBox's payload, §F.4.
    var specificBox: [UInt8] {
        let bits =
            sampleRateCode << 22 | streamID << 17 | mode << 14 | channelMode << 11 | (hasLowFrequency ? 1 << 10 : 0)
            | bitRateCode << 5
        return [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}
