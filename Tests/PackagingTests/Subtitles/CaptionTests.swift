// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Captions", .timeLimit(.minutes(10)))
struct CaptionTests {
    private func odd(_ byte: UInt8) -> UInt8 { byte.nonzeroBitCount & 1 == 1 ? byte : byte | 0x80 }

    /// Pairs of bytes without parity, as triplets of one field.
    private func triplets(_ pairs: [(UInt8, UInt8)], field: UInt8 = 0) -> [UInt8] {
        pairs.flatMap { [0xFC | field, odd($0.0), odd($0.1)] }
    }

    private func taken(_ channel: Int, _ triplets: [UInt8]) -> [UInt8] {
        var channel = CaptionChannel(channel)
        return channel.taken(from: triplets)
    }

    private let mixed: [(UInt8, UInt8)] = [
        (0x14, 0x20), (0x41, 0x42), (0x1C, 0x20), (0x61, 0x62), (0x1C, 0x2F), (0x14, 0x2F), (0x43, 0),
    ]

    @Test("Each channel is relabelled as the first one, with its commands and text")
    func channels() {
        let first = triplets([(0x14, 0x20), (0x41, 0x42), (0x14, 0x2F), (0x43, 0)])
        let second = triplets([(0x14, 0x20), (0x61, 0x62), (0x14, 0x2F)])
        #expect(taken(1, triplets(mixed)) == first)
        #expect(taken(2, triplets(mixed)) == second)
        #expect(taken(3, triplets(mixed)).isEmpty && taken(4, triplets(mixed)).isEmpty)
        #expect(taken(3, triplets(mixed, field: 1)) == first)
        #expect(taken(4, triplets(mixed, field: 1)) == second)
        #expect(taken(0, triplets(mixed)) == first && taken(0, triplets(mixed, field: 1)) == first)
    }

    @Test("Commands of the second field become those of the first")
    func secondField() {
        #expect(taken(3, triplets([(0x15, 0x2F), (0x1D, 0x2F)], field: 1)) == triplets([(0x14, 0x2F)]))
    }

    @Test("Extended data, text services, fill and CTA-708 packets are dropped")
    func others() {
        let extended = triplets([(0x01, 0x03), (0x41, 0x42), (0x0F, 0x1D), (0x43, 0x44)], field: 1)
        #expect(taken(3, extended) == triplets([(0x43, 0x44)]))
        let text = triplets([(0x14, 0x2B), (0x41, 0x42), (0x14, 0x2D), (0x14, 0x25), (0x43, 0x44)])
        #expect(taken(1, text) == triplets([(0x14, 0x25), (0x43, 0x44)]))
        #expect(taken(1, [0xFC, 0x80, 0x80, 0xFF, 1, 2, 0xFE, 0xC1, 0x42, 0xF8, 0xC1, 0xC2, 0xFC, 0xC1]).isEmpty)
    }

    /// `cc_data` with a count, after the header of its user data.
    private let data: [UInt8] = [0x42, 0xFF, 0xFC, 0x94, 0x20, 0xFD, 0x80, 0x80, 0xFF]
    private let found: [UInt8] = [0xFC, 0x94, 0x20, 0xFD, 0x80, 0x80]
    private var message: [UInt8] { [0xB5, 0, 0x31] + Array("GA94".utf8) + [3] + data }

    private func extracted(_ codec: String, _ packet: [UInt8], extradata: [UInt8] = []) -> [UInt8]? {
        CaptionExtractor(codec: CodecID(rawValue: codec), extradata: extradata)?.triplets(in: packet.span)
    }

    @Test("Captions are found in H.264, HEVC and MPEG-2, in any framing")
    func extraction() {
        let supplemental = [4, UInt8(message.count)] + message + [0x80]
        let start: [UInt8] = [0, 0, 0, 1]
        let slice: [UInt8] = [0x65, 0x88, 1, 2, 3]
        let unit = [6] + supplemental
        #expect(extracted("h264", start + unit + start + slice) == found)
        let counted = [0, 0, 0, UInt8(unit.count)] + unit + [0, 0, 0, UInt8(slice.count)] + slice
        #expect(extracted("h264", counted) == found)
        #expect(extracted("hevc", start + [0x4E, 1] + supplemental) == found)
        #expect(extracted("mpeg2video", [0, 0, 1, 0, 0, 8] + [0, 0, 1, 0xB2] + message.dropFirst(3)) == found)
        #expect(extracted("vp9", unit) == nil)
    }

