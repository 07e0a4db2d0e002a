// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite struct TrackSetupTests {
    @Test(
        "Each specimen gets its CODECS string, transform and timing",
        arguments: [
            (Specimen.avc, "avc1.64000A", SampleTransform.nalUnits(.lengthPrefixed(4)), 2, nil),
            (.avcAnnexB, "avc1.64000A", .nalUnits(.annexB), 2, nil),
            (.hevc, "hvc1.2.4.L30.90", .nalUnits(.lengthPrefixed(4)), 2, nil),
            (.hevcAnnexB, "hvc1.2.4.L30.90", .nalUnits(.annexB), 2, nil),
            (.av1, "av01.0.00M.08", .openBitstreamUnits, 0, nil),
            (.vp9, "vp09.00.10.08", .unchanged, 0, nil),
            (.aac, "mp4a.40.2", .unchanged, 0, 1024),
            (.adts, "mp4a.40.2", .adts, 0, 1024),
            (.ac3, "ac-3", .unchanged, 0, 1536),
            (.eac3, "ec-3", .unchanged, 0, 1536),
            (.flac, "fLaC", .unchanged, 0, nil),
            (.alac, "alac", .unchanged, 0, 4096),
            (.opus, "Opus", .unchanged, 0, nil),
            (.mp3, "mp4a.6B", .unchanged, 0, 1152),
        ] as [(Specimen, String, SampleTransform, Int, Int?)]
    )
    func resolved(_ row: (Specimen, String, SampleTransform, Int, Int?)) throws {
        let setup = try row.0.resolve()
        #expect(setup.codecString == row.1)
        #expect(setup.transform == row.2)
        #expect(setup.reorderDepth == row.3)
        #expect(setup.samplesPerFrame == row.4)
    }

    @Test("The bitstream provides size, rate and colour if the container does not")
    func completedProperties() throws {
        let video = try Specimen.hevc.resolve().track.video
        #expect(video?.width == 64 && video?.height == 64)
        #expect(video?.frameRate == Ratio(25, 1))
        #expect(video?.bitDepth == 10)
        #expect(video?.color == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
        let audio = try Specimen.adts.resolve().track.audio
        #expect(audio?.sampleRate == 48_000 && audio?.channels == 2)
    }

    @Test(
        "The bitstream's size is used, but a container may crop the padding of the last blocks",
        arguments: [
            (1920, 1088, 1920, 1080, 1080), (1920, 1088, 1920, 1088, 1088), (160, 90, 640, 120, 90),
            (160, 90, 0, 0, 90),
        ]
    )
    func size(_ row: (Int, Int, Int, Int, Int)) {
        var video = VideoProperties()
        (video.width, video.height) = (row.2, row.3)
        video.complete(width: row.0, height: row.1, display: DisplayParameters(), bitDepth: 8)
        #expect(video.width == row.0 && video.height == row.4)
    }

    @Test("If the avcC record is truncated, parameter sets are taken from the packets", arguments: [9, 6, 30])
    func cutRecord(_ length: Int) throws {
        var specimen = Specimen.avcAnnexB
        specimen.extradata = Array(Specimen.avc.extradata.prefix(length))
        let setup = try specimen.resolve()
        #expect(setup.codecString == "avc1.64000A")
    }

    @Test("HDR metadata in SEI messages becomes mdcv and clli")
    func lightMetadata() throws {
        let tree = BoxTree(bytes: InitSegment.bytes(for: try Specimen.hevc.resolve().track))
        let entry = "moov/trak/mdia/minf/stbl/stsd/hvc1"
        #expect(tree.payload("\(entry)/mdcv") == hex("33c286c41d4c0bb884d03e803d134042 00989680 00000032"))
        #expect(
            try Specimen.hevcAnnexB.resolve().track.video?.contentLight
                == ContentLight(maximum: 1000, frameAverage: 400)
        )
    }

    @Test("hvcC contains only parameter sets, and each array is complete")
    func cleanConfiguration() throws {
        let record = try Specimen.hevc.resolve().track.configuration
        #expect(record[22] == 3)
        #expect(record[23] == 0xA0)
        #expect(try record == Specimen.hevcAnnexB.resolve().track.configuration)
    }

    @Test("Length fields of one or two bytes become four bytes long, and the record says so", arguments: [1, 2])
    func shortLengths(_ size: Int) throws {
        var specimen = Specimen.avc
        specimen.extradata[4] = 0xFC | UInt8(size - 1)
        let unit = Array(specimen.packet.dropFirst(4))
        specimen.packet = [UInt8](repeating: 0, count: size - 1) + [UInt8(unit.count)] + unit
        let setup = try specimen.resolve()
        #expect(setup.transform == .nalUnits(.lengthPrefixed(size)))
        #expect(setup.track.configuration[4] == 0xFF)
        let sample = try setup.transform.apply(ArrayRegion(specimen.packet))
        #expect(ByteBody([sample]).joined == Specimen.avc.packet)
    }

    @Test("A length between 256 and 511 is not mistaken for a start code")
    func lengthLikeStartCode() throws {
        var specimen = Specimen.avc
        specimen.packet = [0, 0, 1, 0x10, 0x65] + [UInt8](repeating: 0x55, count: 271)
        #expect(try specimen.resolve().transform == .nalUnits(.lengthPrefixed(4)))
    }

    @Test("Annex B packets with an avcC record are converted")
    func annexBBesideRecord() throws {
        var specimen = Specimen.avc
        specimen.packet = Specimen.avcAnnexB.packet
        #expect(try specimen.resolve().transform == .nalUnits(.annexB))
    }

    @Test("HE-AAC counts frames at the core's rate and signals the outermost object type")
    func highEfficiency() throws {
        // Object type 5, 24 kHz to 48 kHz, stereo, core AAC-LC.
        var specimen = Specimen.aac
        specimen.extradata = hex("2b118800")
        let setup = try specimen.resolve()
        #expect(setup.codecString == "mp4a.40.5")
        #expect(setup.track.audio?.sampleRate == 48_000)
        #expect((setup.samplesPerFrame, setup.codedSampleRate) == (1024, 24_000))
        #expect(setup.ticksPerFrame == 2048)
        // The same with parametric stereo over a mono core.
        specimen.extradata = hex("eb098800")
        let parametric = try specimen.resolve()
        #expect(parametric.codecString == "mp4a.40.29")
        #expect(parametric.track.audio?.channels == 2)
    }

    @Test("An AC-3 core with a dependent substream becomes one E-AC-3 track with the channels of both")
    func enhancedAroundCore() throws {
        // 48 kHz, 32 kbit/s: 128 bytes of AC-3 in 3/2 with LFE; then 32 bytes for Lrs and Rrs.
        let core = hex("0b77 0000 00 40 e1") + [UInt8](repeating: 0, count: 121)
        let dependent = hex("0b77 400f 34 80 10 20") + [UInt8](repeating: 0, count: 24)
        var specimen = Specimen.eac3
        specimen.packet = core + dependent
        let setup = try specimen.resolve()
        #expect(setup.samplesPerFrame == 1536)
        #expect(setup.track.audio?.channels == 8)
        #expect(setup.track.configuration == hex("0140 100f 0202"))
    }

    @Test("Channels in a program config element are moved to the AudioSpecificConfig")
    func programConfig() throws {
        let track = try Specimen.adtsWithProgramConfig.resolve().track
        #expect(track.audio?.channels == 3)
        #expect(track.configuration.prefix(2) == hex("1180")[...])
        let comment = Array("Lavc59.37.100".utf8)
        #expect(track.configuration.suffix(comment.count) == comment[...])
    }

    @Test("A layout name for a different number of channels is dropped", arguments: [(6, ""), (2, "stereo")])
    func layoutOfContainer(channels: Int, layout: String) throws {
        var audio = AudioProperties()
        (audio.sampleRate, audio.channels, audio.channelLayout) = (48_000, 2, "stereo")
        let setup = try TrackSetup.resolve(
            codec: .aac,
            timescale: 48_000,
            // AAC-LC, 48 kHz; channel configuration 6 or 2.
            extradata: hex(channels == 6 ? "11b0" : "1190"),
            firstPackets: [],
            video: nil,
            audio: audio,
            language: ""
        )
        #expect(setup.track.audio?.channels == channels)
        #expect(setup.track.audio?.channelLayout == layout)
    }

    @Test("Channels are counted in the program config element of a container's AudioSpecificConfig")
    func programConfigOfContainer() throws {
        // 6.0 as FFmpeg writes it: FC and a front pair, a side pair, BC.
        let element = "04c8 4400 2008 840d 4c61 7663 3539 2e33 372e 3130 30"
        var specimen = Specimen.aac
        specimen.extradata = hex("1180 \(element) 56e5 00")
        let track = try specimen.resolve().track
        #expect(track.audio?.channels == 6)
        #expect(track.codecString == "mp4a.40.2")
        #expect(track.configuration == specimen.extradata)
        // The SBR extension follows the element.
        specimen.extradata = hex("1180 \(element) 56e5 98")
        #expect(try specimen.resolve().track.codecString == "mp4a.40.5")
        // A truncated element is ignored; if the container gives no number of channels either, one is assumed.
        specimen.extradata = hex("1180 04c8 44")
        #expect(try specimen.resolve().track.audio?.channels == 1)
    }

    @Test("An invalid minimum block size in STREAMINFO is replaced by the maximum")
    func blockSizeClamp() throws {
        var specimen = Specimen.flac
        specimen.extradata.replaceSubrange(0..<2, with: [0, 0])
        #expect(try specimen.resolve().track.configuration == Specimen.flac.resolve().track.configuration)
    }

    @Test("STREAMINFO is found in each of its wrappings")
    func streamInfoWrappings() throws {
        let expected = try Specimen.flac.resolve().track.configuration
        var specimen = Specimen.flac
        specimen.extradata = hex("00000022") + Specimen.flac.extradata
        #expect(try specimen.resolve().track.configuration == expected)
        specimen.extradata = Array("fLaC".utf8) + hex("80000022") + Specimen.flac.extradata
        #expect(try specimen.resolve().track.configuration == expected)
    }

    @Test("Missing configuration and unsupported codecs are distinct errors")
    func failures() {
        var specimen = Specimen.opus
        specimen.extradata = []
        #expect(throws: PackagingError.self) { try specimen.resolve() }
        #expect(code(of: specimen) == .missingConfiguration)
        specimen.codec = CodecID(rawValue: "wmav2")
        #expect(code(of: specimen) == .unsupportedCodec)
        specimen.codec = .aac
        #expect(code(of: specimen) == .unsupportedFeature)
    }

    private func code(of specimen: Specimen) -> PackagingError.Code? {
        do {
            _ = try specimen.resolve()
            return nil
        } catch { return error.code }
    }
}
