// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The plan of a list of segments")
struct ListPlanTests {
    /// A part with a playlist of the type `EVENT`.
    private static func part(
        _ name: String,
        _ durations: [Double],
        kind: ListPart.Kind = .media,
        hasEnded: Bool = false
    ) throws -> ListPart {
        let head = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:4", "#EXT-X-PLAYLIST-TYPE:EVENT"]
        let lines = durations.enumerated().flatMap { ["#EXTINF:\($1),", "\(name)\($0)"] }
        let text = (head + lines + (hasEnded ? ["#EXT-X-ENDLIST", ""] : [""])).joined(separator: "\n")
        guard case .media(let playlist) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/\(name).m3u8")
        else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        let rendition = name == "video" ? nil : ListRendition(name: name, language: "", dispositions: [])
        return ListPart(
            try SegmentList(playlist, name: name),
            rendition,
            kind: kind,
            isIndependent: true,
            playlist: playlist
        )
    }

    private static func source(_ parts: [ListPart]) -> SegmentListSource {
        SegmentListSource(
            path: "list",
            isRemote: true,
            ListContent(parts: parts, digest: ""),
            resources: ScriptedResources([:]),
            reload: { _, _ throws(EngineError) in throw EngineError(.internal, "a list was loaded again") }
        )
    }

    private static func count(_ source: SegmentListSource, holdsBack: Bool = false) -> Int {
        source.plan(for: .fixture(), measured: 0, holdsBack: holdsBack).segmentCount
    }

    /// The durations of the audio segments beside six segments of video, which last a second each, and the number of
    /// segments that are announced.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let audio: [Double]
        /// How much later the audio is than its playlist implies.
        var lag = 0.0
        let announced: Int
    }

    private static func seconds(_ count: Int, last: Double = 1) -> [Double] {
        Array(repeating: 1, count: count - 1) + [last]
    }

    private static let cases = [
        Case(testDescription: "the audio ends with the video", audio: seconds(6), announced: 5),
        Case(testDescription: "it ends a frame later", audio: seconds(6, last: 1.021333), announced: 5),
        Case(testDescription: "it ends a frame earlier", audio: seconds(6, last: 0.978667), announced: 5),
        Case(testDescription: "it ends shortly before the margin", audio: seconds(6, last: 1.49), announced: 5),
        Case(testDescription: "it ends with the margin", audio: seconds(6, last: 1.5), announced: 6),
        Case(testDescription: "it is a segment ahead", audio: seconds(7), announced: 6),
        Case(testDescription: "it is a segment behind", audio: seconds(5), announced: 4),
        Case(testDescription: "its segments are longer", audio: [3.2], announced: 2),
        Case(testDescription: "its media is earlier", audio: seconds(6, last: 1.6), lag: -0.2, announced: 5),
        Case(testDescription: "its media is later", audio: seconds(6, last: 1.4), lag: 0.2, announced: 6),
        Case(testDescription: "it has just begun", audio: [1], announced: 0),
    ]

    @Test("a segment is announced when all other lists of media extend beyond its end", arguments: cases)
    func reach(each: Case) throws {
        let source = Self.source([try Self.part("video", Self.seconds(6)), try Self.part("audio", each.audio)])
        try source.place(1, at: { .seconds(each.lag) })
        // Only the first measurement counts, because the plan must not become shorter.
        try source.place(1, at: { .seconds(-3) })
        #expect(Self.count(source) == each.announced)
        #expect(source.parts[1].list.segments[0].start == .zero, "the list keeps its place")
    }

    @Test("of several lists of media, the shortest one counts; nothing waits for text, or for lists that are complete")
    func lists() throws {
        let video = try Self.part("video", Self.seconds(6))
        let (long, short) = (try Self.part("long", Self.seconds(8)), try Self.part("short", Self.seconds(4)))
        let text = try Self.part("text", Self.seconds(2), kind: .text)
        #expect(Self.count(Self.source([video])) == 6)
        #expect(Self.count(Self.source([video, text])) == 6)
        #expect(Self.count(Self.source([video, long, text])) == 6)
        #expect(Self.count(Self.source([video, long, short, text])) == 3)
        let complete = Self.source([
            try Self.part("video", Self.seconds(6), hasEnded: true),
            try Self.part("short", Self.seconds(4), hasEnded: true),
        ])
        #expect(Self.count(complete) == 6)
    }

    @Test("the last segment of a list that grows is left out if it may depend on the next one")
    func heldBack() throws {
        let video = try Self.part("video", Self.seconds(6))
        #expect(Self.count(Self.source([video]), holdsBack: true) == 5)
        let ahead = try Self.part("audio", Self.seconds(7))
        #expect(Self.count(Self.source([video, ahead]), holdsBack: true) == 5)
        let behind = try Self.part("audio", Self.seconds(5))
        #expect(Self.count(Self.source([video, behind]), holdsBack: true) == 4)
        let complete = try Self.part("video", Self.seconds(6), hasEnded: true)
        #expect(Self.count(Self.source([complete]), holdsBack: true) == 6)
    }
}
