// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
@testable import Packaging
import Testing

@Suite struct HLSDialectTests {
    @Test(
        "Ad break marks are read in the dialects of various packagers",
        arguments: [
            ("#EXT-X-CUE-OUT:30.5", .breakStart(duration: .seconds(30.5)), nil),
            ("#EXT-X-CUE-OUT:DURATION=\"30\",BREAKID=7", .breakStart(duration: .seconds(30)), nil),
            ("#EXT-X-CUE-OUT", .breakStart(duration: nil), nil),
            ("#EXT-X-CUE-OUT-CONT:8.3/30", .breakContinues(elapsed: .seconds(8.3), duration: .seconds(30)), nil),
            (
                "#EXT-X-CUE-OUT-CONT:ElapsedTime=8.3,Duration=30,SCTE35=/AAR",
                .breakContinues(elapsed: .seconds(8.3), duration: .seconds(30)), [0xFC, 0, 0x11]
            ),
            ("#EXT-X-CUE-IN", .breakEnd, nil), ("#EXT-X-CUE:TYPE=\"SpliceIn\",ID=\"1\"", .breakEnd, nil),
            ("#EXT-OATCLS-SCTE35:/AAR", .scte35, [0xFC, 0, 0x11]),
            ("#EXT-X-SPLICEPOINT-SCTE35:/AAR", .scte35, [0xFC, 0, 0x11]),
            ("#EXT-X-SCTE35:TYPE=0x22,CUE=\"/AAR\"", .scte35, [0xFC, 0, 0x11]),
            ("#EXT-OATCLS-SCTE35:AAAA", .scte35, nil), ("#EXT-X-ASSET:CAID=0x0203", .asset, nil),
        ] as [(String, HLSAdMark.Kind, [UInt8]?)]
    )
    func marks(_ line: String, _ kind: HLSAdMark.Kind, _ message: [UInt8]?) throws {
        let playlist = try Script.media("#EXT-X-TARGETDURATION:6", "#EXTINF:6,", "a", line, "#EXTINF:6,", "b")
        #expect(playlist.segments[0].marks.isEmpty)
        #expect(playlist.segments[1].marks.map(\.kind) == [kind])
        #expect(playlist.segments[1].marks.first?.message == message)
        #expect(playlist.notices.list.isEmpty)
    }

