// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("How much of a source is read to examine its streams")
struct SourceHeadTests {
    /// The length of a frame of AC-3, in ticks of 90 kHz.
    private static let frame: Int64 = 2880

    /// The number of packets of an audio stream that are read.
    ///
    /// - Parameter time: the time of a packet, given its number.
    private static func count(
        _ codec: CodecID,
        isAuthored: Bool,
        isBridged: Bool = true,
        time: (Int64) -> Int64? = { $0 * frame }
    ) -> Int {
        var options = LoadOptions()
        options.profile = isBridged ? .chromium : .everything
        let streams = [CodecID(rawValue: "mpeg2video"), codec].enumerated().map { StreamDescription.fixture($0, $1) }
        let infos = streams.map { StreamInfo.fixture($0.index, $0.codec, base: .hertz(90_000)) }
        let choice = StreamChoice(infos, .fixture(streams), options)
        #expect(choice.isBridged(1) == isBridged && choice.played == [0, 1])
        var head = SourceHead(of: choice, isAuthored: isAuthored)
        for number in 0..<Int64(24) { head.add(packet(0, number * 3600)) }
        var count: Int64 = 0
        while head.wantsMore {
            head.add(packet(1, time(count)))
            count += 1
        }
        #expect(head.packets[1]?.count == Int(count))
        return Int(count)
    }

    private static func packet(_ stream: Int, _ time: Int64?) -> Packet {
        Packet([1, 2, 3], stream: stream, pts: time, dts: time, duration: 0, flags: .key)
    }

    @Test("samples of audio that begins later replace its own packets")
    func samples() {
        let streams = ["mpeg2video", "ac3"].enumerated().map { StreamDescription.fixture($0, CodecID(rawValue: $1)) }
        let infos = streams.map { StreamInfo.fixture($0.index, $0.codec, base: .hertz(90_000)) }
        var head = SourceHead(of: StreamChoice(infos, .fixture(streams), LoadOptions()), isAuthored: true)
        head.add(samples: [Self.packet(1, 1_350_000), Self.packet(1, 1_350_000 + Self.frame)])
        #expect(head.wantsMore && head.all.isEmpty)
        var count: Int64 = 0
        while head.wantsMore {
            head.add(Self.packet(0, count * 3600))
            count += 1
        }
        // Pictures are enough: no audio is awaited.
        #expect(count < 24)
        head.add(Self.packet(1, 1_350_000))
        #expect(head.packets[1]?.map(\.pts) == [1_350_000, 1_350_000 + Self.frame])
        #expect(head.all.count == Int(count) + 1)
    }

    @Test("a bridge is tried on many packets, or on few of a disc if these show what the others are like")
    func bridged() {
        #expect(Self.count(.ac3, isAuthored: true) == 8 && Self.count(.mp2, isAuthored: true) == 8)
        #expect(Self.count(.ac3, isAuthored: true) { $0 * 3135 - $0 / 3 } == 8, "rounded times")
        // A source other than a disc's title, and codecs whose frames depend on each other or vary.
        #expect(Self.count(.ac3, isAuthored: false) == 64)
        #expect(Self.count(.dts, isAuthored: true) == 64)
        #expect(Self.count(CodecID(rawValue: "pcm_dvd"), isAuthored: true) == 64)
    }

    @Test("a bridge is tried on many packets if their times are not evenly spaced")
    func uneven() {
        #expect(Self.count(.ac3, isAuthored: true) { $0 * Self.frame + ($0 > 3 ? 2 : 0) } == 64)
        #expect(Self.count(.ac3, isAuthored: true) { $0 == 5 ? nil : $0 * Self.frame } == 64)
        #expect(Self.count(.ac3, isAuthored: true) { _ in 100 } == 64)
        // Only the first two packets have the same time.
        #expect(Self.count(.ac3, isAuthored: true) { max(0, $0 - 1) * Self.frame } == 64)
    }

    @Test("remuxed audio needs few packets, wherever it comes from", arguments: [false, true])
    func remuxed(isAuthored: Bool) {
        #expect(Self.count(.ac3, isAuthored: isAuthored, isBridged: false) == 4)
    }

    @Test("the layer of MPEG audio follows from its packets")
    func layers() {
        func name(_ headers: [[UInt8]]) -> [String] {
            let media = MediaDescription.fixture([StreamDescription.fixture(0, .mp3)])
            let packets = headers.map { Packet($0, stream: 0, pts: 0, dts: 0, duration: 0, flags: .key) }
            let stream = media.namingLayers(from: packets.isEmpty ? [:] : [0: packets]).streams[0]
            return [stream.codec.rawValue, stream.codecName]
        }
        let second: [UInt8] = [0xFF, 0xFD, 0xE4, 0x00, 0x22]
        let third: [UInt8] = [0xFF, 0xFB, 0xE4, 0x00, 0x22]
        #expect(name([second, second]) == ["mp2", "MP2 (MPEG audio layer 2)"])
        #expect(name([third])[0] == "mp3" && name([second, third])[0] == "mp3")
        #expect(name([])[0] == "mp3" && name([[0xFF]])[0] == "mp3")
    }

    // MARK: Video

