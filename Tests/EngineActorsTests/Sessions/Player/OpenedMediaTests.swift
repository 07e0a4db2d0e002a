// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading
@testable import Segments
@testable import Sessions

/// Segments of 10 s, 1 MiB apart in the source, with a keyframe every 2 s.
@Suite("The opened source of a session")
struct OpenedMediaTests {
    private static let second: Int64 = 1_000_000_000

    private let file = ScriptedSource([1], growing: .init(from: 0, after: Gate()))

    private static func plan(_ segments: Int, isComplete: Bool = false) -> SegmentPlan {
        var plan = DescribedSource.plan(segments: segments + (isComplete ? 0 : 1), isComplete: isComplete)
        plan.origin = .scan
        plan.keyframes = KeyframeTimes()
        for time in stride(from: 0, to: Int64(segments) * 10_000, by: 2000) { plan.keyframes.append(time) }
        return plan
    }

    private func media(
        _ plan: SegmentPlan,
        trackEnds: [MediaTime?] = [nil, nil],
        hasVideo: Bool = true,
        units: UnitPlan? = nil
    ) throws -> OpenedMedia {
        var described = DescribedSource()
        described.file = file
        described.hasAudio = true
        described.hasVideo = hasVideo
        var source = try described.opened()
        source.units = units
        let producer = SegmentProducer(
            source: source,
            demuxers: SegmentDemuxers(Demuxer(name: "test", source: source), of: source),
            plan: plan,
            trackEnds: trackEnds,
            budget: 1 << 20,
            target: .seconds(10),
            onReport: { _ in }
        )
        return OpenedMedia(source, producer, plan: plan, trackEnds: trackEnds, audio: AudioTracks(source))
    }

    private func batch(_ plan: SegmentPlan, ends: [MediaTime?] = [nil, nil]) -> Scanner.Batch {
        Scanner.Batch(
            plan: plan,
            progress: 0,
            refusedChanges: 0,
            unfollowedJumps: 0,
            audioChanges: 0,
            trackEnds: ends
        )
    }

    // MARK: The timeline

    @Test(
        "The duration is known once the plan is complete, and is that of the longest track",
        arguments: [
            (false, [nil, nil], nil, 30), (false, [.seconds(40), nil], nil, 30), (true, [nil, nil], 30, 30),
            (true, [.seconds(29), .seconds(31)], 31, 31), (true, [.seconds(29), nil], 30, 30),
        ] as [(Bool, [MediaTime?], Double?, Double)]
    )
    func duration(isComplete: Bool, ends: [MediaTime?], duration: Double?, reachable: Double) throws {
        let media = try media(Self.plan(3, isComplete: isComplete), trackEnds: ends)
        #expect(media.duration?.seconds == duration)
        #expect(media.reachable == .seconds(reachable))
        #expect(media.endTime(ofSegment: 2) == .seconds(reachable), "the last segment ends with the media")
        #expect(media.endTime(ofSegment: 1) == .seconds(20) && media.endTime(ofSegment: 3) == .zero)
    }

    @Test(
        "If the source states its end, the duration is known before the plan is complete, and any position can be sought"
    )
    func statedEnd() throws {
        let timeline = TitleTimeline([.init(position: 0, entry: 0, start: 0, duration: 100_000)])
        let limits = SegmentPlanner.Limits(target: .seconds(10), timeBase: UnitPlan.timeBase)
        let units = UnitPlan(UnitMap(parts: [], isRemote: true), timeline, limits, first: nil, isDecoded: false)
        let media = try media(Self.plan(3), units: units)
        #expect(media.duration == .seconds(100) && media.reachable == .seconds(30))
        #expect(media.endTime(ofSegment: 2) == .seconds(30))
        // A keyframe that is not known yet is not replaced by one far before it.
        for (position, keyframe) in [(5, 4), (30, 28), (31, 31), (99, 99)] {
            #expect(media.keyframe(atOrBefore: .seconds(Double(position))) == .seconds(Double(keyframe)))
        }
        #expect(!media.isUnplanned(.seconds(30)) && media.isUnplanned(.seconds(31)))
        let complete = try self.media(Self.plan(3, isComplete: true), units: units)
        #expect(!complete.isUnplanned(.seconds(31)), "the plan does not grow")
        #expect(try !self.media(Self.plan(3)).isUnplanned(.seconds(31)), "its end is that of the source so far")
        #expect(complete.duration == .seconds(30) && complete.keyframe(atOrBefore: .seconds(31)) == .seconds(28))
    }

    @Test("Nothing is reachable before a segment is planned")
    func unplanned() throws {
        let media = try media(SegmentPlan(timeBase: TimeBase(1, 1000), origin: .scan))
        #expect(media.reachable == nil && media.duration == nil && media.livePosition(at: 0) == nil)
        #expect(media.segment(at: .seconds(5)) == 0 && media.available(around: .zero) == nil)
    }

