// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Decoding

@Suite("Playback without a source and without waiting")
struct PresentationTests {
    private static let second: Int64 = 1_000_000_000

    /// Playback of a source at 25 Hz that was commanded to play, with one video sink.
    private struct Stage {
        var presentation = Presentation()
        let screen: SoftwareRenderer.SinkID
        let pass: DecodingPasses.Pass

        init() throws {
            screen = presentation.attach(TestScreen(), at: 0) { _ in Task {} }
            presentation.obey(.load(url: "film", position: .zero), at: 0)
            presentation.obey(.play, at: 0)
            let begun = presentation.takePass()
            pass = try #require(begun)
            presentation.began(pass)
        }

        @discardableResult
        mutating func decode(_ number: Int, at now: Int64 = 0) -> PresentationMoment.Timing? {
            let frame = TimedFrame(
                frame: .blank(width: 16, height: 16, pts: 0),
                time: .seconds(Double(number) / 25),
                duration: .seconds(0.04)
            )
            return decode(.next(frame), at: now)
        }

        @discardableResult
        mutating func decode(_ supply: Supply<TimedFrame>, at now: Int64 = 0) -> PresentationMoment.Timing? {
            presentation.take(supply, of: presentation.passes.current ?? pass, at: now)
        }

        /// The times of the frames that the sink may be given.
        mutating func given(at now: Int64 = 0) -> [MediaTime] {
            var times: [MediaTime] = []
            while let entry = presentation.nextFrame(for: screen, at: now) { times.append(entry.frame.time) }
            return times
        }
    }

    @Test("a sink is given each frame once, even if decoding begins again for another sink")
    func again() throws {
        var stage = try Stage()
        for number in 0..<3 { stage.decode(number) }
        var given = stage.given()
        #expect(given == [.zero, .seconds(0.04), .seconds(0.08)])
        _ = stage.presentation.attach(CountingSink(), at: 0)
        let begun = stage.presentation.takePass()
        let pass = try #require(begun)
        #expect(pass.required == RequiredMedia(video: true, audio: true))
        #expect(pass.position == .zero)
        stage.presentation.began(pass)
        for number in 0..<4 { stage.decode(number) }
        given = stage.given()
        #expect(given == [.seconds(0.12)])
    }

    @Test("after a seek, only frames of the new pass are given")
    func seek() throws {
        var stage = try Stage()
        stage.decode(0)
        stage.presentation.obey(.seek(id: 1, position: .seconds(2)), at: 0)
        #expect(stage.presentation.passes.current?.position == .seconds(2))
        var given = stage.given()
        #expect(given == [])
        stage.decode(50)
        given = stage.given()
        #expect(given == [.seconds(2)])
        let moment = stage.presentation.settle(at: 0)
        #expect(moment.report.seekID == 1)
    }

    @Test("without a video sink, no frames are wanted or kept")
    func detached() throws {
        var stage = try Stage()
        stage.decode(0)
        stage.presentation.detach(stage.screen, at: 0)
        #expect(stage.presentation.required.isEmpty)
        #expect(stage.presentation.video.queue.entries.isEmpty)
    }

    @Test("while playback moves, a sink is given every frame once, in order and no later than it is due")
    func inTime() throws {
        var stage = try Stage()
        var number = 0
        var all: [MediaTime] = []
        for now in stride(from: 0, to: Self.second, by: 10_000_000) {
            while stage.presentation.moment(at: now).passToPullFrames != nil {
                if number < 25 { stage.decode(number, at: now) } else { stage.decode(.ended, at: now) }
                number += 1
            }
            let given = stage.given(at: now)
            #expect(given.allSatisfy { $0.microseconds >= now / 1000 })
            all += given
            _ = stage.presentation.settle(at: now)
        }
        #expect(all == (0..<25).map { .seconds(Double($0) / 25) })
        #expect(stage.presentation.moment(at: Self.second).report.droppedFrames == 0)
    }

    @Test("late frames are dropped and reported")
    func late() throws {
        var stage = try Stage()
        for number in 0..<5 { stage.decode(number) }
        _ = stage.presentation.settle(at: 0)
        let timings = [(5, 0.1), (6, 0.3), (9, 0.3)].map { stage.decode($0.0, at: Int64($0.1 * Double(Self.second))) }
        #expect(timings == [.inTime, .late(isKept: false, playhead: .seconds(0.3)), .inTime])
        #expect(stage.presentation.moment(at: 0).report.droppedFrames == 1)
    }

    @Test("the next lap of a loop is decoded before the end, and forgotten when the loop ends")
    func loop() throws {
        var stage = try Stage()
        stage.presentation.setLooping(true, at: 0)
        stage.decode(0)
        stage.decode(.ended)
        let lap = stage.pass.lap
        _ = stage.presentation.settle(at: 0)
        #expect(stage.presentation.passes.current?.lap == lap + 1)
        #expect(stage.presentation.passes.current?.position == .zero)
        stage.presentation.setLooping(false, at: 0)
        #expect(stage.presentation.passes.current?.lap == lap)
        #expect(stage.presentation.passes.pending == nil)
    }

    @Test("a fallback sink plays only while no other audio sink is attached; each change begins a new generation")
    func fallback() {
        var presentation = Presentation()
        let first = presentation.attach(CountingSink(), at: 0)
        let fallback = presentation.attach(fallback: CountingSink(), at: 0)
        #expect(presentation.audio.active?.id == first)
        let generation = presentation.audio.generation
        presentation.detach(first, at: 0)
        #expect(presentation.audio.active?.id == fallback)
        #expect(presentation.audio.generation > generation)
        presentation.detach(fallback, at: 0)
        #expect(presentation.required.isEmpty)
    }
}
