// SPDX-License-Identifier: Apache-2.0

/// The frame header of MPEG audio layer III, ISO/IEC 11172-3 §2.4.1.3 and 13818-3 §2.4.1.3.
struct MPEGAudioHeader: Hashable, Sendable {
    let sampleRate: Int
    let channels: Int
    let samplesPerFrame: Int

    private static let sampleRates = [44100, 48000, 32000]

    init(_ packet: [UInt8]) throws(PackagingError) {
        var reader = BitReader(Array(packet.prefix(4)), subject: "MP3 frame")
        let sync = try reader.int(11)
        let version = try reader.int(2)
        let layer = try reader.int(2)
        try reader.skip(1 + 4)
        let rate = try reader.int(2)
        try reader.skip(2)
        let mode = try reader.int(2)
        guard sync == 0x7FF, version != 1, layer == 1, rate < 3 else {
            throw PackagingError(.malformed, "a packet does not start with a layer III frame")
        }
        // Version 3 is MPEG-1, 2 is MPEG-2 at half its rates, 0 is MPEG-2.5 at a quarter.
        sampleRate = Self.sampleRates[rate] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        samplesPerFrame = version == 3 ? 1152 : 576
        channels = mode == 3 ? 1 : 2
    }
}
