// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

/// The smallest real input of each kind: what a demuxer returns for a tiny clip.
struct Specimen: Sendable, CustomTestStringConvertible {
    var name: String
    var codec: CodecID
    var extradata: [UInt8]
    var packet: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ codec: CodecID, extradata: String = "", packet: String) {
        self.name = name
        self.codec = codec
        self.extradata = hex(extradata)
        self.packet = hex(packet)
    }

    func resolve(_ timescale: UInt32 = 48_000) throws(PackagingError) -> TrackSetup {
        try TrackSetup.resolve(
            codec: codec,
            timescale: timescale,
            extradata: extradata,
            firstPackets: [packet],
            video: nil,
            audio: nil,
            language: "eng"
        )
    }

    private static let hevcSets = (
        video: "40010c01ffff02200000030090000003000003001e959409",
        sequence: "42010102200000030090000003000003001ea0208104d965654a4c2f016a12201208000003000800000300c840",
        picture: "4401c073c089", light: "4e01900403e80190",
        mastering: "4e01891833c286c41d4c0bb884d03e803d1340420098968000000300328000",
        slice: "2801ac7601d5c46d48e0"
    )

    static let avc = Specimen(
        "H.264 with avcC",
        .h264,
        extradata: "0164000affe100186764000aacd94426c044000003000400000300c83c48965801000468ef8fcbfdf8f800",
        packet: "0000001f6588840033fffa7f0fd7ffdfdf6a472b662129ea539174e86e9ef7280d30bf"
    )
    static let avcAnnexB = Specimen(
        "H.264 in Annex B",
        .h264,
        packet: """
            0000000109f0 000000016764000aacd94426c044000003000400000300c83c489658 0000000168ef8fcb 0000016588840033fffa7f
            0fd7ffdfdf6a472b662129ea539174e86e9ef7280d30bf
            """
    )
    static let hevc = Specimen(
        "HEVC with hvcC",
        .hevc,
        extradata: """
            0102200000009000000000001ef000fcfdfafa00000f04 2000010018 \(hevcSets.video) 210001002d \(hevcSets.sequence)
            2200010006 \(hevcSets.picture) 2700010008 \(hevcSets.light)
            """,
        packet: "0000001f\(hevcSets.mastering) 0000000a\(hevcSets.slice)"
    )
    static let hevcAnnexB = Specimen(
        "HEVC in Annex B",
        .hevc,
        packet: """
            00000001460150 00000001\(hevcSets.video) 00000001\(hevcSets.sequence) 00000001\(hevcSets.picture)
            000001\(hevcSets.light)80 000001\(hevcSets.slice)
            """
    )
    static let av1 = Specimen(
        "AV1",
        .av1,
        extradata: "81000c000a0a00000002afff805f0008",
        packet: "12000a0a00000002afff9f7f2008320c1000b2020000100020008b80"
    )
    static let vp9 = Specimen("VP9", .vp9, packet: "824983420003f003f60038241c184a00003060000013b818000000")
    static let aac = Specimen(
        "AAC",
        .aac,
        extradata: "119056e500",
        packet: "de02004c61766335392e33372e31303000422008c11838"
    )
    static let adts = Specimen(
        "AAC in ADTS",
        .aac,
        packet: "fff14c8003dffcde02004c61766335392e33372e31303000422008c11838"
    )
    static let adtsWithProgramConfig = Specimen(
        "AAC in ADTS with a program config element",
        .aac,
        packet: """
            fff14c0006dffca098802004000d4c61766335392e33372e313030
            de02004c61766335392e33372e31303000422008c11818460001c0
            """
    )
    static let ac3 = Specimen("AC-3", .ac3, packet: "0b775052144043e106f46370808082101010415c7cf9f3e7cf9f3e7c")
    /// The frame's size field says 32 bytes.
    static let eac3 = Specimen(
        "E-AC-3",
        .eac3,
        packet: "0b77000f3487c0002000000045008c0404040101010063e7cf9f3e7cf9f3e7cf"
    )
    static let flac = Specimen(
        "FLAC",
        .flac,
        extradata: "1200120000000e00000e0bb802f000003840250aa2fcb9e47f0104dbdcfce0a886fc",
        packet: "fff85a1800d60000000000000666"
    )
    static let alac = Specimen(
        "ALAC",
        .alac,
        extradata: "00000024616c616300000000000010000010280a0e02000000004004001770000000bb80",
        packet: "20000000000f0801000000000000000f080100000000000000ff87ffbfe1fffc"
    )
    static let opus = Specimen("Opus", .opus, extradata: "4f707573486561640102380180bb0000000000", packet: "fcfffe")
    static let mp3 = Specimen("MP3", .mp3, packet: "fffb9464000ff00000690000000800000d20000001000001a40000002000")

    static let all = [
        avc, avcAnnexB, hevc, hevcAnnexB, av1, vp9, aac, adts, adtsWithProgramConfig, ac3, eac3, flac, alac, opus, mp3,
    ]
}