    @Test(
        "A position is in the segment that begins at or before it, and in the last one beyond the end",
        arguments: [(0, 0), (9.999, 0), (10, 1), (29.9, 2), (99, 2)]
    )
    func segments(position: Double, segment: Int) throws {
        #expect(try media(Self.plan(3)).segment(at: .seconds(position)) == segment)
    }

    @Test(
        "The keyframe of a position is the last one at or before it; without video, it is the position",
        arguments: [(0, 0), (1.999, 0), (2, 2), (5, 4), (99, 28)]
    )
    func keyframes(position: Double, keyframe: Double) throws {
        #expect(try media(Self.plan(3)).keyframe(atOrBefore: .seconds(position)) == .seconds(keyframe))
        let audio = try media(Self.plan(3), hasVideo: false)
        #expect(audio.keyframe(atOrBefore: .seconds(position)) == .seconds(position))
    }

    @Test(
        "What the source has dropped cannot be reached: the timeline begins at the first segment that is kept whole",
        arguments: [
            (0, 0, [false, false, false]), (1, 10, [true, false, false]), (1 << 20, 10, [true, false, false]),
            ((1 << 20) + 1, 20, [true, true, false]), (9 << 20, 30, [true, true, true]),
        ]
            as [(Int64, Double, [Bool])]
    )
    func window(oldest: Int64, start: Double, dropped: [Bool]) throws {
        let media = try media(Self.plan(3))
        file.facts.withLock { $0.oldest = oldest }
        #expect(media.reachableStart == .seconds(start))
        #expect((0...2).map { media.hasDropped($0, of: media.plan) } == dropped)
        #expect(!media.hasDropped(9, of: media.plan))
    }

    @Test(
        "If the window moves, media of the first two segments in it may be gone, too, even before anything has left it"
    )
    func margin() throws {
        let media = try media(Self.plan(5))
        file.facts.withLock { $0.slides = true }
        for (oldest, dropped) in [(0, 2), (1, 3), (2, 4), (3, 5)] {
            file.facts.withLock { $0.oldest = Int64(oldest) << 20 }
            #expect((0..<5).map { media.hasDropped($0, of: media.plan) } == (0..<5).map { $0 < dropped })
        }
    }

    @Test(
        "Playback more than 3 s before the window continues two segments after its start, or at the last announced one",
        arguments: [(0, 0, nil), (7, 1, nil), (6.9, 1, 30), (7, 2, 40), (7, 3, 40), (7, 4, 40), (41, 4, nil)]
            as [(Double, Int64, Double?)]
    )
    func rejoining(position: Double, oldest: Int64, target: Double?) throws {
        let media = try media(Self.plan(5))
        file.facts.withLock { ($0.slides, $0.oldest) = (true, oldest << 20) }
        #expect(media.rejoining(from: .seconds(position)) == target.map { .moves(to: .seconds($0)) })
    }

    @Test(
        "Playback whose media is gone moves on, even at the start of the window, or waits for later media",
        arguments: [
            // The window begins in the list of the audio before that of the video.
            (0, 0, .moves(to: .seconds(20))), (19, 0, .moves(to: .seconds(20))), (20, 0, nil),
            (9, 1, .moves(to: .seconds(30))), (10, 1, .moves(to: .seconds(30))), (30, 1, nil),
            (31, 2, .moves(to: .seconds(40))), (40, 3, .waits), (45, 4, .waits),
        ] as [(Double, Int64, OpenedMedia.Rejoining?)]
    )
    func moveOn(position: Double, oldest: Int64, rejoining: OpenedMedia.Rejoining?) throws {
        let media = try media(Self.plan(5))
        file.facts.withLock { ($0.slides, $0.oldest) = (true, oldest << 20) }
        let gone = EngineError(.sourceNotReadable, "it has left the playlist")
        #expect(media.rejoining(from: .seconds(position), after: gone) == rejoining)
    }

    @Test("Another failure moves playback only if it is before the window; that of a complete source ends playback")
    func failures() throws {
        let media = try media(Self.plan(5))
        file.facts.withLock { ($0.slides, $0.oldest) = (true, 1 << 20) }
        let other = EngineError(.sourceUnreachable, "scripted")
        #expect(media.rejoining(from: .seconds(9), after: other) == .moves(to: .seconds(30)))
        #expect(media.rejoining(from: .seconds(10), after: other) == nil)
        let complete = try self.media(Self.plan(5, isComplete: true))
        let gone = EngineError(.sourceNotReadable, "it has left the playlist")
        #expect(complete.rejoining(from: .seconds(10), after: gone) == .moves(to: .seconds(30)))
        file.facts.withLock { $0.oldest = 3 << 20 }
        #expect(complete.rejoining(from: .seconds(40), after: gone) == nil)
    }

