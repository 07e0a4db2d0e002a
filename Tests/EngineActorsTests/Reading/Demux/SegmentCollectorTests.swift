// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

/// Segments of 160 ms: four pictures of 40 ms, eight audio frames of 20 ms.
@Suite("Sorting packets into a segment")
struct SegmentCollectorTests {
    private struct Outcome: Equatable {
        var progress: SegmentCollector.Progress
        /// How many packets were read.
        var count: Int
        /// The times of the segment's packets, by track.
        var times: [[Int64]]
        /// Where the media after the segment starts, by track.
        var next: [Int64?]
        /// The presentation times of packets that belong to later segments.
        var leftover: [Int64?]
    }

    private static let plan = DescribedSource.plan(segments: 4, of: 160)

    private func collect(
        _ packets: [Packet],
        segment index: Int,
        of source: DescribedSource = DescribedSource(),
        plan: SegmentPlan = plan,
        ends: [MediaTime?]? = nil,
        isContiguous: Bool = false,
        stopsAtPicture: Bool = false
    ) throws -> Outcome {
        let tracks = try source.opened().tracks
        let cut = try #require(SegmentCut(index: index, of: plan, trackEnds: ends ?? tracks.map { _ in nil }))
        var collector = SegmentCollector(
            cut: cut,
            tracks: tracks,
            active: Set(tracks.indices),
            isContiguous: isContiguous,
            stopsAtPicture: stopsAtPicture
        )
        var (progress, count) = (SegmentCollector.Progress.more, 0)
        for packet in packets where progress == .more {
            count += 1
            progress = collector.add(packet)
        }
        if progress == .more { progress = collector.finish() }
        let parts = collector.material().parts
        return Outcome(
            progress: progress,
            count: count,
            times: parts.map { $0?.packets.map(\.time) ?? [] },
            next: parts.map { $0?.next },
            leftover: collector.leftover.map(\.pts)
        )
    }

    private let video = PacketScript(stream: 0, frame: 40)
    private let audio = PacketScript(stream: 1, frame: 20)

    @Test("A segment gets the pictures from its keyframe up to the next boundary, whose keyframe the next segment gets")
    func pictures() throws {
        let found = try collect(video.packets("K0 3 1 2 K4 7 5 6 K8 11 9 10"), segment: 1)
        let expected = Outcome(
            progress: .complete,
            count: 10,
            times: [[160, 280, 200, 240]],
            next: [320],
            leftover: [320, 440]
        )
        #expect(found == expected)
    }

    @Test("Pictures shown before the next keyframe, but decoded after it, belong to the next segment")
    func openGroups() throws {
        let found = try collect(video.packets("K0 1 2 3 K4 5 6 K8 7 9"), segment: 1)
        #expect(found.times == [[160, 200, 240]])
        #expect(found.next == [280], "this segment ends where the earliest of them is shown")
        #expect(found.leftover == [320, 280, 360])
    }

    @Test(
        "Reading began too late if the keyframe at the start is not found",
        arguments: [("K8 9", 0), ("5 6 7 K8", 0), ("5 6 7", 0), ("K4 5 K8 9", 1)]
    )
    func tooLate(line: String, isFound: Int) throws {
        let found = try collect(video.packets(line), segment: 1)
        #expect(found.progress == (isFound == 1 ? .complete : .enteredTooLate))
    }

    @Test(
        "Reading for parts of an arriving segment began too late if their end comes before its keyframe is found",
        arguments: [
            ("K0 1 2 3 K4 5 6 7 8", 8, true), ("K0 1 2 3 4 5 6 7 8", 8, false), ("K0 2 1 K4 3 6 5 8 7", 9, true),
        ]
    )
    func arriving(line: String, count: Int, isFound: Bool) throws {
        var plan = DescribedSource.plan(segments: 2, of: 160, isComplete: false)
        (plan.origin, plan.partLength, plan.settled) = (.scan, 80, 320)
        let tracks = try DescribedSource().opened().tracks
        let cut = try #require(SegmentCut(partsOf: plan))
        var collector = SegmentCollector(cut: cut, tracks: tracks, active: [0], isContiguous: false)
        // The known part ends at 240 ms. Reading ends with the first picture that is decoded at 248 ms or later.
        var progress: [SegmentCollector.Progress] = []
        for packet in video.packets(line) where progress.last ?? .more == .more {
            progress.append(collector.add(packet))
        }
        #expect(progress.last == (isFound ? .complete : .enteredTooLate) && progress.count == count)
    }

    @Test("In a scanned plan, a picture with the keyframe's time but without the key flag does not start a segment")
    func flags() throws {
        var plan = Self.plan
        #expect(try collect(video.packets("4 5 6 7 K8 9"), segment: 1, plan: plan).progress == .complete)
        plan.origin = .scan
        #expect(try collect(video.packets("4 5 6 7 K8 9"), segment: 1, plan: plan).progress == .enteredTooLate)
    }

