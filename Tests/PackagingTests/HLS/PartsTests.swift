// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

struct PartsTests {
    private static func time(_ milliseconds: Int64) -> MediaTime { MediaTime(microseconds: milliseconds * 1000) }
    private let grid = PartGrid(start: 4000, length: 500)

    // A remainder of less than 50 joins the part before it.
    @Test(
        arguments: [
            (4300, [4000, 4300]), (4500, [4000, 4500]), (5049, [4000, 4500, 5049]), (5050, [4000, 4500, 5000, 5050]),
        ] as [(Int64, [Int64])]
    )
    func lastPartEndsWithTheSegment(end: Int64, lines: [Int64]) { #expect(grid.lines(end: end) == lines) }

    @Test func announcedPartsNeverChange() {
        for end in stride(from: Int64(4010), through: 6100, by: 70) {
            let all = grid.lines(end: end)
            for settled in stride(from: Int64(3900), through: end, by: 10) {
                #expect(all.starts(with: grid.lines(settled: settled)), "settled \(settled), end \(end)")
            }
        }
    }

    @Test("a plan knows all parts of finished segments, and the settled parts of the next segment")
    func plan() {
        func keyframe(_ time: Int64) -> Keyframe { Keyframe(time: time, seekTimestamp: time, position: time) }
        var plan = SegmentPlan(timeBase: TimeBase(1, 1000), boundaries: [0, 1000, 2100].map(keyframe), origin: .scan)
        #expect((0...2).map { plan.parts(of: $0) } == [[], [], []])
        plan.partLength = 400
        #expect((0...3).map { plan.parts(of: $0) } == [[0, 400, 800, 1000], [1000, 1400, 1800, 2100], [], []])
        #expect(plan.innerLines(of: 1) == [1400, 1800] && plan.partCount(of: 1) == 3)
        plan.settled = 2499
        #expect(plan.parts(of: 2).isEmpty && plan.partCount(of: 2) == 0)
        plan.settled = 2999
        #expect(plan.parts(of: 2) == [2100, 2500, 2900] && plan.innerLines(of: 2) == [2500, 2900])
        plan.end = 3000
        #expect(plan.parts(of: 2) == [2100, 2500, 2900, 3000] && plan.innerLines(of: 2) == [2500, 2900])
    }

    // The last complete segment is 7 with 4 parts, and two parts of segment 8 are complete. At 0.5 s a client may wait
    // for six parts.
    @Test(
        arguments: [
            (nil, nil, .now), (nil, 0, .refuse), (-1, nil, .refuse), (7, -1, .refuse),
            (6, 99, .now), (7, nil, .now), (7, 3, .now), (7, 4, .now),
            (8, nil, .wait), (8, 1, .now), (8, 2, .wait), (8, 7, .wait), (8, 8, .refuse),
            (9, nil, .wait), (9, 0, .wait), (9, 6, .refuse), (10, nil, .refuse), (Int.max, Int.max, .refuse),
        ] as [(Int?, Int?, BlockingReload.Answer)]
    )
    func blockingReload(segment: Int?, part: Int?, expected: BlockingReload.Answer) {
        var reload = BlockingReload(
            lastSegment: 7,
            partsOfLast: 4,
            partsOfNext: 2,
            hasEnded: false,
            partTarget: Self.time(500)
        )
        #expect(reload.answer(segment: segment, part: part) == expected)
        reload.hasEnded = true
        if expected == .wait { #expect(reload.answer(segment: segment, part: part) == .now) }
    }

    @Test func partAfterTheLastOneIsPartZeroOfTheNextSegment() {
        let reload = BlockingReload(
            lastSegment: 7,
            partsOfLast: 4,
            partsOfNext: 0,
            hasEnded: false,
            partTarget: Self.time(500)
        )
        #expect(reload.answer(segment: 7, part: 3) == .now)
        #expect(reload.answer(segment: 7, part: 4) == .wait)
    }

    @Test func playlistListsTheGivenParts() {
        var playlist = MediaPlaylist(
            kind: .window(hasEnded: false),
            boundaries: [0, 1000, 2000, 3000, 4000].map(Self.time)
        )
        playlist.targetDuration = 1
        var parts = PlaylistParts(target: Self.time(600))
        parts.boundaries = [3: [3000, 3600, 4000].map(Self.time), 4: [4000, 4600].map(Self.time)]
        parts.reports = [.init(uri: "audio-1.m3u8", lastSegment: 4, lastPart: 0)]
        playlist.parts = parts
        let lines = String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let control = "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6.000000,"
        #expect(lines.contains(control + "PART-HOLD-BACK=1.800000"))
        #expect(lines.contains("#EXT-X-PART-INF:PART-TARGET=0.600000"))
        #expect(lines.filter { $0.hasPrefix("#EXT-X-PART:") }.count == 3)
        #expect(
            Array(lines.suffix(7)) == [
                "#EXT-X-PART:DURATION=0.600000,URI=\"3.0.m4s\",INDEPENDENT=YES",
                "#EXT-X-PART:DURATION=0.400000,URI=\"3.1.m4s\"",
                "#EXTINF:1.000000,",
                "3.m4s",
                "#EXT-X-PART:DURATION=0.600000,URI=\"4.0.m4s\",INDEPENDENT=YES",
                "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"4.1.m4s\"",
                "#EXT-X-RENDITION-REPORT:URI=\"audio-1.m3u8\",LAST-MSN=4,LAST-PART=0",
            ]
        )
    }

    @Test(
        "the first parts of independent segments are independent, and so are all parts of audio",
        arguments: [(true, false, [0, 2]), (false, false, []), (true, true, [0, 1, 2]), (false, true, [0, 1, 2])]
            as [(Bool, Bool, [Int])]
    )
    func independent(segments: Bool, parts areIndependent: Bool, expected: [Int]) {
        var playlist = MediaPlaylist(kind: .window(hasEnded: false), boundaries: [0, 1000].map(Self.time))
        playlist.isIndependent = segments
        var parts = PlaylistParts(target: Self.time(600))
        parts.areIndependent = areIndependent
        parts.boundaries = [0: [0, 600, 1000].map(Self.time), 1: [1000, 1600].map(Self.time)]
        playlist.parts = parts
        let listed = String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("#EXT-X-PART:") }
        #expect(listed.indices.filter { listed[$0].hasSuffix(",INDEPENDENT=YES") } == expected)
    }

    @Test("PART-HOLD-BACK is three part targets, or what the source requires if that is more")
    func holdBack() {
        #expect(PlaylistParts(target: Self.time(600)).requiredHoldBack == Self.time(1800))
        #expect(PlaylistParts(target: Self.time(600), holdBack: Self.time(1700)).requiredHoldBack == Self.time(1800))
        var playlist = MediaPlaylist(kind: .window(hasEnded: false), boundaries: [0, 1000].map(Self.time))
        playlist.parts = PlaylistParts(target: Self.time(600), holdBack: Self.time(3000))
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(
            text.contains(
                "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6.000000,PART-HOLD-BACK=3.000000\n"
            )
        )
    }

    @Test func completePlaylistHasNoParts() {
        var playlist = MediaPlaylist(kind: .window(hasEnded: true), boundaries: [0, 1000].map(Self.time))
        let plain = playlist.bytes
        playlist.parts = PlaylistParts(target: Self.time(500))
        #expect(playlist.bytes == plain)
    }
}