    @Test("A source without a window keeps its media, whatever fails")
    func noWindow() throws {
        let gone = EngineError(.sourceNotReadable, "scripted")
        #expect(try media(Self.plan(5)).rejoining(from: .zero, after: gone) == nil)
    }

    @Test("Segments that only an earlier process had are lost, and the timeline begins after them")
    func resumed() throws {
        var plan = Self.plan(3)
        for place in 0...1 { plan.boundaries[place].position = SegmentPlan.nowhere }
        let media = try media(plan)
        #expect((-1...3).map { media.isLost($0) } == [false, true, true, false, false])
        #expect(media.reachableStart == .seconds(20))
    }

    // MARK: Growth

    @Test("A batch counts if it adds segments or completes the plan; track ends are those of the complete plan")
    func growth() throws {
        let media = try media(Self.plan(2))
        #expect(media.isGrowing)
        #expect(media.grown(by: batch(Self.plan(2)), at: 0) == nil)
        let longer = try #require(media.grown(by: batch(Self.plan(3), ends: [.seconds(1), nil]), at: 0))
        #expect(longer.plan.segmentCount == 3 && longer.trackEnds == [nil, nil] && longer.isGrowing)
        let ends: [MediaTime?] = [.seconds(30), .seconds(29)]
        let whole = try #require(longer.grown(by: batch(Self.plan(3, isComplete: true), ends: ends), at: 0))
        #expect(whole.plan.isComplete && whole.trackEnds == ends && !whole.isGrowing)
        #expect(media.plan.segmentCount == 2, "a value of its own")
    }

    @Test("A scan that began again adds nothing until it reaches the end of the plan")
    func repeatedScan() throws {
        let media = try media(Self.plan(3))
        let known = (1...4).map { media.covers(batch(Self.plan($0))) }
        #expect(known == [true, true, false, false])
        #expect(!media.covers(batch(Self.plan(2, isComplete: true))), "the end is always news")
    }

    @Test(
        "A growing source ends where its scan failed, even if it stopped growing before; a stopped scan ends nothing",
        arguments: [
            (true, false, EngineError.Code.sourceChanged, true), (true, true, .sourceChanged, true),
            (true, true, .sourceReadFailed, true), (true, true, .cancelled, false),
            (false, true, .sourceChanged, false),
        ]
    )
    func scanFailure(grew: Bool, hasStopped: Bool, code: EngineError.Code, ends: Bool) throws {
        if !grew { file.endGrowth() }
        let media = try media(Self.plan(3))
        if hasStopped { file.endGrowth() }
        #expect(media.endsPlan(after: EngineError(code, "scripted")) == ends)
    }

    @Test("An init segment exists for announced versions; a later one may come until the plan is complete")
    func versions() throws {
        func kind(_ resource: MediaResource) -> String {
            switch resource {
            case .initSegment: "init"
            case .notReady: "not ready"
            case .notFound: "not found"
            default: "other"
            }
        }
        var plan = Self.plan(3)
        plan.changes = [ConfigurationChange(firstSegment: 1, privateData: [1])]
        let running = try media(plan)
        #expect((0...2).map { kind(running.initSegment(of: 0, version: $0)) } == ["init", "init", "not ready"])
        #expect((0...1).map { kind(running.initSegment(of: 1, version: $0)) } == ["init", "not found"])
        plan.boundaries.removeLast()
        plan.end = 30_000
        #expect(kind(try media(plan).initSegment(of: 0, version: 2)) == "not found")
    }

    // MARK: Live sources

    @Test("Only a live source has a live edge, until its end is known")
    func live() throws {
        #expect(try media(Self.plan(3)).live(playing: .zero, at: 0, clock: 0) == nil)
        file.facts.withLock { $0.live = LiveProgress() }
        #expect(try media(Self.plan(3)).live(playing: .zero, at: 0, clock: 0)?.edge == .seconds(30))
        #expect(try media(Self.plan(3, isComplete: true)).live(playing: .zero, at: 0, clock: 0) == nil)
    }

