// SPDX-License-Identifier: Apache-2.0

import Decoding
import EngineModel
import Subtitles
import Testing

@testable import Segments
@testable import Sessions

@Suite("Findings that a session reports once", .timeLimit(.minutes(10)))
struct SessionLedgerTests {
    /// A finding of the producer, and the code of the notice that reports it.
    struct Finding: Sendable, CustomTestStringConvertible {
        let code: String
        let report: SegmentProducer.Report
        var testDescription: String { code }

        init(_ code: String, _ change: (inout SegmentProducer.Report) -> Void) {
            self.code = code
            var report = SegmentProducer.Report()
            change(&report)
            self.report = report
        }
    }

    private static let findings = [
        Finding("segment.packets_dropped") { $0.droppedPackets = 3 },
        Finding("video.format_changed") { $0.hasDynamicMetadata = true },
        Finding("video.captions_found") { $0.captionChannels = ["CC1"] },
        Finding("video.rpu_dropped") { $0.picturesWithoutMetadata = 2 },
        Finding("audio.part_not_served") { $0.unknownAudioPackets = 5 },
        Finding("bridge.packets_broken") { $0.brokenAudioPackets = 4 },
        Finding("bridge.silent") { $0.silentSegments = 1 },
        Finding("bridge.format_changed") { $0.changedFormats = 1 },
        Finding("audio.untreated") { $0.untreatedSegments = 1 },
    ]

