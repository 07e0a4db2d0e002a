// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading
@testable import Subtitles

private let text = SubtitleTrack(id: 2, codec: CodecID(rawValue: "subrip"), isText: true, origin: .embedded(stream: 2))
private let bitmap = SubtitleTrack(
    id: 3,
    codec: CodecID(rawValue: "dvb_subtitle"),
    isText: false,
    origin: .embedded(stream: 3)
)
private let captions = SubtitleTrack(
    id: SubtitleTrack.firstCaption,
    codec: CodecID(rawValue: "eia_608"),
    isText: true,
    origin: .embedded(stream: 0),
    service: 1
)

/// The demand of a session with 100 segments of 10 s.
private func demand(
    _ container: String = "mpegts",
    showing tracks: [SubtitleTrack],
    at seconds: Double,
    isServed: Bool = true,
    plan: SegmentPlan = DescribedSource.plan(segments: 100)
) throws -> CueDemand {
    var source = DescribedSource()
    source.container = container
    source.isServed = isServed
    var demand = CueDemand(try source.opened(), plan)
    demand.add(tracks)
    demand.select(Set(tracks.map(\.id)))
    demand.move(to: .seconds(seconds), isJump: true)
    return demand
}

private func cue(_ track: SubtitleTrack, at seconds: Double) -> Cue {
    Cue(track: track.id, start: .seconds(seconds), end: .seconds(seconds + 1), content: .nothing)
}

/// Makes one cue of each packet. The cue starts at the packet's PTS, which is in milliseconds.
private final class FakeCueDecoder: CueDecoder {
    var passed: [Int64] = []
    let scriptHeader = ""

    func cues(of packet: Packet) -> [Cue] {
        [Cue(track: 2, start: .seconds(Double(packet.pts ?? 0) / 1000), end: nil, content: .nothing)]
    }
    func pass(_ packet: Packet) { passed.append(packet.pts ?? 0) }
    func finish() -> [Cue] { [cue(text, at: 9999)] }
}

extension DecodedCues {
    /// Adds a decoded unit with cues of a track.
    fileprivate mutating func add(_ unit: Int, _ track: SubtitleTrack, _ starts: [Double] = []) throws {
        let units = SubtitleUnits(try DescribedSource().opened(), DescribedSource.plan(segments: 100))
        let packets = starts.map { Packet([], stream: 2, pts: Int64($0 * 1000)) }
        let decoded = try DecodedUnit(
            unit,
            of: text,
            by: FakeCueDecoder(),
            units,
            in: unit...unit,
            limit: .max,
            packets: { _ in packets }
        )
        set(decoded, unit, of: track.id, keepingNear: 0)
    }
}

@Suite("Which cues are decoded around the playhead")
struct CueDemandTests {
    /// The units in the order in which they are demanded, and whether a search for long cues follows; `false` if
    /// nothing is missing after the units.
    private func order(_ demand: CueDemand, long: [Int] = [], isSearched: Bool = true) throws -> (units: [Int], Bool) {
        var cues = DecodedCues(limit: .max)
        var units: [Int] = []
        while let step = demand.next(cues, long: { _ in long }, isSearched: { _, _ in isSearched }) {
            guard case .decode(let unit, let tracks) = step else { return (units, true) }
            units.append(unit)
            for track in tracks { try cues.add(unit, track) }
        }
        return (units, false)
    }

    @Test("units from the playhead on come first, then those before it, then those with long cues, nearest first")
    func order() throws {
        let demand = try demand(showing: [text], at: 205)
        let found = try order(demand, long: [3, 9])
        #expect(found.units == [20, 21, 22, 23, 24, 25, 26, 19, 18, 17, 9, 3])
        #expect(!found.1)
    }

    @Test("a track that is given up does not delay others, and is tried again after a move or a selection")
    func givenUp() throws {
        let other = SubtitleTrack(
            id: 4,
            codec: CodecID(rawValue: "subrip"),
            isText: true,
            origin: .embedded(stream: 4)
        )
        var demand = try demand(showing: [text, other], at: 205)
        func tracks(isSearched: Bool = true) -> [Int]? {
            let next = demand.next(DecodedCues(limit: .max), long: { _ in [] }) { tracks, _ in
                isSearched || tracks.map(\.id) != [text.id]
            }
            guard case .decode(_, let tracks) = next else { return nil }
            return tracks.map(\.id)
        }
        #expect(tracks() == [2, 4])
        demand.giveUp(4)
        #expect(tracks() == [2])
        demand.giveUp(2)
        #expect(tracks(isSearched: false) == nil, "nothing is left to search for")
        demand.move(to: .seconds(206), isJump: false)
        #expect(tracks() == [2, 4])
        demand.giveUp(2)
        demand.select([2])
        #expect(tracks() == [2])
    }