    @Test("Date ranges carry messages, interstitials and other attributes; tags with the same ID form one range")
    func dateRanges() throws {
        let playlist = try Script.media(
            "#EXT-X-TARGETDURATION:6",
            "#EXT-X-DATERANGE:ID=\"1\",CLASS=\"c\",START-DATE=\"2026-11-05T08:00:00Z\",PLANNED-DURATION=30,SCTE35-OUT=0xFC0011,X-A=0x1F,X-B=\"b\"",
            "#EXT-X-DATERANGE:ID=\"ad\",CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-11-05T08:00:10Z\",CUE=\"PRE,ONCE\",X-ASSET-URI=\"../ad.m3u8\",X-RESUME-OFFSET=0,X-PLAYOUT-LIMIT=5.5,X-RESTRICT=\"SKIP,JUMP\"",
            "#EXTINF:6,",
            "a",
            "#EXT-X-DATERANGE:ID=\"1\",END-DATE=\"2026-11-05T08:00:30Z\",SCTE35-IN=0xFC0012",
            "#EXT-X-DATERANGE:ID=\"list\",START-DATE=\"2026-11-05T08:00:20Z\",X-ASSET-LIST=\"ads.json\""
        )
        #expect(playlist.dateRanges.map(\.id) == ["1", "ad", "list"])
        let first = playlist.dateRanges[0]
        #expect(first.scte35Out == [0xFC, 0, 0x11])
        #expect(first.scte35In == [0xFC, 0, 0x12])
        #expect(first.plannedDuration == .seconds(30))
        #expect(zip2(first.end, first.start).map { $0 - $1 } == .seconds(30))
        #expect(first.others == ["X-A": "0x1F", "X-B": "b"])
        let ad = playlist.dateRanges[1]
        #expect(ad.cue == ["PRE", "ONCE"])
        #expect(
            ad.interstitial
                == HLSInterstitial(
                    asset: .playlist("https://host/ad.m3u8"),
                    resumeOffset: .zero,
                    playoutLimit: .seconds(5.5),
                    restrictions: ["SKIP", "JUMP"]
                )
        )
        #expect(playlist.dateRanges[2].interstitial?.asset == .list("https://host/live/ads.json"))
    }

    private func zip2(_ one: WallTime?, _ other: WallTime?) -> (WallTime, WallTime)? {
        guard let one, let other else { return nil }
        return (one, other)
    }

    @Test(
        "Dates are read as packagers write them",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-05T08:15:30.25+01:00", 1_793_862_930_250_000),
            ("2026-11-05T08:15:30,25+0100", 1_793_862_930_250_000),
            ("2026-11-05 07:15:30.250000999Z", 1_793_862_930_250_000),
            ("2026-11-05T08:15:30.25+01", 1_793_862_930_250_000), ("2000-02-29T23:59:60Z", 951_868_800_000_000),
            ("1969-12-31T23:59:59.5Z", -500_000), ("2026-13-05T08:15:30Z", nil), ("2026-11-05", nil),
            ("2026-11-05T08:15:30.Z", nil), ("2026-11-05T08:15:30+1", nil), ("2026-11-05T08:15:30Zx", nil),
        ] as [(String, Int64?)]
    )
    func dates(_ text: String, _ microseconds: Int64?) throws {
        let playlist = try Script.media(
            "#EXT-X-TARGETDURATION:6",
            "#EXT-X-PROGRAM-DATE-TIME:\(text)",
            "#EXTINF:6,",
            "a"
        )
        #expect(playlist.segments.first?.date?.microseconds == microseconds)
    }

    @Test("A delta update is completed with the skipped entries, whose key, map, range and date apply to later entries")
    func delta() throws {
        let head = ["#EXT-X-TARGETDURATION:6", "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=36,CAN-SKIP-DATERANGES=YES"]
        let whole = [
            "#EXT-X-DATERANGE:ID=\"old\",START-DATE=\"2026-11-05T08:00:00Z\"",
            "#EXT-X-DATERANGE:ID=\"kept\",START-DATE=\"2026-11-05T08:00:00Z\"",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXT-X-MAP:URI=\"i\"",
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-05T08:00:00Z",
            "#EXTINF:6,", "#EXT-X-BYTERANGE:10@5", "a", "#EXTINF:6,", "#EXT-X-DISCONTINUITY", "#EXT-X-BYTERANGE:10",
            "a",
        ]
        let added = ["#EXTINF:6,", "#EXT-X-BYTERANGE:7", "a", "#EXT-X-DISCONTINUITY", "#EXTINF:5,", "b"]
        let media = { (lines: [String], base: HLSMediaPlaylist?) in
            try Script.media((head + ["#EXT-X-MEDIA-SEQUENCE:8"] + lines).joined(separator: "\n"), continuing: base)
        }
        let base = try media(whole, nil)
        let skip = "#EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES=\"old\""
        let delta = try media([skip] + added, base)
        let full = try media(whole + added, nil)
        #expect(delta.segments == full.segments)
        #expect(delta.segments.map(\.discontinuity) == [0, 1, 1, 2])
        #expect(delta.segments[2].byteRange == HLSByteRange(offset: 25, length: 7))
        #expect(delta.skip?.segments == 2)
        #expect(delta.dateRanges.map(\.id) == ["kept"])
        #expect(throws: HLSPlaylistError.self) { try media(["#EXT-X-SKIP:SKIPPED-SEGMENTS=3"] + added, base) }
    }

    @Test("Parts, hints and reports are read; parts after the last entry belong to the incomplete segment")
    func lowLatency() throws {
        let playlist = try Script.media(
            "#EXT-X-TARGETDURATION:4",
            "#EXT-X-PART-INF:PART-TARGET=1.004",
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.012,HOLD-BACK=12",
            "#EXT-X-PART:DURATION=1,URI=\"a\",BYTERANGE=\"10@0\",INDEPENDENT=YES",
            "#EXT-X-PART:DURATION=1,URI=\"a\",BYTERANGE=\"20\"",
            "#EXTINF:2,",
            "a",
            "#EXT-X-PART:DURATION=1,URI=\"b0\",GAP=YES",
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"b1\",BYTERANGE-START=5",
            "#EXT-X-RENDITION-REPORT:URI=\"../1080/x.m3u8\",LAST-MSN=7,LAST-PART=2"
        )
        #expect(playlist.segments[0].parts.map(\.byteRange?.offset) == [0, 10])
        #expect(playlist.segments[0].parts.map(\.isIndependent) == [true, false])
        #expect(playlist.parts.map(\.url) == ["https://host/live/b0"])
        #expect(playlist.parts.map(\.isGap) == [true])
        #expect(!playlist.isOpenDiscontinuous && !playlist.isOpenGap)
        #expect(playlist.partTarget == .seconds(1.004))
        #expect(playlist.control.partHoldBack == .seconds(3.012))
        #expect(
            playlist.preloadHints == [HLSPreloadHint(kind: .part, url: "https://host/live/b1", offset: 5, length: nil)]
        )
        #expect(playlist.reports == [HLSRenditionReport(url: "https://host/1080/x.m3u8", lastSequence: 7, lastPart: 2)])
    }

    @Test("A discontinuity or a gap after the last entry belongs to the incomplete segment")
    func openSegment() throws {
        func playlist(_ lines: String...) throws -> HLSMediaPlaylist {
            let all = ["#EXT-X-TARGETDURATION:4", "#EXTINF:2,", "a"] + lines
            return try Script.media(all.joined(separator: "\n"))
        }
        let part = "#EXT-X-PART:DURATION=1,URI=\"b0\""
        let broken = try playlist("#EXT-X-DISCONTINUITY", part)
        #expect(broken.isOpenDiscontinuous && !broken.isOpenGap && broken.parts.count == 1)
        let missing = try playlist("#EXT-X-GAP", part)
        #expect(!missing.isOpenDiscontinuous && missing.isOpenGap)
        let listed = try playlist("#EXT-X-DISCONTINUITY", "#EXT-X-GAP", "#EXTINF:2,", "b", part)
        #expect(!listed.isOpenDiscontinuous && !listed.isOpenGap && listed.segments[1].isDiscontinuous)
    }

    @Test(
        "A playlist lists the last segment or part that a rendition report names, or is behind the report",
        arguments: [
            (7, nil, true), (6, 9, true), (8, nil, false), (8, 0, true), (8, 1, true), (8, 2, false), (9, 0, false),
            (nil, nil, true),
        ] as [(Int64?, Int64?, Bool)]
    )
    func reports(sequence: Int64?, part: Int64?, isListed: Bool) throws {
        let playlist = try Script.media(
            "#EXT-X-TARGETDURATION:4",
            "#EXT-X-MEDIA-SEQUENCE:6",
            "#EXTINF:2,",
            "a",
            "#EXTINF:2,",
            "b",
            "#EXT-X-PART:DURATION=1,URI=\"c0\"",
            "#EXT-X-PART:DURATION=1,URI=\"c1\""
        )
        #expect(playlist.lists(HLSRenditionReport(url: "x", lastSequence: sequence, lastPart: part)) == isListed)
    }

    @Test("The variants, renditions and data of a multivariant playlist are read")
    func multivariant() throws {
        let playlist = try Script.multivariant(
            "#EXT-X-INDEPENDENT-SEGMENTS",
            "#EXT-X-DEFINE:NAME=\"v\",VALUE=\"x\"",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"Deutsch\",LANGUAGE=\"de\",DEFAULT=YES,CHANNELS=\"6\",URI=\"de.m3u8\"",
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"English\",LANGUAGE=\"en\",AUTOSELECT=YES",
            "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"c\",NAME=\"CC\",INSTREAM-ID=\"SERVICE2\"",
            "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"lost\"",
            "#EXT-X-STREAM-INF:BANDWIDTH=1000,AVERAGE-BANDWIDTH=900,CODECS=\"avc1.4D401F, mp4a.40.2\",RESOLUTION=1280x720,FRAME-RATE=29.97,AUDIO=\"a\",CLOSED-CAPTIONS=\"c\",VIDEO-RANGE=SDR",
            "{$v}/720.m3u8",
            "#EXT-X-STREAM-INF:BANDWIDTH=500,CODECS=avc1.4D401F,mp4a.40.2,AUDIO=\"other\",CLOSED-CAPTIONS=NONE",
            "360.m3u8",
            "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,URI=\"i.m3u8\"",
            "#EXT-X-SESSION-DATA:DATA-ID=\"t\",VALUE=\"A, B\"",
            "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\"",
            "#EXT-X-CONTENT-STEERING:SERVER-URI=\"s.json\",PATHWAY-ID=\"A\"",
            "#EXT-X-START:TIME-OFFSET=-12.5,PRECISE=YES"
        )
        #expect(playlist.variants.map(\.url) == ["https://host/live/x/720.m3u8", "https://host/live/360.m3u8"])
        #expect(playlist.variants.map(\.codecs) == [["avc1.4D401F", "mp4a.40.2"], ["avc1.4D401F", "mp4a.40.2"]])
        #expect(playlist.variants.map(\.hasNoCaptions) == [false, true])
        #expect(playlist.variants[0].resolution == HLSResolution(width: 1280, height: 720))
        #expect(playlist.variants[0].frameRate == 29.97)
        let audio = playlist.renditions(.audio, group: playlist.variants[0].audioGroup)
        #expect(audio.map(\.name) == ["Deutsch", "English"])
        #expect(audio.map(\.isAutoselected) == [true, true])
        #expect(audio.map(\.url) == ["https://host/live/de.m3u8", nil])
        #expect(playlist.renditions(.captions, group: "c").map(\.captionService) == ["SERVICE2"])
        #expect(playlist.keyframeVariants.map(\.url) == ["https://host/live/i.m3u8"])
        #expect(playlist.sessionData.map(\.value) == ["A, B"])
        #expect(playlist.sessionKeys == [HLSKey(method: .aes128, url: "https://host/live/k")])
        #expect(playlist.steering?.pathway == "A")
        #expect(playlist.start == HLSStart(offset: .seconds(-12.5), isPrecise: true))
        #expect(playlist.variables == ["v": "x"])
        #expect(
            Set(playlist.notices.counts.keys) == [.malformedAttributes, .unquotedString, .missingGroup, .ignoredTag]
        )
    }

    /// A test case with a short description, whose text is generated only when the case runs.
    struct Limit: CustomTestStringConvertible {
        var testDescription: String
        var reason: HLSPlaylistError.Reason
        var text: @Sendable () -> String

        init(_ name: String, _ reason: HLSPlaylistError.Reason, _ text: @escaping @Sendable () -> String) {
            testDescription = name
            self.reason = reason
            self.text = text
        }
    }

    static let limitCases = [
        Limit("bytes", .tooLarge) { String(repeating: "\n", count: HLSLimits.bytes) },
        Limit("line", .lineTooLong) { "#EXT-X-KEY:URI=\"\(String(repeating: "x", count: HLSLimits.lineBytes))\"" },
        Limit("attributes", .tooManyAttributes) {
            "#EXT-X-DATERANGE:" + (0...HLSLimits.attributes).map { "X-\($0)=1" }.joined(separator: ",")
        },
        Limit("variables", .tooManyVariables) {
            (0...HLSLimits.variables).map { "#EXT-X-DEFINE:NAME=\"\($0)\",VALUE=\"\"\n" }.joined()
        },
    ]

    static let largeLimitCases = [
        Limit("entries", .tooManyEntries) { String(repeating: "#EXTINF:1,\na\n", count: HLSLimits.entries + 1) },
        Limit("parts", .tooManyEntries) { String(repeating: "#EXT-X-PART:URI=\"a\"\n", count: HLSLimits.entries + 1) },
        Limit("date ranges", .tooManyEntries) {
            (0...HLSLimits.entries).map { "#EXT-X-DATERANGE:ID=\"\($0)\"\n" }.joined()
        },
        Limit("lines", .tooManyLines) { String(repeating: "#EXTX\n", count: HLSLimits.lines) },
    ]

    @Test("The text that variables add to a playlist is limited")
    func derived() {
        let long = String(repeating: "x", count: 1 << 20)
        let names = (0..<100).map { "v\($0)" }
        let lines = names.map { "#EXT-X-DEFINE:IMPORT=\"\($0)\"" }.joined(separator: "\n")
        let error = #expect(throws: HLSPlaylistError.self) {
            try Script.parse(
                "#EXT-X-ENDLIST",
                lines,
                importing: Dictionary(uniqueKeysWithValues: names.map { ($0, long) })
            )
        }
        #expect(error?.reason == .expandsTooMuch)
        // The line that exceeds 64 MiB.
        #expect(error?.line == 2 + 65)
    }

    @Test("Each limit has its error", arguments: limitCases + (Tier.current == .long ? largeLimitCases : []))
    func limited(_ limit: Limit) {
        let error = #expect(throws: HLSPlaylistError.self) { try Script.parse("#EXT-X-ENDLIST", limit.text()) }
        #expect(error?.reason == limit.reason)
    }
}