    @Test("each finding of the producer is reported the first time only", arguments: findings)
    func once(finding: Finding) {
        var ledger = SessionLedger()
        let video = VideoProperties()
        #expect(ledger.entries(for: SegmentProducer.Report(), of: video, losesCaptions: false).isEmpty)
        #expect(
            ledger.entries(for: finding.report, of: video, losesCaptions: false).map(\.notice.code) == [finding.code]
        )
        #expect(ledger.entries(for: finding.report, of: video, losesCaptions: false).isEmpty)
    }

    @Test("findings of one report are all reported, in a fixed order")
    func together() {
        var report = SegmentProducer.Report()
        report.droppedPackets = 1
        report.hasDynamicMetadata = true
        report.captionChannels = ["CC1"]
        report.picturesWithoutMetadata = 1
        report.unknownAudioPackets = 1
        report.brokenAudioPackets = 1
        report.silentSegments = 1
        report.changedFormats = 1
        report.untreatedSegments = 1
        var ledger = SessionLedger()
        #expect(
            ledger.entries(for: report, of: VideoProperties(), losesCaptions: false).map(\.notice.code)
                == Self.findings.map(\.code)
        )
    }

    @Test("notices of the producer are passed on, each once")
    func notices() {
        var ledger = SessionLedger()
        var report = SegmentProducer.Report()
        let notices = (0..<3).map { Notice(.info, "audio.codec_changes", "\($0)") }
        let found = [1, 1, 3].map { count in
            report.notices = Array(notices.prefix(count))
            return ledger.entries(for: report, of: nil, losesCaptions: false).map(\.notice)
        }
        #expect(found == [[notices[0]], [], [notices[1], notices[2]]])
    }

    @Test("only packets dropped since the last report are counted")
    func droppedPackets() {
        var ledger = SessionLedger()
        let texts = [2, 5, 5].map { count in
            var report = SegmentProducer.Report()
            report.droppedPackets = count
            return ledger.entries(for: report, of: nil, losesCaptions: false).map { $0.notice.message.prefix(1) }
        }
        #expect(texts == [["2"], ["3"], []])
    }

    @Test("without video, no finding about video is reported")
    func withoutVideo() {
        var report = SegmentProducer.Report()
        report.hasDynamicMetadata = true
        report.captionChannels = ["CC1"]
        var ledger = SessionLedger()
        #expect(ledger.entries(for: report, of: nil, losesCaptions: false).isEmpty)
        #expect(ledger.lateCaptions.isEmpty)
    }

    @Test("announced caption channels are not reported, and every other channel is reported once")
    func captions() {
        var video = VideoProperties()
        video.captionChannels = ["CC1"]
        var ledger = SessionLedger()
        let changes = [["CC1"], ["CC1", "CC3"], ["CC3"], ["CC1", "CC3", "CC2"]]
            .map { ledger.entry(forCaptions: Set($0), of: video, areLost: false)?.change }
        #expect(
            changes == [
                nil, .captions(new: ["CC3"], all: ["CC1", "CC3"]), nil,
                .captions(new: ["CC2"], all: ["CC1", "CC2", "CC3"]),
            ]
        )
        #expect(ledger.lateCaptions == ["CC2", "CC3"])
    }

    @Test("captions that are lost are reported as such, once for each channel")
    func lostCaptions() {
        var report = SegmentProducer.Report()
        report.captionChannels = ["CC1"]
        var ledger = SessionLedger()
        let found = ledger.entries(for: report, of: VideoProperties(), losesCaptions: true)
        #expect(found.map(\.notice.code) == ["video.captions_lost"] && found[0].notice.severity == .warning)
        #expect(found[0].change == .captions(new: ["CC1"], all: ["CC1"]))
        #expect(ledger.entries(for: report, of: VideoProperties(), losesCaptions: true).isEmpty)
        report.captionChannels = ["CC1", "SERVICE1"]
        let later = ledger.entries(for: report, of: VideoProperties(), losesCaptions: true)
        #expect(later.map(\.change) == [.captions(new: ["SERVICE1"], all: ["CC1", "SERVICE1"])])
    }

    @Test("each track whose cues cannot be read is reported once, and so is the omission of cues")
    func cues() {
        let broken = EngineError(.noPlayableStream, "the decoder rejected it")
        var ledger = SessionLedger()
        var failures = CueFailures()
        func texts(isCut: Bool = false) -> [String] {
            ledger.entries(forCues: failures, isCut: isCut).map { "\($0.notice.code): \($0.notice.message)" }
        }
        #expect(texts().isEmpty)
        failures[3] = broken
        #expect(texts() == ["subtitles.unreadable: cues of subtitle track 3 are missing: \(broken)"])
        failures[2] = broken
        #expect(texts() == ["subtitles.unreadable: cues of subtitle track 2 are missing: \(broken)"])
        failures.search = EngineError(.sourceReadFailed, "the disk is gone")
        #expect(
            texts(isCut: true).map { $0.prefix { $0 != ":" } } == ["subtitles.unreadable", "subtitles.cues_left_out"]
        )
        #expect(texts(isCut: true).isEmpty)
    }

    @Test("audio that cannot be decoded is reported once for each stream and codec, in order of time")
    func undecodedAudio() {
        let subjects = [("ac4", 4.0), (nil, 2.5), ("mpegh_3d_audio", nil)].map { codec, time in
            UndecodedAudio(
                UndecodedAudio.Subject(stream: 1, codec: codec.map { CodecID(rawValue: $0) }),
                at: time.map { .seconds($0) },
                because: "there is no decoder"
            )
        }
        var ledger = SessionLedger()
        func notices(_ found: [UndecodedAudio]) -> [Notice] {
            let bySubject = Dictionary(found.map { ($0.subject, $0) }) { first, _ in first }
            return ledger.entries(forUndecoded: bySubject).map(\.notice)
        }
        #expect(notices([]).isEmpty)
        let first = notices([subjects[0]])
        #expect(first.map(\.code) == ["audio.part_not_decoded"] && first[0].severity == .warning)
        #expect(
            first.map(\.message) == [
                "from 4.0 s on, the ac4 audio of stream 1 cannot be decoded: there is no decoder"
            ]
        )
        #expect(
            notices(subjects).map(\.message) == [
                "the mpegh_3d_audio audio of stream 1 cannot be decoded: there is no decoder",
                "from 2.5 s on, audio of stream 1 cannot be decoded: there is no decoder",
            ]
        )
        #expect(notices(subjects).isEmpty)
    }

    @Test("each change reaches the description of the lead stream, and no other stream")
    func published() {
        var media = MediaDescription()
        media.streams = [StreamDescription(), StreamDescription()]
        media.streams[1].kind = .video
        media.streams[1].video = VideoProperties()
        media.streams[1].video?.sourceVideoFormat = .hdr10
        media.streams[1].delivery = Delivery(
            codec: CodecID(rawValue: "h264"),
            sampleEntry: "avc1",
            codecString: "avc1.64001f"
        )
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: "s1"), source: "", url: "", position: anchor)
        state.media = media
        state.apply(.dynamicMetadata, toStream: 1)
        state.apply(.captions(new: ["CC3"], all: ["CC1", "CC3"]), toStream: 1)
        let format = SessionLedger.PictureFormat(width: 1920, height: 1080, sampleAspectRatio: Ratio(4, 3))
        state.apply(.versions(codecString: "avc1.640028", format), toStream: 1)
        let video = state.media?.streams[1].video
        #expect(video?.sourceVideoFormat == .hdr10Plus)
        #expect(video?.hasDynamicMetadata == true)
        #expect(video?.captionChannels == ["CC1", "CC3"])
        #expect(video?.width == 1920)
        #expect(video?.sampleAspectRatio == Ratio(4, 3))
        #expect(state.media?.streams[1].delivery?.codecString == "avc1.640028")
        #expect(state.media?.streams[0] == media.streams[0])
    }
}
