// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Clocks that restart")
struct DiscontinuityFinderTests {
    private static func packet(
        _ seconds: Int64,
        at position: Int64,
        isKey: Bool = false
    ) -> DiscontinuityFinder.Observation {
        DiscontinuityFinder.Observation(
            time: seconds * 100,
            decodeTime: seconds * 100,
            position: position,
            isKey: isKey
        )
    }

    private static func watch(
        _ interleaving: Interleaving = .stored,
        isWatching: Bool = true
    ) -> DiscontinuityFinder {
        let clock = DiscontinuityFinder.Clock(.hertz(100), in: ContainerFormat(name: "mpegts"), interleaving)
        return DiscontinuityFinder(clock, isWatching: isWatching)
    }

    @Test(
        "live streams and files have different jump limits; a step ahead is no jump if another track is near",
        arguments: [
            // The step in centiseconds, how far the audio has come, and whether the step is a jump in a live stream and
            // in a file.
            (-40, 0, false, false), (-60, 0, true, true), (280, 0, false, false), (320, 0, true, false),
            (900, 0, true, false), (900, 650, false, false), (320, 100, false, false), (3_610_00, 0, true, true),
            (3_610_00, 3_000_00, true, false),
        ] as [(Int64, Int64, Bool, Bool)]
    )
    func steps(step: Int64, audio: Int64, isLiveJump: Bool, isJump: Bool) {
        for (interleaving, expected) in [(Interleaving.live, isLiveJump), (.stored, isJump)] {
            var watch = Self.watch(interleaving)
            let first = DiscontinuityFinder.Observation(time: 0, decodeTime: 0, position: 0, isKey: true)
            _ = watch.noteLead(first, end: nil)
            let heard = DiscontinuityFinder.Observation(time: audio, decodeTime: audio, position: 1, isKey: true)
            _ = watch.note(heard, of: 1, front: 4)
            let next = DiscontinuityFinder.Observation(time: step, decodeTime: step, position: 2, isKey: true)
            #expect(watch.noteLead(next, end: 4) == (expected ? .begins(4) : .at(step)))
        }
    }