/// Playlists of real packagers, if installed.
@Suite(.enabled(if: SampleCorpus.directory != nil, "the sample files are not there; set ENGINE_MEDIA to their folder"))
struct HLSCorpusTests {
    static let files: [String] = {
        guard let directory = SampleCorpus.directory, let walk = FileManager.default.enumerator(atPath: directory.path)
        else { return [] }
        return walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".m3u8") }.sorted()
    }()

    /// Mistakes that the files are known to have.
    private static let expected: Set<HLSNotice.Kind> = [
        .missingComma, .quotedValue, .missingBandwidth, .surroundingSpace, .longEntry, .lateTag,
    ]

    @Test("Playlists of real packagers are read, and the variants that they name exist", arguments: files)
    func read(_ name: String) throws {
        let directory = try #require(SampleCorpus.directory)
        let file = directory.appendingPathComponent(name)
        let playlist = try HLSPlaylist.parse(Array(try Data(contentsOf: file)), url: file.absoluteString)
        #expect(Set(playlist.notices.counts.keys).isSubset(of: Self.expected), "\(playlist.notices.list)")
        switch playlist {
        case .multivariant(let multivariant):
            for url in multivariant.variants.map(\.url) {
                #expect(FileManager.default.fileExists(atPath: URL(string: url)?.path ?? ""), "\(url)")
            }
        case .media(let media):
            #expect(!media.segments.isEmpty)
            // The corpus has most bundles without their media.
            #expect(media.segments.allSatisfy { $0.url.hasPrefix("file:///") && $0.duration > .zero })
        }
    }
}