    @Test("the search for long cues comes after the units that are certainly needed")
    func search() throws {
        #expect(try order(demand(showing: [text], at: 205), isSearched: false).1)
        #expect(try !order(demand(showing: [], at: 205), isSearched: false).1, "nothing is shown")
    }

    @Test(
        "how far ahead cues are decoded depends on whether playback delivers them",
        arguments: [
            ("mpegts", true, 26), ("mpegts", false, 26),
            ("matroska,webm", true, 26), ("matroska,webm", false, 22),
        ]
    )
    func ahead(container: String, isJump: Bool, last: Int) throws {
        var demand = try demand(container, showing: [text], at: 205)
        if !isJump { demand.settle() }
        #expect(try order(demand).units.max() == last)
        demand.move(to: .seconds(206), isJump: false)
        #expect(try order(demand).units.max() == last, "playing on keeps it")
        demand.move(to: .seconds(205), isJump: true)
        #expect(try order(demand).units.max() == 26, "a jump fills the whole window")
    }

    @Test("captions of the served video are left to playback, captions of other video are read")
    func captionsAhead() throws {
        var served = try demand(showing: [captions], at: 205)
        #expect(try order(served).units.max() == 22)
        #expect(served.streams.isEmpty)
        served.settle()
        #expect(try order(served).units.max() == 20)
        let unserved = try demand(showing: [captions], at: 205, isServed: false)
        #expect(try order(unserved).units.max() == 26)
        #expect(unserved.streams == [0])
    }

    @Test(
        "the span of a unit is its preroll, the unit and its postroll",
        arguments: [(text, 50...50), (bitmap, 47...50), (captions, 47...53)]
    )
    func span(track: SubtitleTrack, expected: ClosedRange<Int>) throws {
        let demand = try demand(showing: [track], at: 0)
        #expect(demand.span(of: 50, track) == expected)
        #expect(demand.span(of: 0, track)?.lowerBound == 0)
        #expect(demand.span(of: 99, track)?.upperBound == 99)
    }

    @Test("a unit is decoded only once its postroll is planned, unless the plan is complete")
    func growing() throws {
        let growing = try demand(
            showing: [captions],
            at: 0,
            plan: DescribedSource.plan(segments: 10, isComplete: false)
        )
        #expect((0..<10).prefix { growing.lastUnit(for: $0, captions) != nil }.count == 5)
        #expect((0..<10).allSatisfy { growing.lastUnit(for: $0, text) == $0 })
        let complete = try demand(showing: [captions], at: 0, plan: DescribedSource.plan(segments: 10))
        #expect((0..<10).map { complete.lastUnit(for: $0, captions) } == [3, 4, 5, 6, 7, 8, 9, 9, 9, 9])
    }

    @Test("playback is expected to deliver captions from the playhead on")
    func awaitedCaptions() throws {
        let demand = try demand(showing: [captions], at: 205)
        #expect(demand.awaitedCaptions(for: 20, captions) == 20...23)
        #expect(demand.awaitedCaptions(for: 24, captions) == 21...27)
        #expect(demand.awaitedCaptions(for: 10, captions) == nil)
    }

    @Test("for bitmaps, units are read back to the display set that is on screen")
    func lookingBack() throws {
        let demand = try demand(showing: [bitmap], at: 205)
        var cues = DecodedCues(limit: .max)
        for unit in 17...26 { try cues.add(unit, bitmap) }
        func next() throws -> Int? {
            guard case .decode(let unit, _) = demand.next(cues, long: { _ in [] }, isSearched: { _, _ in true })
            else { return nil }
            return unit
        }
        #expect(try next() == 16)
        try cues.add(16, bitmap)
        #expect(try next() == 15)
        try cues.add(15, bitmap, [151])
        #expect(try next() == nil)
        #expect(demand.window(cues, long: { _ in [4] })?.far == [4, 15, 16])
        #expect(demand.window(cues, long: { _ in [] })?.near == 2...26)
        try cues.add(18, bitmap, [181])
        #expect(demand.window(cues, long: { _ in [] })?.far == [], "a set within the window is enough")
    }

