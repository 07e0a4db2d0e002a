// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Messages about subtitles survive the wire")
struct SubtitleMessageTests {
    private func body(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(5)) }

    private var cues: [Cue] {
        var run = TextRun(text: "Ümläut 🎬")
        (run.isBold, run.isItalic, run.isUnderlined, run.isStruckOut) = (true, true, true, true)
        (run.color, run.font, run.size) = (0x00FF80, "Serif", 0.25)
        let text = CueText(
            plain: "Ümläut 🎬",
            runs: [run],
            alignment: 7,
            position: CuePosition(x: 0.5, y: 0.25),
            raw: "Dialogue: 0"
        )
        let image = CueImage(
            png: [0, 1, 2, 255],
            width: 3,
            height: 4,
            corner: CuePosition(x: 0.1, y: 0.2),
            extent: CuePosition(x: 0.3, y: 0.4),
            canvasWidth: 1920,
            canvasHeight: 1080
        )
        return [
            Cue(track: 2, start: .seconds(-1), end: .seconds(2), content: .text(text), isForced: true),
            Cue(track: 100_001, start: .seconds(1), end: nil, content: .image(image)),
        ]
    }

    @Test("batches and their tracks")
    func batches() throws {
        var batch = CueBatch()
        batch.cues = cues
        batch.progress = 0.5
        batch.scriptHeader = "[Script Info]"
        batch.tracks = [
            SubtitleTrack(
                id: 2,
                codec: CodecID(rawValue: "ass"),
                language: "de",
                title: "T",
                dispositions: ["forced"],
                isText: true,
                origin: .embedded(stream: 2)
            ),
            SubtitleTrack(id: 100_001, codec: CodecID(rawValue: "subrip"), isText: true, origin: .sidecar("/a.srt")),
        ]
        #expect(try CueBatch(wire: body(batch.framed())) == batch)
    }

    @Test("events")
    func events() throws {
        for stage in CueEvent.Stage.allCases {
            for cue in cues {
                let event = WatchEvent.cue(SessionID(rawValue: "s"), CueEvent(stage, cue, at: .seconds(7)))
                #expect(try WatchEvent.decoded(body(event.framed())) == event)
            }
        }
    }

    @Test("requests")
    func requests() throws {
        let places: [SubtitlePlace] = [.session(nil), .session(SessionID(rawValue: "3")), .source("/a.mkv")]
        for place in places {
            for choice in [SubtitleChoice.automatic, .id(7), .number(0), .language("de")] {
                var request = CueRequest(place)
                request.choice = choice
                request.range = MediaTimeRange(start: .seconds(1), end: .seconds(2))
                request.isRaw = true
                #expect(try CueRequest(wire: body(request.framed())) == request)
            }
            let attachment = AttachmentRequest(place, stream: 4)
            #expect(try AttachmentRequest(wire: body(attachment.framed())) == attachment)
        }
        for selection in [SubtitleSelection.automatic, .none, .tracks([2, 100_000]), .languages(["de", "en"])] {
            let select = CommandRequest(session: nil, ifRevision: 9, command: .tracks(.selectSubtitles(selection)))
            #expect(try CommandRequest(selectSubtitles: body(select.framed())) == select)
            var load = LoadRequest(source: "/a.mkv")
            load.options.subtitles = selection
            load.options.preservesScripts = true
            for finds in [nil, true, false] {
                load.options.findsSubtitles = finds
                #expect(try LoadRequest(wire: body(load.framed())) == load)
            }
        }
        for choice in [VariantSelection.Choice.automatic, .index(0), .bandwidth(800_000), .name("HD")] {
            var load = LoadRequest(source: "/a.m3u8")
            load.options.variants = VariantSelection(choice, maxHeight: 720, maxBandwidth: 3_000_000)
            #expect(try LoadRequest(wire: body(load.framed())) == load)
        }
        var watch = WatchOptions()
        (watch.hasCues, watch.cueLead) = (false, .seconds(2))
        #expect(try WatchOptions(wire: body(watch.framed())) == watch)
        let piece = DataPiece([0, 1, 255], totalByteCount: 9)
        #expect(try DataPiece(wire: body(piece.framed())) == piece)
    }

    @Test("invalid values are rejected with the field's name")
    func refusals() {
        var backwards = CueRequest(.session(nil))
        backwards.range = MediaTimeRange(start: .seconds(2), end: .seconds(1))
        #expect(throws: EngineError.invalid("range.end_us", "is before range.start_us")) {
            try CueRequest(wire: body(backwards.framed()))
        }
        #expect(throws: EngineError.invalid("source", "is empty")) {
            try CueRequest(wire: body(CueRequest(.source("")).framed()))
        }
        let many = CommandRequest(session: nil, command: .tracks(.selectSubtitles(.tracks(Array(0..<9)))))
        #expect(throws: EngineError.invalid("subtitles.tracks", "has more than 8")) {
            try CommandRequest(selectSubtitles: body(many.framed()))
        }
    }
}
