// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Reading the segments of a list")
struct SegmentWalkPartsTests {
    private func list(_ count: Int, gaps: Set<Int> = []) -> SegmentList {
        SegmentList(
            (0..<count).map { index in
                SegmentList.Entry(
                    resource: ListedResource(url: "http://host/\(index).ts"),
                    duration: .seconds(4),
                    isGap: gaps.contains(index)
                )
            }
        )
    }

    @Test(
        "segments are opened in order up to the last one, and gaps are skipped",
        arguments: [
            (0, .max, [.open(1), .open(2), .open(4), .grow(beyond: 5)]), (3, 4, [.open(4), .end]),
            (1, 3, [.open(1), .open(2), .end]),
            (-2, 1, [.open(1), .end]), (9, 8, [.end]), (9, .max, [.grow(beyond: 9)]),
        ] as [(Int, Int, [SegmentCourse.Step])]
    )
    func course(first: Int, last: Int, expected: [SegmentCourse.Step]) {
        let list = list(5, gaps: [0, 3])
        var course = SegmentCourse(from: first, upTo: last)
        var steps: [SegmentCourse.Step] = []
        while true {
            let step = course.step(in: list, skipsOld: false)
            let repeated = course.step(in: list, skipsOld: false)
            #expect(repeated == step, "until the segment was read")
            steps.append(step)
            guard case .open(let segment) = step else { break }
            course.pass(segment)
        }
        #expect(steps == expected)
    }

    @Test("the streams of a segment belong to those of the list with the same codec, if they are kept")
    func streams() throws {
        var streams = ListStreams([.fixture(3, .vp9), .fixture(5, .aac, base: TimeBase(1, 48_000))])
        try streams.match([.fixture(0, .aac), .fixture(1, .vp9), .fixture(2, .opus)])
        #expect(streams.wanted == [0, 1])
        let video = streams.target(of: 1)
        #expect(video?.stream == 3 && video?.isVideo == true)
        let audio = streams.target(of: 0)
        #expect(audio?.stream == 5 && audio?.base == TimeBase(1, 48_000) && audio?.ownBase == TimeBase(1, 1000))
        #expect(streams.target(of: 2) == nil)
        streams.keep(only: [5, 9])
        #expect(streams.wanted == [0] && streams.target(of: 1) == nil && streams.keeps(5) && !streams.keeps(9))
        streams.keep(only: [])
        #expect(!streams.isRead && streams.timeBase(of: 5) == TimeBase(1, 48_000))
    }

    @Test("video of another codec is accepted only if all of its group has that codec")
    func otherVideo() throws {
        var streams = ListStreams([.fixture(0, .vp9), .fixture(1, .aac)])
        try streams.match([.fixture(7, .h264)])
        #expect(streams.target(of: 7)?.stream == 0 && streams.target(of: 7)?.videoCodec == .h264)
        try streams.checkVideo(of: .h264)
        let other = #expect(throws: ListStreams.OtherVideo.self) { try streams.checkVideo(of: nil) }
        #expect(other == ListStreams.OtherVideo(expected: .vp9, found: .h264))
        // The segment has the list's video too.
        try streams.match([.fixture(7, .h264), .fixture(8, .vp9)])
        try streams.checkVideo(of: nil)
        let own = #expect(throws: ListStreams.OtherVideo.self) { try streams.checkVideo(of: .h264) }
        #expect(own == ListStreams.OtherVideo(expected: .h264, found: .vp9))
        try streams.match([.fixture(8, .aac)])
        try streams.checkVideo(of: .h264)
    }

    @Test("a segment that does not reveal the codec of its video is accepted")
    func unidentifiedVideo() throws {
        let none = CodecID(rawValue: "none")
        var streams = ListStreams([.fixture(0, .vp9)])
        let video = StreamInfo(
            index: 0,
            identifier: 0,
            codec: none,
            kind: .video,
            timeBase: TimeBase(1, 1000),
            extradata: [],
            initialPadding: 0,
            frameLength: 0,
            startTime: nil,
            duration: nil,
            width: 0,
            height: 0
        )
        try streams.match([video])
        #expect(streams.target(of: 0)?.stream == 0 && streams.target(of: 0)?.videoCodec == nil)
        try streams.checkVideo(of: .h264)
    }

    /// The segment at 8 s of a list. At the start of the list, the clock of `placer` is at 100 s.
    private func segment(
        isSparse: Bool = false,
        repeatsCues: Bool = true,
        shift: MediaTime = .zero,
        endsAtOrigin: Bool = false
    ) -> PacketPlacer.Segment {
        PacketPlacer.Segment(
            start: .seconds(8),
            number: 2,
            wraps: false,
            isSparse: isSparse,
            shift: shift,
            repeatsCues: repeatsCues,
            endsAtOrigin: endsAtOrigin
        )
    }

    private func placer() -> PacketPlacer {
        PacketPlacer(ListClock(anchor: .seconds(100), offset: .seconds(-100), start: .zero))
    }

    private func place(
        _ pts: Int64?,
        _ segment: PacketPlacer.Segment,
        with placer: inout PacketPlacer,
        correction: (MediaTime) -> MediaTime = { $0 }
    ) -> Int64? {
        let times = PacketPlacer.Times(pts: pts, dts: nil)
        do throws(EngineError) {
            return try placer.place(
                times,
                of: segment,
                from: TimeBase(1, 1000),
                to: TimeBase(1, 100),
                correction: correction
            )?.pts
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("times are put on the clock of the source, in ticks of its stream")
    func placed() {
        var placer = placer()
        #expect(place(108_000, segment(), with: &placer) == 800)
        #expect(place(104_000, segment(shift: .seconds(4)), with: &placer) == 800)
    }

    @Test("if the clock restarts without a discontinuity, the first packet decides for the whole segment")
    func corrected() {
        var placer = placer()
        #expect(place(0, segment(), with: &placer) == 800)
        #expect(place(4000, segment(), with: &placer) == 1200)
        var other = self.placer()
        #expect(place(110_000, segment(), with: &other) == 1000, "durations of playlists are inexact")
    }

    @Test("the times of a segment whose clock has not restarted stay, however far it is from its place")
    func uncorrected() {
        var (placer, deviations) = (placer(), [MediaTime]())
        func place(_ pts: Int64) -> Int64? {
            self.place(pts, segment(), with: &placer) {
                deviations.append($0)
                return .zero
            }
        }
        #expect(place(148_000) == 4800 && place(149_000) == 4900)
        #expect(deviations == [.seconds(-40)], "the first packet decides")
    }

    @Test("a cue that begins before its segment is dropped if an earlier segment has it too")
    func cues() {
        var placer = placer()
        #expect(place(107_000, segment(isSparse: true), with: &placer) == nil)
        #expect(place(108_000, segment(isSparse: true), with: &placer) == 800)
        #expect(place(107_000, segment(isSparse: true, repeatsCues: false), with: &placer) == 700)
    }

    @Test("packets before the beginning of the leading list are dropped only if the segment asks for that")
    func origin() {
        var placer = PacketPlacer(ListClock(anchor: .seconds(100), offset: .seconds(-100), start: .seconds(6)))
        #expect(place(98_000, segment(endsAtOrigin: true), with: &placer) == -200)
        #expect(place(93_000, segment(endsAtOrigin: true), with: &placer) == nil)
        #expect(place(93_000, segment(), with: &placer) == -700)
    }
}
