// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

private typealias Moment = PresentationMoment
private typealias VideoSink = PresentationMoment.VideoSink
private typealias Audio = PresentationMoment.Audio

@Suite("Decisions about playback at one moment")
struct PresentationMomentTests {
    private static let second: Int64 = 1_000_000_000

    /// A source whose frames and audio are decoded up to `frames` and `audio`, in seconds (`nil`: not required). The
    /// playhead moves from 0 at rate 1 if `isMoving`.
    private struct Playing {
        var machine = PresentationStateMachine()
        var passes = DecodingPasses()

        init(frames: Double? = nil, audio: Double? = nil, isComplete: Bool = false, isMoving: Bool = true) {
            machine.load(at: .zero, now: 0)
            let required = RequiredMedia(video: frames != nil, audio: audio != nil)
            passes.begin(at: .zero, lap: machine.lap, required, now: 0)
            if let pass = passes.takePending() { passes.began(pass) }
            if let frames { passes.note(frameTo: .seconds(frames), lap: machine.lap, at: 0) }
            if let audio { passes.note(audioTo: .seconds(audio), lap: machine.lap) }
            if isComplete {
                passes.endFrames(of: machine.lap)
                passes.endAudio(of: machine.lap)
            }
            guard isMoving else { return }
            machine.play(at: 0)
            machine.advance(.init(), heard: nil, at: 0)
            _ = machine.takeEffects()
        }

        func at(_ seconds: Double, _ sinks: [VideoSink] = [], audio: Audio? = nil, hasRoom: Bool = true) -> Moment {
            let video = Moment.Video(sinks: sinks, isCurrentLapReady: !sinks.isEmpty, hasRoom: hasRoom)
            let now = Int64(seconds * Double(second))
            return Moment(machine: machine, passes: passes, video: video, audio: audio, now: now)
        }
    }

    private func sink(isRealTime: Bool = true, taken: Double? = nil, isFrameWaiting: Bool = false) -> VideoSink {
        VideoSink(isRealTime: isRealTime, taken: taken.map { .seconds($0) }, isFrameWaiting: isFrameWaiting)
    }

    private func audio(
        isRealTime: Bool = true,
        ahead: Double = 1,
        end: Double = 0,
        taken: Double? = nil
    ) -> Audio {
        Audio(isRealTime: isRealTime, ahead: .seconds(ahead), end: .seconds(end), taken: taken.map { .seconds($0) })
    }

    // MARK: Pace