    @Test("Head triplets come only from the data before the slices")
    func heads() throws {
        let supplemental = [4, UInt8(message.count)] + message + [0x80]
        let start: [UInt8] = [0, 0, 0, 1]
        let user: [UInt8] = [0, 0, 1, 0xB2] + message.dropFirst(3)
        let cases: [(codec: String, head: [UInt8], picture: [UInt8])] = [
            ("h264", start + [6] + supplemental, start + [0x65, 0x88, 1]),
            ("hevc", start + [0x4E, 1] + supplemental, start + [0x26, 1, 0xAF]),
            ("mpeg2video", [0, 0, 1, 0, 0, 8] + user, [0, 0, 1, 1, 0x22, 8]),
        ]
        for (codec, head, picture) in cases {
            let extractor = try #require(CaptionExtractor(codec: CodecID(rawValue: codec), extradata: []))
            #expect(extractor.headTriplets(in: (head + picture).span) == found)
            #expect(extractor.headTriplets(in: (picture + head).span).isEmpty)
            #expect(extractor.headTriplets(in: head.span) == found)
            #expect(extractor.headTriplets(in: [UInt8]().span).isEmpty)
        }
        let counted = try #require(CaptionExtractor(codec: .h264, extradata: []))
        let unit = [6] + supplemental
        #expect(
            counted.headTriplets(in: ([0, 0, 0, UInt8(unit.count)] + unit + [0, 0, 0, 2, 0x65, 0x88]).span) == found
        )
    }

    @Test(
        "Captions in the video are detected only from data that names its channel",
        arguments: [
            ([(0x14, 0x20)], 0, ["CC1"]), ([(0x1C, 0x25)], 0, ["CC2"]),
            ([(0x15, 0x29), (0x1D, 0x70)], 1, ["CC3", "CC4"]),
            // Fill, letters, extended data, and text services.
            ([(0, 0), (0x41, 0x42)], 0, []), ([(0x01, 0x03), (0x0F, 0x1D)], 1, []),
            ([(0x14, 0x2A), (0x1C, 0x2B)], 0, []),
        ] as [([(UInt8, UInt8)], UInt8, Set<String>)]
    )
    func survey(pairs: [(UInt8, UInt8)], field: UInt8, channels: Set<String>) {
        var survey = CaptionSurvey(codec: .h264, extradata: [])
        survey.note(triplets: triplets(pairs, field: field))
        #expect(survey.channels == channels)
    }

    @Test("Services are recorded as well as channels; damaged and invalid data is not")
    func services() {
        var survey = CaptionSurvey(codec: .h264, extradata: [])
        survey.note(triplets: [0xFC, 0x14, 0x20, 0xF8, 0x94, 0x20, 0xFC])
        #expect(survey.channels.isEmpty)
        // A packet with one block of service 5, of one byte.
        survey.note(triplets: [0xFC, 0x94, 0x20, 0xFF, 0x02, 0xA1, 0xFE, 0x41, 0x00])
        #expect(survey.channels == ["CC1", "SERVICE5"])
    }

    private func user(_ data: [UInt8], topFirst: Bool = true, sequence: [UInt8] = []) -> [UInt8]? {
        let coding: [UInt8] = [0, 0, 1, 0xB5, 0x8F, 0xFF, 0xF3, topFirst ? 0x80 : 0, 0x80]
        return extracted("mpeg2video", [0, 0, 1, 0, 0, 8] + coding + [0, 0, 1, 0xB2] + data, extradata: sequence)
    }

    @Test("DVD captions alternate between the fields, starting with the signalled one")
    func discs() {
        let pairs: [UInt8] = [0xFF, 0x94, 0x20, 0xFF, 0x80, 0x80, 0xFE, 0xC1, 0x42]
        let head = Array("CC".utf8) + [0x01, 0xF8]
        let first: [UInt8] = [0xFC, 0x94, 0x20, 0xFD, 0x80, 0x80, 0xFC, 0xC1, 0x42]
        let second: [UInt8] = [0xFD, 0x94, 0x20, 0xFC, 0x80, 0x80, 0xFD, 0xC1, 0x42]
        #expect(user(head + [0x83] + pairs) == first)
        #expect(user(head + [0x03] + pairs) == second)
        #expect(user(head + [0x9F] + pairs + [0xFF, 1]) == first)
        #expect(user(head + [0x83, 0x7F, 0x94, 0x20]) == [])
    }

    @Test("Captions in SCTE 20 have reversed bits, with fields in display order")
    func cable() {
        // One entry for the first field, one for the second, and one for no field, which is dropped.
        let bits =
            "00011" + ["01", "10", "00"].map { "00" + $0 + "01011" + "00101001" + "00000100" + "1" }.joined()
            + "1000000"
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0
        }
        #expect(user([3, 0x81] + bytes) == [0xFC, 0x94, 0x20, 0xFD, 0x94, 0x20])
        #expect(user([3, 0x81] + bytes, topFirst: false) == [0xFD, 0x94, 0x20, 0xFC, 0x94, 0x20])
        let frames: [UInt8] = [0, 0, 1, 0xB5, 0x14, 0x8A, 0, 1, 0, 0]
        #expect(user([3, 0x81] + bytes, topFirst: false, sequence: frames) == [0xFC, 0x94, 0x20, 0xFD, 0x94, 0x20])
        #expect(user([3, 0x81] + bytes.prefix(5)) == [0xFC, 0x94, 0x20])
        #expect(user([3, 0x80] + bytes) == [])
    }

    @Test("If a picture carries captions in two formats, one of them is used")
    func severalWays() {
        let cable: [UInt8] = [3, 0x81, 0x08, 0x4B, 0x29, 0x04, 0x80]
        let both = cable + [0, 0, 1, 0xB2] + Array(message.dropFirst(3))
        #expect(user(both) == found)
    }

    @Test("Samples of a caption track contain packets, with or without a time code")
    func samples() {
        let triplets: [UInt8] = [0xFF, 0x02, 0x21, 0xFE, 0x41, 0x42]
        func sample(_ sections: [UInt8], flags: UInt8 = 0x43) -> [UInt8] {
            let packet = [0x96, 0x69, 0, 0x3F, flags, 0, 0] + sections
            return [0, 0, 0, UInt8(packet.count + 8)] + Array("ccdp".utf8) + packet
        }
        let data: [UInt8] = [0x72, 0xE2] + triplets
        #expect(CaptionData.triplets(sample: sample(data + [0x74, 0, 0, 0])) == triplets)
        #expect(CaptionData.triplets(sample: sample([0x71, 0, 0, 0, 0] + data) + sample(data)) == triplets + triplets)
        #expect(CaptionData.triplets(sample: sample(data, flags: 3)).isEmpty)
        #expect(CaptionData.triplets(sample: sample([0x72, 0xFF] + triplets + [1])) == triplets)
        for count in 0..<8 { #expect(CaptionData.triplets(sample: Array(sample(data).prefix(count))).isEmpty) }
    }

    @Test("Truncated data gives what is left, or nothing")
    func damage() {
        for count in 0..<data.count {
            let left = CaptionData.triplets(Array(data[..<count]))
            #expect(left == Array(found[..<max(0, min(6, (count - 2) / 3 * 3))]))
        }
        #expect(CaptionData.triplets([0x02, 0xFF] + found).isEmpty)
        for count in 0..<message.count {
            let unit = [6, 4, UInt8(message.count)] + message[..<count]
            #expect(extracted("h264", [0, 0, 1] + unit) == [])
        }
    }
}
