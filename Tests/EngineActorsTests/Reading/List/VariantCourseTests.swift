// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Segments of other variants on the software path", .timeLimit(.minutes(10)))
struct VariantCourseTests {
    private static func list(_ durations: [Double], breaks: Set<Int> = [], gaps: Set<Int> = []) -> SegmentList {
        SegmentList(
            durations.enumerated().map { index, duration in
                SegmentList.Entry(
                    resource: ListedResource(url: "\(index)"),
                    duration: .seconds(duration),
                    isDiscontinuous: breaks.contains(index),
                    isGap: gaps.contains(index)
                )
            }
        )
    }

    /// A list of another variant, and its segments that can be read instead of those of the leading list.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let other: SegmentList
        let places: [Int]

        init(_ name: String, _ other: SegmentList, _ places: [Int]) {
            (testDescription, self.other, self.places) = (name, other, places)
        }
    }

    /// Beside segments of 4, 4, 4 and 2 s, with a discontinuity before the third.
    private static let cases = [
        Case("equal lists", list([4, 4, 4, 2], breaks: [2]), [0, 1, 2, 3]),
        Case("durations rounded differently", list([4.04, 3.98, 4.05, 2], breaks: [2]), [0, 1, 2, 3]),
        Case("differences add up", list([4.04, 4.04, 4.04, 2], breaks: [2]), [0, 1]),
        Case("one segment is longer", list([4, 4.2, 3.8, 2], breaks: [2]), [0, 3]),
        Case("other lengths", list([6, 6, 2], breaks: [2]), []),
        Case("a shorter list", list([4, 4], breaks: []), [0, 1]),
        Case("no discontinuity", list([4, 4, 4, 2]), [0, 1]),
        Case("missing media", list([4, 4, 4, 2], breaks: [2], gaps: [1]), [0, 2, 3]),
    ]

    @Test("a segment replaces another one if both have the same place in the presentation", arguments: cases)
    func replaces(each: Case) {
        let lead = Self.list([4, 4, 4, 2], breaks: [2])
        #expect((-1..<5).filter { each.other.replaces($0, of: lead) } == each.places)
    }

    private static let turn = Double(Int64(1) << 33) / 90_000

    @Test(
        "a segment of another variant has the offset of the group that it belongs to, unless its clock is another one",
        arguments: [
            // The group begins at 8 s of the list, and at 1 s of its own clock: its offset is 17 s.
            // The segment begins at 12 s.
            (5.0, 17.0), (5.08, 17), (3.5, 17), (7.9, 17), (5 - turn, 17 + turn), (100, -78), (1, 21),
        ]
    )
    func clocks(anchor: Double, offset: Double) {
        let group = ListClock(anchor: .seconds(1), offset: .seconds(17), start: .seconds(8))
        let clock = group.replaced(by: .seconds(anchor), at: .seconds(12), number: 1)
        #expect(abs(clock.offset.seconds - offset) < 1e-5)
        #expect(clock.anchor == .seconds(anchor) && clock.start == .seconds(12))
    }

    // MARK: Reading

    private static let framesPerSegment = 75

    private static let server = "http://host/"

    /// A list of segments of 75 frames of AAC, which are 1.6 s.
    ///
    /// - Parameter isComplete: whether no segments follow.
    private static func part(
        _ name: String,
        _ count: Int,
        lasting seconds: Double,
        isComplete: Bool = true
    ) throws -> ListPart {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:2", "#EXT-X-PLAYLIST-TYPE:EVENT"]
        for index in 0..<count { lines += ["#EXTINF:\(seconds),", "\(name)\(index)"] }
        lines += isComplete ? ["#EXT-X-ENDLIST", ""] : [""]
        let bytes = Array(lines.joined(separator: "\n").utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "\(server)\(name).m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return ListPart(try SegmentList(playlist, name: name), isIndependent: true, playlist: playlist)
    }

    /// The numbers of the frames of a segment, which tell the variants apart.
    private static func numbers(of segment: Int, in variant: String) -> Range<Int> {
        let first = segment * framesPerSegment + (variant == "b" ? 1000 : 0)
        return first..<first + framesPerSegment
    }

    /// A source on a link of 2000 bit/s that was opened with the variant `a`, of 3000 bit/s, and may read `b`, of 1000.
    ///
    /// - Parameter each: what the playlist of `b` lists, and what is missing.
    private static func source(_ each: Reading) throws -> (SegmentListSource, ScriptedResources) {
        let all = ["a", "b"].flatMap { name in
            (0..<each.count).map { ("\(server)\(name)\($0)", ADTSBytes.stream(numbers(of: $0, in: name))) }
        }
        let gone = each.gone.map { "\(server)b\($0)" }
        let bodies = Dictionary(uniqueKeysWithValues: all).filter { $0.key != gone }
        let resources = ScriptedResources(bodies)
        func list(
            _ name: String,
            _ part: ListPart,
            _ facts: ListFacts,
            _ measured: Locked<SegmentThroughput>?
        ) -> SegmentListSource {
            SegmentListSource(
                path: name,
                isRemote: true,
                ListContent(parts: [part], digest: name),
                facts,
                measuredWith: measured,
                resources: resources,
                reload: { _, _ throws(EngineError) in
                    guard part.playlist?.isLive == true else {
                        throw EngineError(.internal, "a complete list was loaded again")
                    }
                    return ListContent(parts: [part], digest: name)
                }
            )
        }
        var variants = ListVariants()
        variants.readable = LiveLadder(
            [.init(index: 0, bandwidth: 3000), .init(index: 1, bandwidth: 1000)],
            playing: 0,
            isLive: false
        )
        let part = try Self.part("b", each.listed ?? each.count, lasting: each.seconds, isComplete: each.listed == nil)
        let other = list("b", part, ListFacts(), nil)
        variants.open = { opening, _ in
            #expect(opening.isReplaceable, "the opened variant is read instead")
            return other
        }
        let measured = Locked(SegmentThroughput())
        measured.withLock { throughput in
            let fetch = throughput.begin(now: 0)
            throughput.end(fetch, bytes: 10_000, lasting: .seconds(40), now: 40_000_000_000)
        }
        let leading = try Self.part("a", each.count, lasting: 1.6)
        return (list("a", leading, ListFacts(variants: variants), measured), resources)
    }

    /// What becomes of the segments after the first one. The first one has been fetched when the source is opened.
    struct Reading: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The duration that the playlist of `b` states for its segments.
        var seconds = 1.6
        /// The segment of `b` that is missing.
        var gone: Int?
        /// How many segments each variant has.
        var count = 3
        /// How many segments the playlist of `b` lists so far. `nil`: it is complete.
        var listed: Int?
        /// The variant of each segment, the resources that are requested, and the codes of notices.
        let variants: [String]
        let requests: [String]
        let notices: [String]
    }

    private static let readings = [
        Reading(
            testDescription: "the other variant has all segments",
            variants: ["a", "b", "b"],
            requests: ["a0", "b1", "b2"],
            notices: ["source.variant_changed"]
        ),
        Reading(
            testDescription: "it lacks the segment at which it would begin",
            gone: 1,
            variants: ["a", "a", "a"],
            requests: ["a0", "b1", "a1", "a2"],
            notices: ["source.variant_unusable"]
        ),
        Reading(
            testDescription: "it lacks a later segment",
            gone: 2,
            variants: ["a", "b", "a"],
            requests: ["a0", "b1", "b2", "a2"],
            notices: ["source.variant_changed", "source.variant_unusable"]
        ),
        Reading(
            testDescription: "it is left alone for a while after it lacked a segment",
            gone: 2,
            count: 4,
            variants: ["a", "b", "a", "a"],
            requests: ["a0", "b1", "b2", "a2", "a3"],
            notices: ["source.variant_changed", "source.variant_unusable"]
        ),
        Reading(
            testDescription: "it does not list the segment yet at which it would begin",
            listed: 1,
            variants: ["a", "a", "a"],
            requests: ["a0", "a1", "a2"],
            notices: []
        ),
        Reading(
            testDescription: "it does not list a later segment yet",
            listed: 2,
            variants: ["a", "b", "a"],
            requests: ["a0", "b1", "a2"],
            notices: ["source.variant_changed"]
        ),
        Reading(
            testDescription: "its segments have other places",
            seconds: 2,
            variants: ["a", "a", "a"],
            requests: ["a0", "a1", "a2"],
            notices: ["source.variant_unusable"]
        ),
    ]

    @Test(
        "every frame is read once, from the variant that suits the bandwidth if possible; all readers get the same",
        arguments: readings
    )
    func reading(each: Reading) async throws {
        let (source, resources) = try Self.source(each)
        let reports = Locked<[VariantCourse.Report]>([])
        let found = try await ReadingThread().run { () throws(EngineError) -> [[MediaTime: Int]] in
            let first = try Self.reader(source)
            guard
                let course = try VariantCourse(of: first, report: { report in reports.withLock { $0.append(report) } })
            else { return [] }
            course.guide(first)
            let second = try Self.reader(source)
            course.guide(second)
            return [try Self.frames(first), try Self.frames(second)]
        }
        let expected = zip(0..., each.variants).flatMap { segment, variant in Self.numbers(of: segment, in: variant) }
        let times = expected.indices.map { MediaTime(Int64($0) * 1024, in: TimeBase(1, 48_000)) }
        #expect(found == Array(repeating: Dictionary(uniqueKeysWithValues: zip(times, expected)), count: 2))
        #expect(resources.requests == each.requests.map { "\(Self.server)\($0)" })
        let codes = reports.withLock { $0 }.compactMap { report in
            switch report {
            case .begins: nil as String?
            case .changes(let played, let notice): played.index == 1 ? notice.code : "variant \(played.index)"
            case .fails(let notice): notice.code
            }
        }
        #expect(codes == each.notices && reports.withLock(\.first) == .begins)
    }

    private static func reader(_ source: SegmentListSource) throws(EngineError) -> SourceReader {
        let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: InterruptFlag())
        reader.prepareForPackets(of: Set(reader.streamInfos().map(\.index)))
        return reader
    }

    /// The numbers of all frames, by their times.
    private static func frames(_ reader: SourceReader) throws(EngineError) -> [MediaTime: Int] {
        var found: [MediaTime: Int] = [:]
        while let packet = try reader.readPacket() {
            let base = reader.streamInfos()[packet.streamIndex].timeBase
            let time = MediaTime(packet.pts ?? packet.dts ?? .min, in: base)
            let number = ADTSBytes.number(of: packet.withBytes { span in span.indices.map { span[$0] } }) ?? -1
            // A frame that is read twice is none of the expected ones.
            found[time] = found[time] == nil ? number : -2
        }
        return found
    }
}