    @Test("only sinks that are not real-time set the pace: the slowest one, and never behind the playhead")
    func pace() {
        let playing = Playing(frames: 9, audio: 9)
        #expect(playing.at(1).pace == nil)
        #expect(playing.at(1, [sink()], audio: audio()).pace == nil)
        #expect(playing.at(1, [sink(isRealTime: false, taken: 4)]).pace == .seconds(4))
        #expect(
            playing.at(1, [sink(isRealTime: false, taken: 4), sink(isRealTime: false, taken: 3)]).pace == .seconds(3)
        )
        #expect(playing.at(1, [sink(isRealTime: false)]).pace == .seconds(1))
        #expect(playing.at(1, audio: audio(isRealTime: false, taken: 2)).pace == .seconds(2))
        // Next to a video sink that is not real-time, an audio device counts too.
        #expect(playing.at(1, [sink(isRealTime: false, taken: 4)], audio: audio(taken: 2)).pace == .seconds(2))
    }

    @Test("a sink that has everything does not hold back the pace")
    func paceAtTheEnd() {
        let playing = Playing(frames: 9, audio: 8, isComplete: true)
        let waiting = sink(isRealTime: false, taken: 4, isFrameWaiting: true)
        #expect(playing.at(1, [waiting]).pace == .seconds(4))
        #expect(playing.at(1, [sink(isRealTime: false, taken: 4)]).pace == .seconds(9))
        let full = audio(isRealTime: false, end: 9, taken: 5)
        #expect(playing.at(1, [waiting], audio: full).pace == .seconds(4))
        // Frames continue past the audio, which must be padded with silence first.
        let short = audio(isRealTime: false, end: 8, taken: 3)
        #expect(playing.at(1, [waiting], audio: short).pace == .seconds(3))
    }

    @Test("an audio sink without audio does not hold back the frames: it cannot be given silence either")
    func paceWithoutAudio() {
        let playing = Playing(frames: 9, isComplete: true)
        let waiting = sink(isRealTime: false, taken: 4, isFrameWaiting: true)
        for isRealTime in [true, false] {
            var nothing = audio(isRealTime: isRealTime, ahead: 0)
            nothing.hasFormat = false
            #expect(playing.at(1, [waiting], audio: nothing).pace == .seconds(4))
        }
    }

    // MARK: Stock

    @Test("media that the source does not have do not stop the clock")
    func stock() {
        let complete = Playing(isComplete: true)
        #expect(complete.at(0, [sink()]).stock.video == nil)
        var nothing = audio()
        nothing.hasFormat = false
        #expect(complete.at(0, audio: nothing).stock.audio == nil)
        #expect(Playing().at(0, [sink()]).stock.video != nil)
        #expect(Playing().at(0, audio: nothing).stock.audio != nil)
        #expect(Playing(frames: 2, isComplete: true).at(0, [sink()]).end == .seconds(2))
        #expect(Playing(frames: 2).at(0, [sink()]).end == nil)
    }

    @Test("the buffered range ends where the first of the two media ends")
    func buffered() {
        let playing = Playing(frames: 5, audio: 3)
        let range = MediaTimeRange(start: .seconds(1), end: .seconds(3))
        #expect(playing.at(1, [sink()], audio: audio()).report.buffered == [range])
        #expect(playing.at(4, [sink()], audio: audio()).report.buffered == [])
        #expect(playing.at(1).report.buffered == [])
    }

    // MARK: Decoding

    @Test("frames or audio are decoded while a sink wants them, there is room, and the pass has more")
    func pulling() {
        let playing = Playing(frames: 1, audio: 1)
        let sinks = [sink()]
        #expect(playing.at(0, sinks).passToPullFrames == playing.passes.current)
        #expect(playing.at(0, sinks, hasRoom: false).passToPullFrames == nil)
        #expect(playing.at(0).passToPullFrames == nil)
        #expect(playing.at(0, audio: audio(ahead: 3.9)).passToPullAudio == playing.passes.current)
        #expect(playing.at(0, audio: audio(ahead: 4)).passToPullAudio == nil)
        #expect(playing.at(0).passToPullAudio == nil)
        let complete = Playing(frames: 1, audio: 1, isComplete: true)
        #expect(complete.at(0, sinks).passToPullFrames == nil)
        #expect(complete.at(0, audio: audio()).passToPullAudio == nil)
        // A pass that was begun without audio has none to decode.
        #expect(Playing(frames: 1).at(0, audio: audio()).passToPullAudio == nil)
    }

    @Test("in a loop, decoding of the next lap begins once the current lap is decoded")
    func nextLap() {
        var playing = Playing(frames: 4, isComplete: true)
        #expect(playing.at(1, [sink()]).endBeforeNextLap == nil)
        playing.machine.setLooping(true)
        #expect(playing.at(1, [sink()]).endBeforeNextLap == .seconds(4))
        #expect(playing.at(1).endBeforeNextLap == nil)
        playing.passes.begin(at: .zero, lap: playing.machine.lap + 1, .init(video: true, audio: false), now: 0)
        #expect(playing.at(1, [sink()]).endBeforeNextLap == nil)
    }

    @Test(
        "a frame is late when its successor is due, and kept if it is more than 0.2 s after the frame on screen",
        arguments: [
            (0.98, 1.02, nil, PresentationMoment.Timing.inTime),
            (0.90, 1.00, 0.8, .late(isKept: false, playhead: .seconds(1))),
            (0.90, 0.94, 0.86, .late(isKept: false, playhead: .seconds(1))),
            (0.90, 0.94, 0.69, .late(isKept: true, playhead: .seconds(1))),
            (0.90, 0.94, nil, .late(isKept: true, playhead: .seconds(1))),
        ] as [(Double, Double, Double?, PresentationMoment.Timing)]
    )
    func timing(start: Double, end: Double, shown: Double?, expected: PresentationMoment.Timing) {
        let playing = Playing(frames: 1)
        let (start, end, shown) = (
            MediaTime.seconds(start), MediaTime.seconds(end), shown.map { MediaTime.seconds($0) }
        )
        let lap = playing.machine.lap
        let moment = playing.at(1, [sink()])
        #expect(moment.timing(of: start, to: end, lap: lap, shown: shown) == expected)
        // Lateness is unmeasured in another lap, at a sink's own pace, and while the playhead stands still.
        let paced = playing.at(1, [sink(isRealTime: false)])
        let standing = Playing(frames: 1, isMoving: false).at(1, [sink()])
        #expect(moment.timing(of: start, to: end, lap: lap + 1, shown: shown) == .unmeasured)
        #expect(paced.timing(of: start, to: end, lap: lap, shown: shown) == .unmeasured)
        #expect(standing.timing(of: start, to: end, lap: lap, shown: shown) == .unmeasured)
    }

    // MARK: Giving

    @Test(
        "a sink that is not real-time gets one frame before playback moves, then runs at most 0.5 s ahead of the audio"
    )
    func givingFrames() {
        let paced = sink(isRealTime: false, taken: 0)
        let standing = Playing(frames: 9, audio: 9, isMoving: false).at(0, [paced], audio: audio())
        #expect(standing.mayGive(frameAt: .seconds(8), to: sink()))
        #expect(standing.mayGive(frameAt: .zero, to: sink(isRealTime: false)))
        #expect(!standing.mayGive(frameAt: .zero, to: paced))
        let moving = Playing(frames: 9, audio: 9).at(0, [paced], audio: audio(taken: 2))
        #expect(moving.mayGive(frameAt: .seconds(2.5), to: paced))
        #expect(!moving.mayGive(frameAt: .seconds(2.6), to: paced))
        #expect(Playing(frames: 9).at(0, [paced]).mayGive(frameAt: .seconds(8), to: paced))
    }

    @Test("next to a video sink that is not real-time, audio runs at most 0.5 s ahead of the frames")
    func givingAudio() {
        let paced = sink(isRealTime: false, taken: 1)
        let playing = Playing(frames: 9, audio: 9)
        #expect(!playing.at(1, [paced]).mayGiveAudio)
        #expect(playing.at(1, [sink()], audio: audio(taken: 8)).mayGiveAudio)
        #expect(playing.at(1, [paced], audio: audio(taken: 1.5)).mayGiveAudio)
        #expect(!playing.at(1, [paced], audio: audio(taken: 1.6)).mayGiveAudio)
        #expect(playing.at(1, audio: audio(isRealTime: false, taken: 8)).mayGiveAudio)
        let standing = Playing(frames: 9, audio: 9, isMoving: false)
        #expect(standing.at(0, [paced], audio: audio()).mayGiveAudio)
        #expect(!standing.at(0, [paced], audio: audio(taken: 0)).mayGiveAudio)
    }

    @Test("silence follows audio that ends before the frames, 50 ms at a time, and never past the end")
    func silence() {
        let short = audio(end: 1)
        #expect(Playing(frames: 4, audio: 1).at(1, [sink()], audio: short).silenceEnd == nil)
        let complete = Playing(frames: 4, audio: 1, isComplete: true)
        #expect(complete.at(1, [sink()], audio: short).silenceEnd == .seconds(1.05))
        #expect(complete.at(1, [sink()], audio: audio(end: 3.98)).silenceEnd == .seconds(4))
        var waiting = short
        waiting.isPortionWaiting = true
        #expect(complete.at(1, [sink()], audio: waiting).silenceEnd == nil)
        // While frames are still being decoded, silence continues past them only if the video sink is real-time.
        var decoding = Playing(frames: 1, audio: 1)
        decoding.passes.endAudio(of: decoding.machine.lap)
        #expect(decoding.at(1, [sink()], audio: short).silenceEnd == .seconds(1.05))
        #expect(decoding.at(1, [sink(isRealTime: false)], audio: short).silenceEnd == .seconds(1))
    }

    @Test("the audio sink is told once that it has all audio, when both media are decoded; in a loop, never")
    func completeAudio() {
        var playing = Playing(frames: 4, audio: 4, isComplete: true)
        #expect(playing.at(4, [sink()], audio: audio()).isAudioComplete)
        var finished = audio()
        finished.isFinished = true
        #expect(!playing.at(4, [sink()], audio: finished).isAudioComplete)
        #expect(!Playing(frames: 4, audio: 4).at(4, [sink()], audio: audio()).isAudioComplete)
        playing.machine.setLooping(true)
        #expect(!playing.at(4, [sink()], audio: audio()).isAudioComplete)
        #expect(!playing.at(4, [sink()]).isVideoComplete)
    }

    // MARK: Time

    @Test("the alarm is set for the earliest of a report, a frame, the end, and a check of the audio")
    func alarm() {
        var playing = Playing(frames: 9, audio: 9)
        let (start, millisecond) = (Self.second, Int64(1_000_000))
        func next(_ moment: Moment, report: Double? = nil, frame: Double? = nil, change: Double? = nil) -> Int64? {
            let wanted = moment.nextChange(
                report: report.map { start + Int64($0 * Double(Self.second)) },
                frame: frame.map { .seconds($0) },
                secondsToAudioChange: change
            )
            return wanted.map { ($0 - start) / millisecond }
        }
        #expect(next(playing.at(1, [sink()])) == 1000)
        #expect(next(playing.at(1, [sink()]), report: 0.3) == 300)
        #expect(next(playing.at(1, [sink()]), report: 0.3, frame: 1.04) == 40)
        #expect(next(playing.at(1, [sink()]), frame: 1.0001) == 0)
        #expect(next(Playing(frames: 1.5, isComplete: true).at(1, [sink()])) == 500)
        #expect(next(playing.at(1, audio: audio())) == 40)
        #expect(next(playing.at(1, audio: audio()), change: 0.01) == 10)
        #expect(next(Playing(frames: 9, isMoving: false).at(1, [sink()]), frame: 1.04) == nil)
        // At the end, before the last sample is heard.
        playing = Playing(audio: 4, isMoving: false)
        var stock = PresentationStateMachine.Stock()
        stock.audio = .init(ahead: .seconds(4), end: .seconds(4), isComplete: true)
        playing.machine.play(at: 0)
        playing.machine.advance(stock, heard: nil, at: 0)
        let last = AudioMap.Place(time: .seconds(3.9999), rate: 1, lap: playing.machine.lap)
        playing.machine.advance(stock, heard: last, at: start)
        #expect(next(playing.at(1, audio: audio())) == 5)
        playing.machine.advance(stock, heard: nil, at: start)
        #expect(next(playing.at(1, audio: audio())) == nil)
    }
}
