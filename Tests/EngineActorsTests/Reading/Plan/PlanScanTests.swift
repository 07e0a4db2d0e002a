// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The boundaries that a scan finds")
struct PlanScanTests {
    private static let bytesPerPacket: Int64 = 100

    private func scan(
        _ tracks: [PlayedTrack],
        in container: String = "matroska,webm",
        _ interleaving: Interleaving = .stored
    ) -> PlanScan {
        PlanScan(of: tracks, in: ContainerFormat(name: container), target: .seconds(4), interleaving: interleaving)
    }

    /// Frames of 40 ms from `start` to `end`, in milliseconds, with a keyframe every two seconds.
    private func video(_ start: Int64 = 0, to end: Int64, at position: Int64 = 0) -> [Packet] {
        stride(from: start, to: end, by: 40).map { time in
            Packet(
                [1],
                stream: 0,
                pts: time,
                dts: time,
                duration: 40,
                flags: (time - start) % 2000 == 0 ? .key : [],
                position: position + (time - start) / 40 * Self.bytesPerPacket
            )
        }
    }

    @Test("Segments of live transport streams are shorter, unless a duration is requested")
    func targets() {
        var options = LoadOptions()
        #expect(Interleaving.live.target(options) == .seconds(2))
        #expect(Interleaving.stored.target(options) == .seconds(4))
        options.requestedSegmentTarget = .seconds(4)
        #expect(Interleaving.live.target(options) == .seconds(4))
    }

    @Test("boundaries are keyframes on the lines of the grid, and the plan is complete at the end")
    func grid() {
        var scan = scan([.fixture()])
        for packet in video(to: 21_000) { scan.add(packet, offset: 0) }
        let running = scan.batch(progress: 0.5)
        #expect(!running.plan.isComplete && running.progress == 0.5 && running.trackEnds == [nil])
        #expect(running.plan.boundaries.map(\.time).starts(with: [0, 4000, 8000, 12_000]))
        let batch = scan.finished()
        #expect(batch.plan.boundaries.map(\.time) == [0, 4000, 8000, 12_000, 16_000, 20_000])
        #expect(batch.plan.end == 21_000 && batch.plan.origin == .scan && batch.trackEnds == [.seconds(21)])
        #expect(batch.plan.keyframes.times == Array(stride(from: 0, to: 21_000, by: 2000)))
        #expect(batch.plan.boundaries.map(\.position) == [0, 100, 200, 300, 400, 500].map { $0 * Self.bytesPerPacket })
    }

    @Test("packets that an edit list hides begin no segment and do not extend the track")
    func hidden() {
        var scan = scan([.fixture(container: "mov,mp4")], in: "mov,mp4")
        func add(_ times: [Int64], hidden: Bool = false) {
            for time in times {
                let flags: Packet.Flags = [time % 2000 == 0 ? .key : [], hidden ? .discarded : []]
                scan.add(Packet([1], stream: 0, pts: time, dts: time, flags: flags, position: 0), offset: 0)
            }
        }
        // The first group of pictures is hidden completely. The first edit ends at 5 s; the second one continues there,
        // decoded from the keyframe at 4 s.
        add(Array(stride(from: -2000, to: 0, by: 40)), hidden: true)
        add(Array(stride(from: 0, to: 5000, by: 40)))
        add(Array(stride(from: 5000, to: 9000, by: 40)) + Array(stride(from: 4000, to: 5000, by: 40)), hidden: true)
        add(Array(stride(from: 5000, to: 9000, by: 40)))
        add(Array(stride(from: 9000, to: 12_000, by: 40)), hidden: true)
        let plan = scan.finished().plan
        #expect(plan.boundaries.map(\.time) == [0, 4000, 8000] && plan.end == 9000)
        #expect(plan.keyframes.times == [0, 2000, 4000, 6000, 8000])
        #expect(scan.finished().unfollowedJumps == 0)
    }