    @Test(
        "The latency counts from the planned edge, which arrived as much earlier as it lies behind the newest media",
        arguments: [
            // The end of the newest media, when it arrived, the playhead and the time, in seconds; the latency.
            (nil, 5, 28, 5, 2), (nil, 5, 28, 9, 6), (32, 5, 28, 5, 4), (32, 5, 30, 6, 3),
            // The edge is the end of a part after the newest segment, and arrived later than that segment.
            (28, 5, 28, 9, 4), (28, 5, 29, 7, 1),
        ] as [(Double?, Int64, Double, Int64, Double)]
    )
    func latency(newest: Double?, arrival: Int64, playhead: Double, now: Int64, latency: Double) throws {
        var progress = LiveProgress(monotonicNanoseconds: arrival * Self.second)
        progress.newest = newest.map { .seconds($0) }
        file.facts.withLock { [progress] in $0.live = progress }
        let found = try media(Self.plan(3)).live(playing: .seconds(playhead), at: now * Self.second, clock: 0)
        #expect(found?.latency == .seconds(latency))
    }

    @Test("Without an arrival time of the media, the latency counts from when the plan grew")
    func arrival() throws {
        file.facts.withLock { $0.live = LiveProgress() }
        let media = try #require(try media(Self.plan(2)).grown(by: batch(Self.plan(3)), at: 7 * Self.second))
        #expect(media.live(playing: .seconds(29), at: 8 * Self.second, clock: 0)?.latency == .seconds(2))
    }

    @Test(
        "Wall clocks that differ by more than a minute are doubtful",
        arguments: [(100, false), (159, false), (161, true), (41, false), (39, true)] as [(Int64, Bool)]
    )
    func wallClock(recorded: Int64, isDoubtful: Bool) throws {
        var progress = LiveProgress(monotonicNanoseconds: 5 * Self.second)
        progress.wallClock = recorded * 1_000_000
        file.facts.withLock { [progress] in $0.live = progress }
        let found = try media(Self.plan(3)).live(playing: .zero, at: 7 * Self.second, clock: 102_000_000)
        #expect(found?.wallClock == recorded * 1_000_000 && found?.isWallClockDoubtful == isDoubtful)
    }

    @Test(
        "The live place is as far behind the edge as the source states, but not before what can still be reached",
        arguments: [(6, 0, 24), (60, 0, 0), (25, 1 << 20, 10)] as [(Double, Int64, Double)]
    )
    func statedDistance(target: Double, oldest: Int64, place: Double) throws {
        file.facts.withLock { facts in
            facts.oldest = oldest
            facts.live = LiveProgress(monotonicNanoseconds: 5 * Self.second, targetLatency: .seconds(target))
        }
        #expect(try media(Self.plan(3)).livePosition(at: 7 * Self.second) == .seconds(place))
    }

    @Test(
        "The live place of a stream is the longest segment and a reserve behind what arrives, and never at the edge",
        arguments: [(5, 18.75), (7, 20.75), (15, 28.75), (16, 29.25), (900, 29.25)] as [(Int64, Double)]
    )
    func arrivingDistance(now: Int64, place: Double) throws {
        file.facts.withLock { $0.live = LiveProgress(monotonicNanoseconds: 5 * Self.second) }
        let media = try media(Self.plan(3))
        #expect(media.livePosition(at: now * Self.second) == .seconds(place))
        #expect(media.live(playing: .zero, at: now * Self.second, clock: 0)?.targetLatency == .seconds(11.25))
    }

    @Test(
        "With a reserve, the live place is the longest segment and that reserve behind what arrives",
        arguments: [
            // The end of the newest media and the time; the target latency and the place.
            (30, 5, 13, 17), (30, 8, 13, 20), (30, 900, 13, 29.25), (40, 5, 23, 17), (40, 9, 23, 21),
        ] as [(Double, Int64, Double, Double)]
    )
    func reserve(newest: Double, now: Int64, target: Double, place: Double) throws {
        var progress = LiveProgress(monotonicNanoseconds: 5 * Self.second, reserve: .seconds(3))
        progress.newest = .seconds(newest)
        file.facts.withLock { [progress] in $0.live = progress }
        let media = try media(Self.plan(3))
        #expect(media.live(playing: .zero, at: now * Self.second, clock: 0)?.targetLatency == .seconds(target))
        #expect(media.livePosition(at: now * Self.second) == .seconds(place))
    }

    @Test("The longest segment of a stream determines how far behind it is played, until eight others have followed")
    func longestSegment() throws {
        file.facts.withLock { $0.live = LiveProgress(monotonicNanoseconds: 5 * Self.second) }
        var plan = Self.plan(3)
        // A segment of 14 s between two of 10 s and 6 s.
        plan.boundaries[2].time += 4000
        let long = try media(plan)
        #expect(long.live(playing: .zero, at: 5 * Self.second, clock: 0)?.targetLatency == .seconds(15.25))
        plan = Self.plan(11)
        plan.boundaries[2].time += 4000
        let later = try media(plan)
        #expect(later.live(playing: .zero, at: 5 * Self.second, clock: 0)?.targetLatency == .seconds(11.25))
    }
}