    /// A picture of MPEG-2.
    ///
    /// - Parameters:
    ///   - isRepeated: whether its first field is shown again.
    ///   - captions: those of its first field, in user data (ATSC A/53 Part 4, 6.2.3).
    ///   - isProgressive: whether the sequence is progressive. `nil`: no sequence header precedes the picture.
    private static func picture(
        isRepeated: Bool = false,
        captions: [UInt8]? = nil,
        isProgressive: Bool? = nil
    ) -> [UInt8] {
        var sequence: [UInt8] = []
        if let isProgressive {
            sequence = [0, 0, 1, 0xB3, 0x2D, 1, 0xE0, 0x33, 0, 0, 1, 0xB5, 0x14, isProgressive ? 0x8A : 0x82, 0, 1]
        }
        let header: [UInt8] = [0, 0, 1, 0, 0, 0x0F, 0xFF, 0xF8]
        let coding: [UInt8] = [0, 0, 1, 0xB5, 0x8F, 0xFF, 0xF3, isRepeated ? 0xC2 : 0xC0, 0x80]
        let data = captions.map { [0, 0, 1, 0xB2] + Array("GA94".utf8) + [3, 0xC1, 0xFF, 0xFC] + $0 + [0xFF] } ?? []
        return sequence + header + coding + data + [0, 0, 1, 1, 0x22, 0x33, 0, 0, 1, 0]
    }

    /// The number of pictures of a video that are read.
    ///
    /// - Parameter packet: the bytes of each picture, and when it is decoded.
    private static func pictureCount(
        _ options: LoadOptions = LoadOptions(),
        codec: String = "mpeg2video",
        isAuthored: Bool = true,
        _ packet: (Int64) -> (bytes: [UInt8], time: Int64?)
    ) -> Int {
        let codec = CodecID(rawValue: codec)
        let infos = [StreamInfo.fixture(0, codec, base: .hertz(90_000))]
        let choice = StreamChoice(infos, .fixture([StreamDescription.fixture(0, codec)]), options)
        #expect(choice.played == [0])
        var head = SourceHead(of: choice, isAuthored: isAuthored)
        var count: Int64 = 0
        while head.wantsMore {
            let (bytes, time) = packet(count)
            head.add(Packet(bytes, stream: 0, pts: time, dts: time, duration: 0, flags: .key))
            count += 1
        }
        return Int(count)
    }

    /// The time of a picture of film in which every other picture repeats a field, rounded as by a muxer.
    private static func filmTime(_ number: Int64) -> Int64 { (number * 5 + 1) / 2 * 3003 / 2 }

    @Test("few pictures of a disc are read if they are evenly spaced, or repeat fields as film does")
    func regularPictures() {
        #expect(Self.pictureCount { (Self.picture(), $0 * 3600) } == 14)
        #expect(Self.pictureCount { (Self.picture(), $0 * 6007 / 2) } == 14, "rounded times")
        #expect(Self.pictureCount { (Self.picture(isRepeated: $0 % 2 == 0), Self.filmTime($0)) } == 14)
    }

    @Test("few pictures of a progressive sequence are read, though only some of them follow a sequence header")
    func progressivePictures() {
        func count(_ sequences: [Bool], repeated: Int64? = nil) -> Int {
            Self.pictureCount { number in
                let sequence = number % 12 == 0 ? sequences[min(Int(number / 12), sequences.count - 1)] : nil
                return (Self.picture(isRepeated: number == repeated, isProgressive: sequence), number * 3600)
            }
        }
        #expect(count([true]) == 14 && count([false]) == 14)
        #expect(count([true, false]) == 24, "an interlaced sequence after a progressive one")
        // The times contradict the repeated picture.
        #expect(count([true], repeated: 5) == 24)
    }

    @Test("24 pictures are read, as of other sources, if those of a disc are irregular, captioned or may be encoded")
    func irregularPictures() {
        let regular = { (number: Int64) in (bytes: Self.picture(), time: Int64?.some(number * 3600)) }
        #expect(Self.pictureCount(isAuthored: false, regular) == 24)
        #expect(Self.pictureCount(codec: "mpeg1video", regular) == 24)
        #expect(Self.pictureCount { (Self.picture(), $0 == 5 ? nil : $0 * 3600) } == 24)
        #expect(Self.pictureCount { (Self.picture(), $0 * 3600 + ($0 > 9 ? 3600 : 0)) } == 24)
        #expect(Self.pictureCount { (Self.picture(captions: [0x80, 0x80]), $0 * 3600) } == 24)
        // Film that ends among these pictures, and film with a pause.
        #expect(Self.pictureCount { (Self.picture(isRepeated: $0 < 4 && $0 % 2 == 0), $0 * 3003) } == 24)
        #expect(
            Self.pictureCount { (Self.picture(isRepeated: $0 % 2 == 0), Self.filmTime($0) + ($0 > 9 ? 9009 : 0)) } == 24
        )
        var encoded = LoadOptions()
        encoded.videoBridge = .always
        #expect(Self.pictureCount(encoded, regular) == 24)
        (encoded.videoBridge, encoded.ladder) = (.never, [360])
        #expect(Self.pictureCount(encoded, regular) == 24)
    }
}