    @Test(
        "a boundary is announced once all tracks are 0.5 s past it; live, tracks that lag by 4 s do not count",
        arguments: [
            // How far the video and the audio have come, and the announced boundaries of a live stream and of a file.
            (8400, 8400, [0, 4000], [0, 4000]), (8600, 8400, [0, 4000], [0, 4000]),
            (8400, 8600, [0, 4000], [0, 4000]),
            (9040, 8600, [0, 4000, 8000], [0, 4000, 8000]), (9040, 8400, [0, 4000], [0, 4000]),
            (12_400, 4600, [0, 4000], [0, 4000]), (12_600, 4600, [0, 4000, 8000], [0, 4000]),
            (12_600, nil, [0, 4000, 8000], []), (24_600, nil, [0, 4000, 8000, 12_000, 16_000, 20_000], [0]),
        ] as [(Int64, Int64?, [Int64], [Int64])]
    )
    func announced(pictures: Int64, audio: Int64?, live: [Int64], stored: [Int64]) {
        let tracks: [PlayedTrack] = [.fixture(container: "mpegts"), .fixture(.aac, stream: 1, container: "mpegts")]
        for (interleaving, expected) in [(Interleaving.live, live), (.stored, stored)] {
            var scan = scan(tracks, in: "mpegts", interleaving)
            for packet in video(to: pictures) { scan.add(packet, offset: 0) }
            if let audio {
                let packet = Packet(
                    [1],
                    stream: 1,
                    pts: audio - 20,
                    dts: audio - 20,
                    duration: 20,
                    flags: .key,
                    position: 0
                )
                scan.add(packet, offset: 0)
            }
            let batch = scan.batch(progress: 0)
            #expect(batch.plan.boundaries.map(\.time) == expected)
            #expect(
                scan.finished().plan.boundaries.map(\.time).starts(with: expected),
                "nothing announced is withdrawn"
            )
        }
    }

    @Test("a jump that is not final delays the boundaries of a file")
    func unsettled() {
        var scan = scan([.fixture(container: "mpegts")], in: "mpegts")
        let next = video(2000, to: 16_000, at: 1 << 20)
        for packet in video(to: 9000) + next.prefix(200) { scan.add(packet, offset: 0) }
        #expect(scan.batch(progress: 0).plan.boundaries.isEmpty)
        for packet in next.dropFirst(200) { scan.add(packet, offset: 0) }
        let plan = scan.batch(progress: 0).plan
        #expect(plan.boundaries.map(\.time).starts(with: [0, 4000, 8000, 9000, 13_000]) && plan.jumps.count == 1)
    }

    @Test(
        "the scan of a source on a server waits for playback once it is over 32 MiB and at least two segments ahead",
        arguments: [
            // The played segment, the position of the scan, and the segment that it waits for, if any.
            (0, 32 << 20, nil), (0, 32 << 20 + 1, 1), (0, 33 << 20 + 1, 2), (0, 1 << 40, 2), (1, 33 << 20, nil),
            (1, 33 << 20 + 1, 2), (2, 1 << 40, nil), (9, 1 << 40, nil),
        ] as [(Int, Int64, Int?)]
    )
    func pace(played: Int, offset: Int64, goal: Int?) {
        // Each segment has 1 MiB.
        let plan = DescribedSource.plan(segments: 4)
        #expect(ScanPace.waits(at: offset, plan, playing: played) == (goal != nil))
        #expect(ScanPace.goal(at: offset, plan, playing: played) == goal)
    }

    @Test("gradual refresh is found among the first eight keyframes of H.264, in the payload if packets have one")
    func gradualRefresh() {
        func isGradual(
            _ codec: CodecID,
            keyframe gradual: Int64?,
            in container: String = "matroska,webm",
            payload: [UInt8] = [1]
        ) -> Bool {
            var scan = scan([.fixture(codec, container: container)], in: container)
            for time in stride(from: Int64(0), to: 60_000, by: 2000) {
                let packet = Packet(payload, stream: 0, pts: time, dts: time, duration: 40, flags: .key, position: time)
                scan.add(packet, offset: 0, isGradual: { $0.time == gradual })
            }
            return scan.batch(progress: 0).plan.hasGradualRefresh && scan.finished().plan.hasGradualRefresh
        }
        #expect(isGradual(.h264, keyframe: 2000) && isGradual(.h264, keyframe: 14_000))
        #expect(!isGradual(.h264, keyframe: 16_000) && !isGradual(.h264, keyframe: nil))
        #expect(!isGradual(.hevc, keyframe: 2000))
        #expect(!isGradual(.h264, keyframe: 2000, in: "mpegts"), "the payload has no recovery point")
    }

    @Test("a later batch extends an earlier one")
    func growing() {
        var scan = scan([.fixture()])
        var earlier: [Keyframe] = []
        for packet in video(to: 60_000) {
            scan.add(packet, offset: 0)
            let now = scan.batch(progress: 0).plan.boundaries
            #expect(now.starts(with: earlier))
            earlier = now
        }
        #expect(scan.finished().plan.boundaries.starts(with: earlier))
    }

    @Test("Matroska boundaries are at clusters, and a packet without a position is at the read position")
    func positions() {
        var clustered = scan([.fixture()])
        for packet in video(to: 9000) { clustered.add(packet, offset: 0) { $0 * 3 } }
        #expect(clustered.finished().plan.boundaries.map(\.position) == [0, 12_000, 24_000])
        var unplaced = scan([.fixture(container: "avi")], in: "avi")
        for packet in video(to: 9000) {
            unplaced.add(
                Packet([1], stream: 0, pts: packet.pts, dts: packet.dts, flags: packet.isKey ? .key : []),
                offset: (packet.pts ?? 0) + 7
            )
        }
        #expect(unplaced.finished().plan.boundaries.map(\.position) == [7, 4007, 8007])
    }

    @Test("MP4 seeks by decode time, everything else by presentation time", arguments: [("mov,mp4", 80), ("avi", 160)])
    func seekTimestamps(container: String, expected: Int64) {
        var scan = scan([.fixture()], in: container)
        scan.add(Packet([1], stream: 0, pts: 160, dts: 80, flags: .key, position: 0), offset: 0)
        #expect(scan.finished().plan.boundaries.first?.seekTimestamp == expected)
    }

    @Test("frames without times are counted")
    func counted() {
        var scan = scan([.fixture(container: "h264")], in: "h264")
        for number in 0..<250 {
            scan.add(Packet([1], stream: 0, flags: number % 50 == 0 ? .key : [], position: Int64(number)), offset: 0)
        }
        let plan = scan.finished().plan
        #expect(plan.boundaries.map(\.time) == [0, 4000, 8000] && plan.end == 10_000)
    }

    @Test("packets of other streams and packets without a time are ignored")
    func ignored() {
        var scan = scan([.fixture()])
        scan.add(Packet([1], stream: 5, pts: 0, flags: .key), offset: 0)
        scan.add(Packet([1], stream: 0, flags: .key), offset: 0)
        #expect(scan.finished().plan.boundaries.isEmpty)
    }

    @Test("a restart of the clock is followed if reading can start at any byte, and the timeline continues")
    func restart() {
        var scan = scan([.fixture(container: "mpegts")], in: "mpegts")
        let joined: Int64 = 1 << 20
        for packet in video(100_000, to: 140_000) + video(0, to: 40_000, at: joined) { scan.add(packet, offset: 0) }
        let batch = scan.finished()
        #expect(batch.plan.jumps.map(\.position) == [joined] && batch.plan.jumps.map(\.offset) == [140_000])
        #expect(batch.plan.end == 180_000 && batch.unfollowedJumps == 0)
        #expect(batch.notices(path: "/film").map(\.code) == ["plan.clock_jump"])
    }

    @Test("after missing bytes of a live stream, the timeline continues with the next keyframe")
    func gap() {
        var scan = scan([.fixture(container: "mpegts")], in: "mpegts", .live)
        for packet in video(to: 10_000) { scan.add(packet, offset: 0) }
        let place: Int64 = 1 << 20
        scan.setVideoDiscontinuities([place])
        // Three and a half seconds are missing, and the packets after them begin half a second before a keyframe.
        for packet in video(12_000, to: 20_000, at: place).dropFirst(38) { scan.add(packet, offset: 0) }
        let plan = scan.batch(progress: 0).plan
        #expect(plan.jumps == [ClockJump(firstSegment: 3, position: place, offset: -4000, start: 10_000)])
        #expect(plan.boundaries.map(\.time) == [0, 4000, 8000, 10_000, 12_000])
        #expect(plan.announcedDiscontinuities == [3])
    }

    @Test(
        "a live stream without keyframes is cut after 35 s, and the timeline continues with the next keyframe"
    )
    func missingKeyframes() {
        var scan = scan(
            [.fixture(container: "mpegts"), .fixture(.aac, stream: 1, container: "mpegts")],
            in: "mpegts",
            .live
        )
        var misses: [Int64: Int] = [:]
        for packet in video(to: 80_000) {
            let time = packet.pts ?? 0
            // Between 10 and 60 s, no picture is a keyframe.
            let isKey = packet.isKey && !(10_000..<60_000).contains(time)
            let flags: Packet.Flags = isKey ? .key : []
            let place = packet.position ?? 0
            scan.add(Packet([1], stream: 0, pts: time, dts: time, flags: flags, position: place), offset: 0)
            scan.add(Packet([1], stream: 1, pts: time, dts: time, flags: .key, position: place + 50), offset: 0)
            misses[time] = scan.missedKeyframes
        }
        // 35 s after the keyframe at 8 s, by the audio that follows each picture.
        #expect(misses[42_920] == 0 && misses[42_960] == 1 && misses[59_960] == 1 && misses[60_000] == 0)
        let plan = scan.batch(progress: 0).plan
        let place = 42_960 / 40 * Self.bytesPerPacket + 50
        #expect(plan.jumps == [ClockJump(firstSegment: 3, position: place, offset: -17_000, start: 43_000)])
        #expect(plan.boundaries.map(\.time).starts(with: [0, 4000, 8000, 43_000, 45_000]))
        #expect(plan.announcedDiscontinuities == [3])
    }

    @Test("segments of a live stream that an earlier process announced keep their indices, and the timeline continues")
    func continued() {
        var scan = PlanScan(
            of: [.fixture(container: "mpegts")],
            in: ContainerFormat(name: "mpegts"),
            target: .seconds(4),
            interleaving: .live,
            after: 3
        )
        #expect(scan.batch(progress: 0).plan.earlierCount == 3)
        for packet in video(2000, to: 15_000) + video(40_000, to: 50_000, at: 1 << 20) { scan.add(packet, offset: 0) }
        let plan = scan.batch(progress: 0).plan
        #expect(plan.boundaries.map(\.time) == [0, 4000, 8000, 14_000, 18_000, 22_000, 26_000, 27_000, 31_000, 35_000])
        #expect(plan.boundaries.map { $0.position >= 0 } == (0..<10).map { $0 >= 3 })
        #expect(plan.jumps.map(\.firstSegment) == [3, 7] && plan.jumps.map(\.offset) == [12_000, -13_000])
        #expect(plan.earlierCount == 3 && plan.announcedDiscontinuities == [3, 7])
    }

    @Test("joined audio continues on one timeline, and each part begins a segment", arguments: ["ogg", "mpegts"])
    func joinedAudio(container: String) throws {
        var described = DescribedSource()
        (described.hasVideo, described.hasAudio) = (false, true)
        var scan = scan(try described.opened().tracks, in: container)
        func audio(_ start: Int64, to end: Int64, at position: Int64) -> [Packet] {
            stride(from: start, to: end, by: 20).map { time in
                Packet(
                    [1],
                    stream: 1,
                    pts: time,
                    dts: time,
                    duration: 20,
                    flags: .key,
                    position: position + time - start
                )
            }
        }
        for packet in audio(0, to: 6000, at: 0) + audio(400, to: 5400, at: 10_000) { scan.add(packet, offset: 0) }
        let batch = scan.finished()
        #expect(batch.plan.boundaries.map(\.time) == [0, 4000, 6000, 8000])
        #expect(batch.plan.jumps == [ClockJump(firstSegment: 2, position: 10_000, offset: 5600, start: 6000)])
        #expect(batch.plan.end == 11_000 && batch.trackEnds == [.seconds(11)] && batch.unfollowedJumps == 0)
    }

    @Test("a restart of the clock is counted and not followed if reading cannot start at any byte")
    func unfollowedRestart() {
        var scan = scan([.fixture()])
        for packet in video(100_000, to: 110_000) + video(0, to: 10_000) { scan.add(packet, offset: 0) }
        let batch = scan.finished()
        #expect(batch.plan.jumps.isEmpty && batch.unfollowedJumps == 1)
        #expect(batch.notices(path: "/film").map(\.severity) == [.warning])
    }
}