    @Test("looking back ends after ten minutes or 256 MiB, and is skipped for text and for indexed containers")
    func limits() throws {
        let late = try demand(showing: [bitmap], at: 905)
        #expect(late.unitsBack(of: bitmap, before: 87, at: .seconds(905)) == Array((30..<87).reversed()))
        #expect(late.unitsBack(of: text, before: 87, at: .seconds(905)).isEmpty)
        #expect(late.unitsBack(of: bitmap, before: 0, at: .seconds(905)).isEmpty)
        for container in ["matroska,webm", "mov,mp4"] {
            #expect(try !demand(container, showing: [bitmap], at: 0).needsLookingBack(bitmap))
        }
        var plan = DescribedSource.plan(segments: 100)
        for place in plan.boundaries.indices { plan.boundaries[place].position = Int64(place) * (100 << 20) }
        let heavy = try demand(showing: [bitmap], at: 905, plan: plan)
        #expect(heavy.unitsBack(of: bitmap, before: 87, at: .seconds(905)) == [86, 85, 84])
    }
}

@Suite("Decoded cues")
struct DecodedCuesTests {
    private func decoded(
        _ track: SubtitleTrack,
        _ span: ClosedRange<Int>,
        limit: Int = .max,
        _ decoder: FakeCueDecoder = FakeCueDecoder()
    ) throws -> DecodedUnit {
        let units = SubtitleUnits(try DescribedSource().opened(), DescribedSource.plan(segments: 4))
        return try DecodedUnit(2, of: track, by: decoder, units, in: span, limit: limit) { unit in
            [1, 9].map { Packet([], stream: 2, pts: Int64(unit * 10 + $0) * 1000) }
        }
    }

    @Test("the cues of a unit come from its own packets; the preroll only prepares the decoder")
    func preroll() throws {
        let decoder = FakeCueDecoder()
        #expect(try decoded(bitmap, 1...2, decoder).cues.map(\.start) == [.seconds(21), .seconds(29)])
        #expect(decoder.passed == [11_000, 19_000])
    }

    @Test("a cue that the postroll completes belongs to the unit only if it starts in the unit")
    func postroll() throws {
        #expect(try decoded(captions, 2...3).cues.map(\.start) == [.seconds(21), .seconds(29)])
    }

    @Test("cues beyond the limit are dropped, and a caller that needs all of them gets an error")
    func limit() throws {
        var cues = DecodedCues(limit: 1000)
        cues.set(try decoded(bitmap, 2...2, limit: 200), 2, of: 3, keepingNear: 0)
        #expect(cues.has(2, of: 3) && cues.isCut)
        let error = #expect(throws: EngineError.self) { try cues.whole(2, of: 3) }
        #expect(error?.code == .resourceExhausted)
        #expect(try cues.whole(1, of: 3).isEmpty)
    }

    @Test("the units farthest from the playhead are evicted first")
    func eviction() throws {
        var cues = DecodedCues(limit: 600)
        for unit in [1, 8, 5] { cues.set(try decoded(bitmap, 2...2), unit, of: 3, keepingNear: 5) }
        #expect([1, 5, 8].filter { cues.has($0, of: 3) } == [5, 8])
        #expect(!cues.isCut)
        cues.noteOverfull()
        #expect(cues.isCut)
    }

    @Test("the cues of a sidecar are returned within the range around the playhead, and not after its removal")
    func sidecars() throws {
        var cues = DecodedCues(limit: .max)
        cues.set(try decoded(bitmap, 2...2), 2, of: 3, keepingNear: 0)
        cues.setFile([cue(text, at: 20), cue(text, at: 25), cue(text, at: 90)], scriptHeader: "h", of: 7)
        let range = MediaTimeRange(start: .seconds(22), end: .seconds(60))
        #expect(cues.cues(of: [7], in: nil, beside: range).map(\.start) == [.seconds(25)])
        #expect(cues.file(7)?.scriptHeader == "h")
        cues.setFile(nil, scriptHeader: "", of: 7)
        #expect(cues.cues(of: [7], in: (2...2, []), beside: range).isEmpty)
    }
}