    @Test("The last segment ends with the source")
    func last() throws {
        let found = try collect(video.packets("K8 K12 14 13"), segment: 3)
        #expect(found.progress == .complete)
        #expect(found.times == [[480, 560, 520]])
        #expect(found.next == [nil])
    }

    @Test("A hidden picture ends no segment, and can begin only the first one")
    func hidden() throws {
        // The first edit ends before 10; the next one continues there, decoded from the keyframe at 6.
        let film = video.packets("K0 1 2 3 K4 5 6 7 K8 9 D10 D11 KD12 KD6 D7 10 11 K12 13 14 15 D16")
        let found = try collect(film, segment: 2, isContiguous: true)
        #expect(found.times == [[320, 360, 398, 399, 400, 440]] && found.next == [480])
        #expect(try collect(film, segment: 3).times == [[480, 520, 560, 600]])
        #expect(try collect(video.packets("KD4 5 6"), segment: 1).progress == .enteredTooLate)
    }

    @Test("Audio that an edit list hides is kept only before the first packet that is heard")
    func hiddenAudio() throws {
        var source = DescribedSource()
        source.hasAudio = true
        let line = "D-1 0 1 2 D3 D1 D2 3 4 5 6 7 8"
        let found = try collect(video.packets("K0 1 2 3 K4 5") + audio.packets(line), segment: 0, of: source)
        #expect(found.times.last?.count == 9)
        #expect(found.times.last?.dropFirst(2).first ?? 0 > 0)
    }

    @Test("If the container has only decode times, picture order counts determine the presentation times")
    func decodeOrder() throws {
        var source = DescribedSource()
        source.timing = .decodeOrder
        let orders = [0, 3, 1, 2]
        let pictures = orders.enumerated().map { place, order in
            Packet([], stream: 0, dts: 480 + Int64(place) * 40, flags: place == 0 ? .key : [], pictureOrder: order)
        }
        #expect(try collect(pictures, segment: 3, of: source).times == [[480, 600, 520, 560]])
    }

    @Test("Without any times, positions decide, and frames are counted from the boundary")
    func counted() throws {
        var source = DescribedSource()
        source.timing = .counted
        let script = PacketScript(stream: 0, times: .none)
        let start: Int64 = 1 << 20
        let earlier = script.packets("K0 1", from: start - 8)
        let own = script.packets("K2 3 4", from: start)
        let next = script.packets("K5", from: 2 * start) + script.packets("6", from: 2 * start + 4)
        let found = try collect(earlier + own + next, segment: 1, of: source)
        #expect(found.progress == .complete)
        #expect(found.times == [[160, 200, 240]])
        #expect(try collect(next, segment: 1, of: source).progress == .enteredTooLate)
    }

    @Test("A segment gets the audio frames that start between its boundaries")
    func audioFrames() throws {
        var source = DescribedSource()
        source.hasAudio = true
        let pictures = video.packets("K0 1 2 3 K4 5 6 7 K8 9")
        let frames = audio.packets((0..<18).map(String.init).joined(separator: " "))
        let found = try collect(frames + pictures, segment: 1, of: source)
        #expect(found.progress == .complete)
        #expect(found.times[1] == Array(stride(from: 160, to: 320, by: 20)))
        #expect(found.next == [320, 320])
        #expect(found.leftover == [320, 340, 320, 360])
    }

    @Test("Reading began too late if earlier audio may belong to the segment, unless reading continues")
    func audioTooLate() throws {
        var source = DescribedSource()
        source.hasAudio = true
        let pictures = video.packets("K4 5 6 7 K8 9")
        let frames = audio.packets("9 10 11 12 13 14 15 16")
        #expect(try collect(frames + pictures, segment: 1, of: source).progress == .enteredTooLate)
        let continued = try collect(frames + pictures, segment: 1, of: source, isContiguous: true)
        #expect(continued.progress == .complete)
        #expect(continued.times[1].first == 180)
    }

    @Test("The collector does not wait for audio that has ended, or that has a long gap")
    func audioGap() throws {
        var source = DescribedSource()
        source.hasAudio = true
        let pictures = video.packets("K4 5 6 7 K8 9")
        let frames = audio.packets("7 8 9 10")
        let ended = try collect(
            frames + pictures,
            segment: 1,
            of: source,
            ends: [nil, .seconds(0.22)]
        )
        #expect(ended.progress == .complete && ended.count == 10)
        let later = video.packets((10..<400).map(String.init).joined(separator: " "))
        let gap = try collect(frames + pictures + later, segment: 1, of: source)
        #expect(gap.progress == .complete)
        #expect((300..<330).contains(gap.count), "12 s of video past the end")
    }

    @Test("If only the first picture is requested, collecting ends with the packet after it")
    func keyframe() throws {
        let found = try collect(video.packets("K4 5 6 7 K8 9"), segment: 1, stopsAtPicture: true)
        #expect(found.progress == .complete && found.count == 2)
        #expect(found.times[0].first == 160)
    }
}
