// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineClient
import EngineJSON
import Foundation
import Testing

@testable import enginectl

@Suite("What enginectl reads and writes")
struct TextTests {
    @Test(
        "Times are read as people write them",
        arguments: [
            ("90", 90_000_000, false), ("90.5", 90_500_000, false), ("2:03", 123_000_000, false),
            ("1:02:03.0004", 3_723_000_400, false), ("+10", 10_000_000, true), ("-0:30", -30_000_000, true),
        ] as [(String, Int64, Bool)]
    )
    func times(text: String, microseconds: Int64, isRelative: Bool) {
        let time = TimeArgument(argument: text)
        #expect(time?.time.microseconds == microseconds)
        #expect(time?.isRelative == isRelative)
    }

    @Test(
        "A URL in a message has no user name, password or query",
        arguments: [
            ("http://me:secret@host:81/a%20b/list.m3u8?token=1#x", "http://host:81/a%20b/list.m3u8"),
            ("https://host/", "https://host/"), ("file:///films/a.m3u8", "/films/a.m3u8"),
        ]
    )
    func shownURLs(text: String, shown: String) throws { #expect(try #require(URL(string: text)).shown == shown) }

    @Test(
        "Anything that is not a time is rejected",
        arguments: [
            "", "soon", "1:60", "1:2:3:4", ":5", "5:", "1.", "1e3", "--5", "1:-2", "9999999999",
        ]
    )
    func noTimes(text: String) { #expect(TimeArgument(argument: text) == nil) }

    @Test(
        "A file name that looks like an option is found before the parser splits it into letters",
        arguments: [
            (["probe", "-dash.mkv"], "-dash.mkv"), (["probe", "--", "-dash.mkv"], nil), (["seek", "-0:30"], nil),
            (["snapshot", "a.mkv", "-o", "-"], nil), (["volume", "-.5"], nil), (["-h"], nil),
            (["probe", "--json"], nil),
        ] as [([String], String?)]
    )
    func misleading(arguments: [String], found: String?) {
        #expect(MisreadArguments.misleading(in: arguments) == found)
    }

    @Test(
        "A rate is one number, which may be negative and follow two dashes",
        arguments: [
            (["1.5"], 1.5), (["-1"], -1), (["--", "-1"], -1), (["fast"], nil), (["nan"], nil), (["inf"], nil),
            (["1", "2"], nil), (["--json"], nil),
        ] as [([String], Double?)]
    )
    func rates(arguments: [String], rate: Double?) { #expect(Rate.number(arguments) == rate) }

    @Test(
        "A variant is named by its number, its bandwidth or its name",
        arguments: [
            ("auto", .automatic), ("2", .index(2)), ("bandwidth=800000", .bandwidth(800_000)),
            ("bandwidth=2.5M", .bandwidth(2_500_000)), ("720p", .name("720p")), ("name=2", .name("2")),
            ("bandwidth=", nil), ("bandwidth=fast", nil), ("bandwidth=1e3", nil), ("bandwidth=0", nil),
            ("9999999999", nil),
        ] as [(String, VariantSelection.Choice?)]
    )
    func variants(text: String, choice: VariantSelection.Choice?) {
        #expect(VariantArgument(argument: text)?.choice == choice)
    }

    @Test("An unknown track is an error that lists the known ones")
    func missingTracks() throws {
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: "1"), source: "", url: "", position: anchor)
        state.media = MediaDescription()
        state.media?.streams = [("eng", 1), ("ger", 2)].map { language, index in
            var stream = StreamDescription()
            (stream.kind, stream.index, stream.language) = (.audio, index, language)
            return stream
        }
        for selection in [.automatic, .stream(2), .languages(["fr", "de"])] as [AudioSelection] {
            try TracksText(state: state).require(selection)
        }
        for (selection, wanted) in [
            (.stream(0), "0"), (.stream(99), "99"), (.languages(["fr", "es"]), "fr,es"),
        ] as [(AudioSelection, String)] {
            let message = "no audio track matches \"\(wanted)\"; the source has: 1 (eng), 2 (ger)"
            #expect(throws: Failure(.failed, message)) { try TracksText(state: state).require(selection) }
        }
        try SubtitlesText(state: state).require(.none)
        #expect(throws: Failure(.failed, "the source has no subtitle tracks")) {
            try SubtitlesText(state: state).require(.tracks([99]))
        }
        state.subtitleTracks = [
            SubtitleTrack(
                id: 3,
                codec: CodecID(rawValue: "subrip"),
                language: "eng",
                isText: true,
                origin: .embedded(stream: 3)
            ),
            SubtitleTrack(id: 4, codec: CodecID(rawValue: "subrip"), isText: true, origin: .embedded(stream: 4)),
        ]
        #expect(throws: Failure(.failed, "no subtitle track matches \"99\"; the source has: 3 (eng), 4")) {
            try SubtitlesText(state: state).require(.tracks([3, 99]))
        }
    }

    @Test(
        "Seek targets are read as people write them",
        arguments: [
            ("50%", .fraction(0.5)), ("begin", .target(.begin)), ("90", .target(.position(.seconds(90)))),
            ("+10", .target(.relative(.seconds(10)))), ("101%", nil), ("+5%", nil), ("%", nil), ("half", nil),
        ] as [(String, SeekArgument?)]
    )
    func places(text: String, place: SeekArgument?) { #expect(SeekArgument(text) == place) }

    @Test(
        "A volume is a number, a percentage or a change in percent points",
        arguments: [
            ("0.8", .absolute(0.8)), ("80%", .absolute(0.8)), ("+5", .relative(0.05)), ("-5%", .relative(-0.05)),
            ("loud", nil), ("nan", nil), ("", nil), ("%", nil),
        ] as [(String, VolumeArgument?)]
    )
    func volumes(text: String, volume: VolumeArgument?) { #expect(VolumeArgument(argument: text) == volume) }

    @Test("Chapters are counted from 1")
    func chapters() {
        #expect(ChapterArgument(argument: "3") == .number(3))
        #expect(ChapterArgument(argument: "next") == .step(.next))
        #expect(["0", "-1", "last", ""].compactMap(ChapterArgument.init(argument:)).isEmpty)
    }

    @Test("The status shows volume, loop, chapter and subtitles")
    func status() {
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: "1"), source: "", url: "", position: anchor)
        state.production.segmentsEvicted = 2
        var lines = SessionText(state: state, now: 0).lines
        for line in ["volume    100 %", "loop      off", "chapter   none", "subtitles none"] {
            #expect(lines.contains(line))
        }
        #expect(lines.last?.hasSuffix("2 evicted") == true)
        (state.phase, state.sourceWait) = (.buffering, .retrying(status: 503))
        #expect(SessionText(state: state, now: 0).lines.contains("state     buffering, source retrying 503"))
        #expect(SessionText(state: state, now: 0).line.contains("  buffering, source retrying 503  "))
        state.sourceWait = nil
        #expect(SessionText(state: state, now: 0).server == nil)
        state.statistics.traffic.requests = 31
        state.statistics.traffic.retries = 2
        state.statistics.traffic.roundTripMicroseconds = 15_900
        #expect(
            SessionText(state: state, now: 0).server
                == "0 B in 31 requests, 2 of them retries; round trip 15 ms; 0 B/s, recently 0 B/s"
        )
        #expect(SessionText(state: state, now: 0).lines.contains("state     buffering"))
        state.media = MediaDescription()
        state.media?.chapters = [Chapter(start: .zero, end: .seconds(1), title: "First")]
        state.subtitleTracks = [
            SubtitleTrack(id: 3, codec: CodecID(rawValue: "subrip"), isText: true, origin: .embedded(stream: 3))
        ]
        (state.volume, state.isMuted, state.isLooping, state.chapter) = (0.5, true, true, 0)
        lines = SessionText(state: state, now: 0).lines
        for line in ["volume    50 %, muted", "loop      on", "chapter   1 of 1, \"First\"", "subtitles off"] {
            #expect(lines.contains(line))
        }
        state.selectedSubtitles = [3]
        #expect(SessionText(state: state, now: 0).lines.contains("subtitles #3: subrip"))
    }

    @Test("For a source that no player can fetch, a line that says how to play it replaces the URL")
    func softwareRoute() {
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(
            id: SessionID(rawValue: "7"),
            source: "/films/it's.mpg",
            url: "http://x/",
            position: anchor
        )
        state.route = .remux("")
        #expect(SessionText(state: state, now: 0).howToPlay == nil)
        state.route = .software("mpeg2video is too old")
        let line =
            "no player takes this (mpeg2video is too old): enginectl play '/films/it'\\''s.mpg', or attach a front-end to session 7"
        #expect(SessionText(state: state, now: 0).howToPlay == line)
        #expect(SessionText(state: state, now: 0).lines.contains("url       \(line)"))
        // Audio that reaches a player is no obstacle.
        var (video, audio) = (StreamDescription(), StreamDescription())
        (video.kind, video.codec, video.route) = (.video, CodecID(rawValue: "mpeg2video"), .software("is too old"))
        (audio.kind, audio.index, audio.route) = (.audio, 1, .remux("every player takes it"))
        state.media = MediaDescription()
        state.media?.streams = [video, audio]
        state.selectedAudio = 1
        state.route = .software("mpeg2video stream 0: is too old; mp2 stream 1: every player takes it")
        let obstacle = SessionText(state: state, now: 0).howToPlay
        #expect(obstacle?.hasPrefix("no player takes this (mpeg2video stream 0: is too old): enginectl") == true)
        #expect(Words.quoted("/films/a-1.mkv") == "/films/a-1.mkv")
        #expect(Words.quoted("a b") == "'a b'")
    }

    @Test("Numbers are formatted for people")
    func words() {
        #expect(Words.time(.seconds(3723.5), withMilliseconds: true) == "1:02:03.500")
        #expect(Words.time(.seconds(-2)) == "-0:02")
        #expect(Words.bytes(8_600_000_000) == "8.60 GB")
        #expect(Words.date(0) == "1970-01-01 00:00:00")
        #expect(Words.date(-1) == "1969-12-31 23:59:59")
        #expect(Words.date(951_825_599_000_000) == "2000-02-29 11:59:59")
        #expect(Words.date(1_795_000_000_123_456) == "2026-11-18 11:06:40")
        #expect(Words.bytes(999) == "999 B")
        #expect(Words.number(23.976, places: 3) == "23.976")
        #expect(Words.number(25, places: 3) == "25")
        #expect(Words.plain("a\u{1B}[2Jb") == "a?[2Jb")
    }

    @Test("Lines are written above the status line, which never wraps")
    func statusLine() {
        var line = StatusLine()
        #expect(line.above("news") == "news\n")
        #expect(line.end(keeping: true) == "")
        #expect(line.show("playing  0:01", width: 8) == "\r\u{1B}[Kplaying")
        #expect(line.above("news") == "\r\u{1B}[Knews\nplaying")
        #expect(line.end(keeping: true) == "\n")
        #expect(line.cleared == "")
        _ = line.show("reading", width: 80)
        #expect(line.end(keeping: false) == "\r\u{1B}[K")
    }

    @Test("JSON keeps the order of members, omits missing ones, and escapes text")
    func json() {
        let value = JSON.object(
            ("b", .string("\"\\\n\u{1}é")),
            ("a", .array([.integer(1), .null])),
            ("c", nil),
            ("d", .number(.nan))
        )
        #expect(value.text == #"{"b":"\"\\\n\u0001é","a":[1,null],"d":null}"#)
        #expect(JSON.object(("a", .array([]))).indentedText == "{\n  \"a\": []\n}")
    }

    @Test("A panel follows snapshot, delta, time and end, and is never wider than the terminal")
    func panel() {
        let id = SessionID(rawValue: "s1")
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(
            id: id,
            source: "/films/a.mkv",
            url: "http://127.0.0.1:1/t/master.m3u8",
            position: anchor
        )
        state.duration = .seconds(100)
        state.phase = .playing
        var model = WatchModel()
        model.apply(.snapshot(state))
        state.phase = .paused
        state.position.position = .seconds(50)
        model.apply(.delta(StateDelta(fields: [.phase, .position], state: state)))
        let lines = model.lines(width: 40, now: 0)
        #expect(lines[0].hasPrefix("a.mkv  paused"))
        #expect(lines[1].hasPrefix("0:50 / 1:40  [█"))
        #expect(lines.allSatisfy { $0.count <= 40 })
        model.disconnected("gone")
        #expect(model.lines(width: 80, now: 0) == ["gone; waiting for an engine …"])
        model.connected()
        model.apply(.snapshot(state))
        model.apply(.closed(id, nil))
        #expect(model.states.isEmpty)
    }

    @Test("A panel is no taller than the terminal; the list of keys has priority over all but the first lines")
    func heightOfPanel() throws {
        var model = WatchModel()
        for number in 0..<8 { model.apply(.snapshot(Self.session(number))) }
        #expect(model.lines(width: 80, now: 0).count == 40)
        let short = model.lines(width: 80, height: 23, now: 0)
        #expect(short.count == 23 && short.last == "…")
        model.toggleHelp()
        let keys = model.lines(width: 80, height: 23, now: 0)
        let room = 23 - KeyBinding.help.count
        try #require(room > 3)
        #expect(keys.count == 23)
        #expect(keys[0].hasPrefix("0.mkv") && keys[room - 1] == "…" && keys[room] == KeyBinding.help[0])
        #expect(keys.last == KeyBinding.help.last)
        let low = model.lines(width: 80, height: 5, now: 0)
        #expect(low.count == 5 && low[3] == KeyBinding.help[0] && low.last == "…")
        #expect(model.lines(width: 80, now: 0).count == 40 + KeyBinding.help.count)
    }

    private static func session(_ number: Int, _ phase: Phase = .playing) -> SessionState {
        let anchor = PositionAnchor(position: .seconds(60), rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(
            id: SessionID(rawValue: "s\(number)"),
            source: "/films/\(number).mkv",
            url: "http://127.0.0.1:1/\(number)/master.m3u8",
            position: anchor
        )
        state.phase = phase
        state.duration = .seconds(3600)
        state.buffered = [MediaTimeRange(start: .seconds(50), end: .seconds(72.5))]
        state.statistics.residentBytes = 150_000_000
        return state
    }

    @Test("A table has a line for each session, with the rate at which it has read since the last sample")
    func table() {
        var table = SessionTable()
        #expect(table.lines(width: 80, height: 24, now: 0) == ["no session"])
        var state = Self.session(1)
        table.apply(.batch([.snapshot(state), .snapshot(Self.session(2, .ready))]))
        state.statistics.bytesRead = 1_000_000
        table.apply(.delta(StateDelta(fields: [.statistics], state: state)))
        table.sample(1_000_000_000)
        #expect(table.lines(width: nil, height: nil, now: 0)[2].contains("  -  "), "one sample is no rate")
        state.statistics.bytesRead = 4_000_000
        table.apply(.delta(StateDelta(fields: [.statistics], state: state)))
        table.sample(3_000_000_000)
        let lines = table.lines(width: nil, height: nil, now: 0)
        #expect(lines[0] == "2 sessions, 1 playing; 150 MB of memory, 0 B of segments; 1.50 MB/s read")
        #expect(lines[1].hasPrefix("SESSION  STATE    POSITION   LENGTH  RATE  AHEAD"))
        #expect(lines[2].hasPrefix("s1       playing      1:00  1:00:00    1×   12 s"))
        #expect(lines[2].contains("1.50 MB") && lines[2].hasSuffix("  1.mkv"))
        #expect(lines[3].hasPrefix("s2       ready ") && lines.count == 4)
        // Loaded again: the counter restarts.
        state.statistics.bytesRead = 500_000
        table.apply(.snapshot(state))
        table.sample(4_000_000_000)
        #expect(table.lines(width: nil, height: nil, now: 0)[0].hasSuffix("500 kB/s read"))
        table.apply(.closed(state.id, nil))
        #expect(table.lines(width: nil, height: nil, now: 0).count == 3)
        table.disconnected("gone")
        #expect(table.lines(width: 80, height: 24, now: 0) == ["gone; waiting for an engine …"])
        table.connected()
        #expect(table.lines(width: 80, height: 24, now: 0) == ["no session"])
    }

    @Test(
        "A table fits into the terminal: it leaves out columns, then sessions",
        arguments: [20, 40, 60, 80, 120, 200]
    )
    func narrowTable(width: Int) {
        var table = SessionTable()
        for number in 1...30 { table.apply(.snapshot(Self.session(number))) }
        let lines = table.lines(width: width, height: 10, now: 0)
        #expect(lines.count == 10 && lines[9] == "… and 23 more")
        #expect(lines.allSatisfy { $0.count <= width })
        #expect(lines[1].hasPrefix("SESSION  STATE"))
        if width >= 60 { #expect(lines[1].contains("AHEAD") && lines[2].hasSuffix("  1.mkv")) }
        if width == 200 { #expect(lines[1].contains("RENDERER")) }
    }

    @Test("A probe lists every stream and its route")
    func probe() {
        var media = MediaDescription()
        media.source = "/a.mkv"
        media.containerName = "Matroska"
        media.duration = .seconds(61)
        var video = StreamDescription()
        video.kind = .video
        video.codec = .h264
        video.language = "eng"
        video.codecString = "avc1.640028"
        video.video = VideoProperties()
        video.video?.width = 320
        video.video?.height = 180
        video.route = .remux("")
        media.streams = [video]
        media.chapters = [Chapter(start: .zero, end: .seconds(1), title: "First")]
        let lines = ProbeText(media: media).lines
        #expect(lines[1] == "  Matroska, 1:01.000")
        #expect(lines[2] == "  #0 video [eng]: h264, 320x180, 8 bit, SDR → served as avc1.640028")
        #expect(lines.contains("    0:00.000  First"))
    }

    @Test("The events of the program that is played are shown, without control characters")
    func guide() {
        var event = ProgramEvent(id: 1)
        (event.title, event.language, event.text) = ("News\n", "deu", "Head\u{1B}lines")
        (event.start, event.duration) = (1_700_000_000_000_000, .seconds(900))
        let guide = ProgramGuide(program: 3, present: event, following: ProgramEvent(id: 2))
        #expect(guide.lines.count == 2 && guide.lines[1] == #"next      """#)
        #expect(
            guide.lines[0].hasPrefix(#"now       "News"#)
                && guide.lines[0].contains("2023-11-14 22:13:20 UTC for 15:00: ")
        )
        #expect(guide.lines[0].unicodeScalars.allSatisfy { $0.value >= 0x20 })
        var state = Self.session(1)
        state.guide = [ProgramGuide(program: 2), guide]
        state.media = MediaDescription()
        #expect(SessionText(state: state, now: 0).guide.isEmpty)
        state.media?.program = 3
        #expect(SessionText(state: state, now: 0).guide == guide.lines)
        var media = MediaDescription()
        media.programs = [Program(number: 3), Program(number: 4)]
        #expect(
            ProgramsText(media: media, guide: [guide]).lines.count == 4 && ProgramsText(media: media).lines.count == 2
        )
    }
}
