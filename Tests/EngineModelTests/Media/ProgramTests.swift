// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("The programs of a transport stream")
struct ProgramTests {
    private static func stream(
        _ index: Int,
        _ kind: StreamKind,
        width: Int = 0,
        start: Double,
        lasting: Double
    )
        -> StreamDescription
    {
        var stream = StreamDescription()
        (stream.index, stream.kind) = (index, kind)
        (stream.start, stream.duration) = (.seconds(start), .seconds(lasting))
        if kind == .video {
            var video = VideoProperties()
            video.width = width
            stream.video = video
        }
        return stream
    }

    private static func program(_ number: Int, _ name: String, _ streams: [Int]) -> Program {
        var program = Program(number: number)
        (program.name, program.streams) = (name, streams)
        return program
    }

    /// A radio program, an encrypted program whose video has no known size, two programs that share their audio, and
    /// one without streams.
    private static var multiplex: MediaDescription {
        var media = MediaDescription()
        media.source = "/mux.ts"
        media.streams = [
            stream(0, .audio, start: 5, lasting: 10), stream(1, .video, start: 900, lasting: 4),
            stream(2, .video, width: 1280, start: 100, lasting: 8), stream(3, .audio, start: 99, lasting: 10),
            stream(4, .video, width: 720, start: 101, lasting: 8), stream(5, .data, start: 0, lasting: 0),
        ]
        media.programs = [
            program(900, "Radio", [0]), program(20, "Film", [1]), program(7, "Größe", [2, 3]),
            program(3, "news", [4, 3]),
            program(4, "News", []),
        ]
        media.start = .seconds(5)
        media.duration = .seconds(899)
        return media
    }

    @Test(
        "a program is found by its number or its name; the default is the first with video of known size",
        arguments: [
            (ProgramSelection.automatic, 7, [2, 3]), (.number(900), 900, [0]), (.number(20), 20, [1]),
            (.name("Größe"), 7, [2, 3]), (.name("GRÖße"), 7, [2, 3]), (.name("news"), 3, [3, 4]),
            (.name("News"), 4, []),
        ]
    )
    func choice(selection: ProgramSelection, number: Int, streams: [Int]) throws {
        var media = Self.multiplex
        try media.choose(selection)
        #expect(media.program == number)
        #expect(media.ownStreams.map(\.index) == streams)
    }

    @Test("start and duration are those of the chosen program's audio and video")
    func times() throws {
        var media = Self.multiplex
        try media.choose(.number(7))
        #expect(media.start == .seconds(99))
        #expect(media.duration == .seconds(10))
        try media.choose(.number(900))
        #expect(media.start == .seconds(5))
        #expect(media.duration == .seconds(10))
    }

    @Test("a missing program is rejected with a list of the existing ones")
    func missing() throws {
        func refusal(_ selection: ProgramSelection, in media: MediaDescription = Self.multiplex) -> EngineError? {
            #expect(throws: EngineError.self) {
                var media = media
                try media.choose(selection)
            }
        }
        let list = "its programs: 900 (Radio), 20 (Film), 7 (Größe), 3 (news), 4 (News)"
        #expect(
            refusal(.number(8)) == EngineError(.programNotFound, "/mux.ts has no program 8", cause: list)
        )
        #expect(refusal(.name("Sport"))?.message == "/mux.ts has no program called Sport")
        #expect(refusal(.name("NEWS"))?.cause == "their numbers: 3, 4")
        var single = MediaDescription()
        single.source = "/film.mkv"
        #expect(refusal(.number(1), in: single)?.cause == "it has no programs at all")
    }

    @Test("every stream of a source with at most one program belongs to it, even if its map does not list the stream")
    func single() throws {
        var media = Self.multiplex
        media.programs = [Self.program(7, "", [2])]
        try media.choose(.automatic)
        #expect(media.program == 7)
        #expect(media.ownStreams == media.streams)
        #expect(media.duration == .seconds(899))
        media.programs = []
        try media.choose(.automatic)
        #expect(media.program == nil)
        #expect(media.ownStreams == media.streams)
    }

    @Test("without video, the first program with audio is chosen; without video and audio, the first program")
    func radio() throws {
        var media = Self.multiplex
        media.programs = [Self.program(4, "", []), Self.program(900, "", [0])]
        #expect(try media.program(.automatic)?.number == 900)
        media.programs = [Self.program(4, "", []), Self.program(5, "", [5])]
        #expect(try media.program(.automatic)?.number == 4)
    }

    @Test(
        "digits are a number, anything else is a name",
        arguments: [("7", ProgramSelection.number(7)), ("7 Days", .name("7 Days")), ("ZDF", .name("ZDF")), ("", nil)]
    )
    func text(_ text: String, _ expected: ProgramSelection?) { #expect(ProgramSelection(text: text) == expected) }
}
