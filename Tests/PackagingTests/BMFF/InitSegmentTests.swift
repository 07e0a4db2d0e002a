// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct InitSegmentTests {
    private func videoTrack(_ change: (inout VideoProperties) -> Void = { _ in }) -> Track {
        var track = Track(codec: .h264, timescale: 90_000)
        track.configuration = [1, 2, 3]
        var video = VideoProperties()
        (video.width, video.height) = (720, 576)
        change(&video)
        track.video = video
        return track
    }

    private func tree(_ track: Track) -> BoxTree { BoxTree(bytes: InitSegment.bytes(for: track)) }
    private let entry = "moov/trak/mdia/minf/stbl/stsd/avc1"

    @Test("The init segment of a plain track has no edit list, and no boxes for colour and pixel aspect ratio")
    func plainTrack() {
        let tree = tree(videoTrack())
        #expect(tree.payload("ftyp") == Array("iso6\0\0\0\0iso6cmfcmp41".utf8))
        #expect(tree.payload("moov/trak/edts") == nil)
        #expect(tree.payload("\(entry)/colr") == nil)
        #expect(tree.payload("\(entry)/pasp") == nil)
        #expect(tree.payload("\(entry)/avcC") == [1, 2, 3])
        #expect(tree.payload("moov/mvex/trex") == hex("00000000 00000001 00000001 00000000 00000000 00000000"))
        #expect(tree.payload("moov/trak/mdia/mdhd") == hex("00000000 00000000 00000000 00015F90 00000000 55C4 0000"))
    }

    @Test("The edit list begins at the start of the timeline, with 64-bit fields if 32 bits are not enough")
    func editList() {
        var track = videoTrack()
        track.mediaTimeOffset = 7200
        #expect(tree(track).payload("moov/trak/edts/elst") == hex("00000000 00000001 00000000 00001C20 00010000"))
        track.mediaTimeOffset = 1 << 33
        #expect(
            tree(track).payload("moov/trak/edts/elst")
                == hex("01000000 00000001 0000000000000000 0000000200000000 00010000")
        )
    }

    @Test("The pixel aspect ratio widens the track and is written in lowest terms")
    func pixelShape() {
        let tree = tree(videoTrack { $0.sampleAspectRatio = Ratio(128, 90) })
        #expect(tree.payload("\(entry)/pasp") == hex("00000040 0000002D"))
        #expect(tree.payload("moov/trak/tkhd")?.suffix(8) == hex("04000000 02400000")[...])
    }

    @Test("The display width is rounded to the nearest pixel")
    func roundedWidth() {
        let tree = tree(videoTrack { $0.sampleAspectRatio = Ratio(40, 33) })
        #expect(tree.payload("moov/trak/tkhd")?.suffix(8) == hex("03690000 02400000")[...])
    }

    private func audioTrack(_ codec: CodecID, rate: Int = 48_000, bitDepth: Int = 0) -> Track {
        var track = Track(codec: codec, timescale: 48_000)
        var audio = AudioProperties()
        (audio.sampleRate, audio.channels, audio.bitDepth) = (rate, 2, bitDepth)
        track.audio = audio
        return track
    }

    private func audioEntry(_ name: String, _ track: Track) -> [UInt8] {
        tree(track).payload("moov/trak/mdia/minf/stbl/stsd/\(name)") ?? []
    }

    @Test(
        "The size of a descriptor takes as many bytes as it needs",
        arguments: [(5, "05"), (127, "7F"), (128, "8100"), (16_384, "818000")]
    )
    func descriptorSize(count: Int, size: String) {
        var track = audioTrack(.aac)
        track.configuration = [UInt8](repeating: 7, count: count)
        let wanted = hex("05 \(size)") + track.configuration + hex("06 01 02")
        #expect(audioEntry("mp4a/esds", track).suffix(wanted.count) == wanted[...])
    }

    @Test(
        "MPEG audio below 32 kHz is MPEG-2",
        arguments: [(48_000, 0x6B), (32_000, 0x6B), (24_000, 0x69)] as [(Int, UInt8)]
    )
    func mpegAudio(rate: Int, objectType: UInt8) {
        // After the version, the head of the stream descriptor, and that of the decoder descriptor.
        #expect(audioEntry("mp4a/esds", audioTrack(.mp3, rate: rate)).dropFirst(11).first == objectType)
    }

    @Test(
        "A sample rate that does not fit 16 bits is not written",
        arguments: [(65_535, "FFFF0000"), (65_536, "00000000"), (96_000, "00000000")]
    )
    func sampleRate(rate: Int, field: String) {
        #expect(audioEntry("fLaC", audioTrack(.flac, rate: rate)).dropFirst(24).prefix(4) == hex(field)[...])
    }

    @Test(
        "Only lossless audio states its bit depth",
        arguments: [("fLaC", .flac, 24, 24), ("fLaC", .flac, 0, 16), ("alac", .alac, 20, 20), ("mp4a", .aac, 24, 16)]
            as [(String, CodecID, Int, UInt8)]
    )
    func bitDepth(entry: String, codec: CodecID, bitDepth: Int, field: UInt8) {
        #expect(audioEntry(entry, audioTrack(codec, bitDepth: bitDepth)).dropFirst(18).prefix(2) == [0, field])
    }

    @Test(
        "An implausible pixel aspect ratio is not written",
        arguments: [(0, 1), (1, 0), (9, 1), (1, 9), (70001, 70002)]
    )
    func impossiblePixelShape(_ numerator: Int, _ denominator: Int) {
        #expect(
            tree(videoTrack { $0.sampleAspectRatio = Ratio(numerator, denominator) }).payload("\(entry)/pasp") == nil
        )
    }

    @Test("Rotation is a matrix that keeps the picture in the positive quadrant")
    func rotation() {
        let matrix = { (degrees: Int) in
            (self.tree(self.videoTrack { $0.rotation = degrees }).payload("moov/trak/tkhd") ?? []).dropFirst(40).prefix(
                36
            )
        }
        #expect(
            matrix(90)
                == hex("00000000 00010000 00000000 FFFF0000 00000000 00000000 02400000 00000000 40000000")[...]
        )
        #expect(
            matrix(180)
                == hex("FFFF0000 00000000 00000000 00000000 FFFF0000 00000000 02D00000 02400000 40000000")[...]
        )
        #expect(
            matrix(270)
                == hex("00000000 FFFF0000 00000000 00010000 00000000 00000000 00000000 02D00000 40000000")[...]
        )
        for degrees in [90, 270] {
            let track = videoTrack { $0.rotation = degrees }
            let size = DisplaySize(track.video ?? VideoProperties())
            #expect((size.width, size.height) == (576, 720))
            #expect(
                tree(track).payload("moov/trak/tkhd")?.suffix(8) == hex("02D00000 02400000")[...],
                "the size before rotation"
            )
        }
    }

    @Test("Cropped margins are not displayed")
    func cropping() {
        let video = videoTrack { $0.cropping = Cropping(left: 1, top: 2, right: 4, bottom: 8) }.video
        let size = DisplaySize(video ?? VideoProperties())
        #expect((size.width, size.height) == (715, 566))
    }

    @Test("Colour and light metadata are written as in the source")
    func colour() {
        let track = videoTrack {
            $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
            $0.masteringDisplay = MasteringDisplay(
                red: .init(x: 34_000, y: 16_000),
                green: .init(x: 13_250, y: 34_500),
                blue: .init(x: 7500, y: 3000),
                white: .init(x: 15_635, y: 16_450),
                maximumLuminance: 10_000_000,
                minimumLuminance: 50
            )
            $0.contentLight = ContentLight(maximum: 1000, frameAverage: 400)
        }
        let tree = tree(track)
        #expect(tree.payload("\(entry)/colr") == Array("nclx".utf8) + hex("0009 0010 0009 00"))
        #expect(tree.payload("\(entry)/mdcv") == hex("33c286c41d4c0bb884d03e803d134042 00989680 00000032"))
        #expect(tree.payload("\(entry)/clli") == [3, 232, 1, 144])
    }

    @Test("Full range is written even if the colours are unknown")
    func fullRange() {
        let tree = tree(videoTrack { $0.color.isFullRange = true })
        #expect(tree.payload("\(entry)/colr") == Array("nclx".utf8) + hex("0002 0002 0002 80"))
    }

    @Test("The clean aperture is written as its size and the offset of its centre, in halves of a pixel")
    func cleanAperture() {
        let tree = tree(videoTrack { $0.cropping = Cropping(left: 1, top: 2, right: 4, bottom: 8) })
        #expect(
            tree.payload("\(entry)/clap")
                == hex("000002CB 00000001 00000236 00000001 FFFFFFFD 00000002 FFFFFFFA 00000002")
        )
    }

    @Test(
        "The order of fields is written for interlaced video only",
        arguments: [(true, 1), (false, 6)] as [(Bool, UInt8)]
    )
    func fields(isTopFirst: Bool, order: UInt8) {
        let interlaced = videoTrack {
            $0.isInterlaced = true
            $0.isTopFieldFirst = isTopFirst
        }
        #expect(tree(interlaced).payload("\(entry)/fiel") == [2, order])
        #expect(tree(videoTrack { $0.isTopFieldFirst = isTopFirst }).payload("\(entry)/fiel") == nil)
    }
}