    @Test(
        "a step ahead of all tracks is a jump in a live stream, whichever track shows it first",
        arguments: [true, false]
    )
    func bothStep(audioIsFirst: Bool) {
        var watch = Self.watch(.live)
        #expect(watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil) == .at(10000))
        #expect(watch.note(Self.packet(100, at: 12), of: 1, front: 10004) == .at(10000))
        if audioIsFirst { #expect(watch.note(Self.packet(130, at: 18), of: 1, front: 10004) == .nowhere) }
        #expect(watch.noteLead(Self.packet(130, at: 20, isKey: true), end: 10004) == .begins(10004))
        #expect(watch.note(Self.packet(131, at: 24), of: 1, front: 10004) == .at(10104))
        #expect(watch.jumps.map(\.position) == [audioIsFirst ? 18 : 20])
    }

    @Test(
        "in Ogg, any step back of the leading audio that exceeds a block is a jump",
        arguments: [(20, false), (30, true)]
    )
    func oggSteps(step: Int64, isJump: Bool) {
        let clock = DiscontinuityFinder.Clock(.hertz(100), in: ContainerFormat(name: "ogg"), .stored)
        var watch = DiscontinuityFinder(clock, isWatching: true)
        let first = DiscontinuityFinder.Observation(time: 100, decodeTime: 100, position: 1, isKey: true)
        _ = watch.noteLead(first, end: nil)
        let time = 100 - step
        let next = DiscontinuityFinder.Observation(time: time, decodeTime: time, position: 2, isKey: true)
        #expect(watch.noteLead(next, end: 104) == (isJump ? .begins(104) : .at(time)))
    }

    @Test(
        "clocks are followed where readers can enter after a jump, and those of audio only in files",
        arguments: [
            ("mpegts", true, Interleaving.live, true), ("mpegts", false, .stored, true),
            ("mpegts", false, .live, false),
            ("ogg", true, .stored, false), ("ogg", false, .stored, true), ("matroska,webm", false, .stored, false),
        ] as [(String, Bool, Interleaving, Bool)]
    )
    func watched(container: String, hasVideo: Bool, interleaving: Interleaving, isWatched: Bool) throws {
        var described = DescribedSource()
        (described.hasVideo, described.hasAudio) = (hasVideo, true)
        let lead = try described.opened().lead
        #expect(DiscontinuityFinder.canWatch(lead, in: ContainerFormat(name: container), interleaving) == isWatched)
    }

    @Test("times continue to rise through every wrap of the clock")
    func wraps() {
        var watch = Self.watch(.live)
        let wrap = ClockWrap.ticks(in: .hertz(100))
        var (finding, audio) = (DiscontinuityFinder.Finding.nowhere, DiscontinuityFinder.Finding.nowhere)
        // Steps of two seconds through four wraps.
        for time in stride(from: wrap - 5000, to: 5 * wrap, by: 200) {
            let observation = DiscontinuityFinder.Observation(
                time: time % wrap,
                decodeTime: (time - 8) % wrap,
                position: time,
                isKey: true
            )
            finding = watch.noteLead(observation, end: time)
            audio = watch.note(observation, of: 1, front: time)
            guard finding == .at(time), audio == .at(time) else { break }
        }
        #expect(finding == audio && watch.jumps.isEmpty)
        guard case .at(let last) = finding else {
            Issue.record("the clock has jumped")
            return
        }
        #expect(last > 5 * wrap - 1000)
    }

    @Test(
        "the timeline continues where the pictures before the jump ended, from the first keyframe on",
        arguments: [-90, -2, 4000]
    )
    func jump(seconds: Int64) {
        var watch = Self.watch()
        #expect(watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil) == .at(10000))
        #expect(watch.noteLead(Self.packet(100 + seconds, at: 20), end: 10004) == .nowhere)
        #expect(watch.noteLead(Self.packet(101 + seconds, at: 30, isKey: true), end: 10004) == .begins(10004))
        watch.open(firstSegment: 1)
        #expect(watch.jumps.map(\.position) == [20] && watch.jumps.map(\.firstSegment) == [1])
        #expect(watch.noteLead(Self.packet(102 + seconds, at: 40), end: 10008) == .at(10104))
        #expect(watch.note(Self.packet(102 + seconds, at: 41), of: 1, front: 10104) == .at(10104))
        #expect(watch.settled(at: 10900).isEmpty && watch.settled(at: 11004).count == 1)
    }

    @Test("after missing bytes, another clock begins with the next keyframe", arguments: [0, 1, 5, -90])
    func gap(seconds: Int64) {
        var watch = Self.watch()
        #expect(watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil) == .at(10000))
        #expect(watch.note(Self.packet(100, at: 12), of: 1, front: 10004) == .at(10000))
        watch.setVideoDiscontinuities([5, 15])
        #expect(watch.noteLead(Self.packet(100, at: 14, isKey: true), end: 10004) == .at(10000))
        #expect(watch.note(Self.packet(101 + seconds, at: 15), of: 1, front: 10004) == .nowhere)
        #expect(watch.noteLead(Self.packet(101 + seconds, at: 16), end: 10004) == .nowhere)
        #expect(watch.note(Self.packet(102 + seconds, at: 17), of: 1, front: 10004) == .nowhere)
        #expect(watch.noteLead(Self.packet(102 + seconds, at: 20, isKey: true), end: 10004) == .begins(10004))
        #expect(watch.note(Self.packet(102 + seconds, at: 21), of: 1, front: 10004) == .at(10004))
        #expect(watch.jumps.map(\.position) == [15] && watch.jumps.map(\.start) == [10004])
    }

    @Test("a step that is not a jump stays on the same clock", arguments: [0, 1, 3000])
    func noJump(seconds: Int64) {
        var watch = Self.watch()
        #expect(watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil) == .at(10000))
        #expect(watch.noteLead(Self.packet(100 + seconds, at: 20), end: 10004) == .at(10000 + seconds * 100))
        #expect(watch.jumps.isEmpty)
    }

    @Test(
        "slides without audio stay on the same clock in a live stream, up to ten seconds apart",
        arguments: [900, 1020]
    )
    func slides(step: Int64) {
        var watch = Self.watch(.live)
        var next = DiscontinuityFinder.Observation(time: 0, decodeTime: 0, position: 0, isKey: true)
        _ = watch.noteLead(next, end: nil)
        (next.time, next.decodeTime, next.position) = (step, step, 1)
        #expect(watch.noteLead(next, end: 4) == (step > 1000 ? .begins(4) : .at(step)))
    }

    @Test("audio that precedes the pictures on the new clock marks where that clock begins", arguments: [true, false])
    func place(audioIsFirst: Bool) {
        var watch = Self.watch()
        _ = watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil)
        #expect(watch.note(Self.packet(100, at: 12), of: 1, front: 10004) == .at(10000))
        if audioIsFirst { #expect(watch.note(Self.packet(5, at: 15), of: 1, front: 10004) == .nowhere) }
        #expect(watch.noteLead(Self.packet(5, at: 20, isKey: true), end: 10004) == .begins(10004))
        if !audioIsFirst { #expect(watch.note(Self.packet(5, at: 15), of: 1, front: 10004) == .at(10004)) }
        #expect(watch.jumps.map(\.position) == [15])
    }

    @Test("audio that follows the pictures to an earlier clock is left out until it has reached that clock")
    func lateAudio() {
        var watch = Self.watch(.live)
        _ = watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil)
        #expect(watch.note(Self.packet(100, at: 12), of: 1, front: 10004) == .at(10000))
        #expect(watch.note(Self.packet(100, at: 13), of: 2, front: 10004) == .at(10000))
        #expect(watch.noteLead(Self.packet(4, at: 20), end: 10004) == .nowhere)
        #expect(watch.note(Self.packet(101, at: 21), of: 1, front: 10004) == .nowhere)
        #expect(watch.note(Self.packet(4, at: 21), of: 2, front: 10004) == .nowhere)
        #expect(watch.noteLead(Self.packet(5, at: 22, isKey: true), end: 10004) == .begins(10004))
        #expect(watch.jumps.map(\.lastChange) == [22])
        #expect(watch.note(Self.packet(102, at: 23), of: 1, front: 10004) == .nowhere)
        #expect(watch.note(Self.packet(5, at: 24), of: 2, front: 10004) == .at(10004))
        #expect(watch.note(Self.packet(5, at: 26), of: 1, front: 10004) == .at(10004))
        #expect(watch.note(Self.packet(6, at: 28), of: 1, front: 10104) == .at(10104))
        #expect(watch.jumps.map(\.position) == [20] && watch.jumps.map(\.lastChange) == [24])
    }

    @Test("audio that does not follow the pictures to an earlier clock is left out for three seconds")
    func audioStays() {
        var watch = Self.watch(.live)
        _ = watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil)
        _ = watch.note(Self.packet(100, at: 12), of: 1, front: 10004)
        #expect(watch.noteLead(Self.packet(5, at: 20, isKey: true), end: 10004) == .begins(10004))
        #expect(watch.note(Self.packet(102, at: 22), of: 1, front: 10303) == .nowhere)
        #expect(watch.note(Self.packet(103, at: 24), of: 1, front: 10304) == .at(19_804))
        #expect(watch.jumps.map(\.lastChange) == [23])
    }

    @Test("a jump in the audio alone moves nothing")
    func audioAlone() {
        var watch = Self.watch()
        _ = watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil)
        _ = watch.note(Self.packet(100, at: 12), of: 1, front: 10004)
        #expect(watch.note(Self.packet(5, at: 15), of: 1, front: 10004) == .nowhere)
        #expect(watch.noteLead(Self.packet(101, at: 20), end: 10004) == .at(10100))
        #expect(watch.note(Self.packet(6, at: 15 + 9 << 20), of: 1, front: 10104) == .at(600))
        #expect(watch.jumps.isEmpty)
    }

    @Test("jumps that are not followed are only counted")
    func unfollowed() {
        var watch = Self.watch(isWatching: false)
        _ = watch.noteLead(Self.packet(100, at: 10, isKey: true), end: nil)
        #expect(watch.noteLead(Self.packet(5, at: 20, isKey: true), end: 10004) == .at(500))
        #expect(watch.unfollowed == 1)
    }
}
