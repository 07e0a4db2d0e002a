// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Reading
@testable import Sessions

@Suite("The player of a session and its renderer", .timeLimit(.minutes(10)))
struct SessionPlayerTests {
    /// A renderer that records its commands.
    private final class Receiver: CommandReceiver {
        private let commands = Locked<[RendererCommand]>([])

        func receive(_ command: RendererCommand) { commands.withLock { $0.append(command) } }
        func end(_ error: EngineError?) {}

        /// The actions since the last call, as text.
        func taken() -> [String] {
            commands.withLock { commands in
                defer { commands = [] }
                return commands.map { command in
                    switch command.action {
                    case .load: "load"
                    case .play: "play"
                    case .pause: "pause"
                    case .seek(let id, let position): "seek \(id) to \(position.seconds)"
                    case .rate(let rate): "rate \(rate)"
                    case .volume(let volume): "volume \(volume)"
                    case .muted(let isMuted): "muted \(isMuted)"
                    case .stop: "stop"
                    }
                }
            }
        }
    }

    private let second: Int64 = 1_000_000_000
    private let media = SessionMedia(SourceOpener(), plans: PlanStore(directory: nil), budget: 0, audio: .automatic)
    private let receiver = Receiver()

    private func attached(number: UInt64 = 1) -> SessionPlayer {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(at: 0)
        machine.setDuration(.seconds(60))
        var player = SessionPlayer(machine)
        player.attach(RendererLink(number: number, name: "front-end", receiver: receiver, at: 0), at: 0)
        return player
    }

    @Test("a renderer gets no command before `load`, and the whole state after it")
    func load() {
        var player = attached()
        _ = player.perform(.setVolume(0.5), in: media, at: 0)
        _ = player.perform(.play, in: media, at: 0)
        #expect(receiver.taken().isEmpty)
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        #expect(receiver.taken() == ["load", "rate 1.0", "volume 0.5", "muted false", "play"])
        var next = player.handOver()
        #expect(player.renderer == nil)
        _ = next.perform(.pause, in: media, at: 0)
        #expect(receiver.taken().isEmpty, "the next source is yet to be opened")
    }

    @Test(
        "a renderer receives what a command changes; a seek is sent before the play that follows it",
        arguments: [
            (PlayerCommand.play, ["play"]), (.pause, []), (.setRate(2), ["rate 2.0"]), (.setRate(1), []),
            (.setVolume(0.25), ["volume 0.25"]), (.setVolume(1), []), (.setMuted(true), ["muted true"]),
            (.setMuted(false), []), (.setLooping(true), []),
            (.seek(SeekCommand(.position(.seconds(3)))), ["seek 1 to 3.0"]),
            (.seek(SeekCommand(.position(.seconds(3)), thenPlay: true)), ["seek 1 to 3.0", "play"]),
        ]
    )
    func commands(command: PlayerCommand, expected: [String]) {
        var player = attached()
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        _ = receiver.taken()
        _ = player.perform(command, in: media, at: second)
        #expect(receiver.taken() == expected)
    }

    @Test("observers get each effect once, including effects that were sent to the renderer")
    func effects() {
        var player = attached()
        let outcome = player.perform(.seek(SeekCommand(.position(.seconds(3)))), in: media, at: 0)
        #expect(player.takeEffects(at: 0) == [.seek(SeekEvent(id: 1, stage: .began, target: .seconds(3)))])
        #expect(outcome == CommandOutcome(seek: 1))
        #expect(player.takeEffects(at: 0).isEmpty)
    }

    @Test("a renderer that ends a looping source is sent back to the start")
    func loop() {
        var player = attached()
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        _ = player.perform(.setLooping(true), in: media, at: 0)
        _ = player.perform(.play, in: media, at: 0)
        _ = receiver.taken()
        var report = RendererReport(position: .seconds(60), rate: 0)
        report.hasEnded = true
        let counts = player.take(report, isOpen: true, at: second)
        #expect(counts)
        #expect(receiver.taken() == ["seek 1 to 0.0", "play"])
    }

    @Test("a renderer that ends inside a part that is repeated is sent back to the start of the part")
    func loopPoints() {
        var player = attached()
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        _ = player.perform(.setLoopPoints(LoopPoints(start: .seconds(50), end: .seconds(90))), in: media, at: 0)
        _ = player.perform(.play, in: media, at: 0)
        player.machine.rendererReported(RendererReport(position: .seconds(59), rate: 1), at: 0)
        _ = receiver.taken()
        var report = RendererReport(position: .seconds(59.9), rate: 0)
        report.hasEnded = true
        let counts = player.take(report, isOpen: true, at: second)
        #expect(counts)
        #expect(receiver.taken() == ["seek 1 to 50.0", "play"])
    }

    @Test("delays are clamped, and another source begins without them")
    func delays() {
        var player = attached()
        #expect(player.perform(.setAudioDelay(.seconds(99)), in: media, at: 0).isClamped)
        #expect(!player.perform(.setSubtitleDelay(.seconds(-0.1234)), in: media, at: 0).isClamped)
        #expect(player.controls.delays.audio == .seconds(10))
        #expect(player.controls.delays.subtitles == .seconds(-0.123))
        var record = SessionRecord(id: SessionID(rawValue: "a"), token: "", request: LoadRequest(source: "/film"))
        player.reopen(SessionSetup(record, .new, PlayerSettings(), EventHub(), nil), at: 0)
        #expect(player.controls.delays == Delays())
        record.delays = Delays(audio: .seconds(2), subtitles: .zero)
        player.reopen(SessionSetup(record, .restored(record), PlayerSettings(), EventHub(), nil), at: 0)
        #expect(player.controls.delays.audio == .seconds(2), "the same source begins with those of its record")
    }

    @Test("A renderer gets the whole state again when its session is revived")
    func revival() {
        var player = attached()
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        _ = player.perform(.play, in: media, at: 0)
        player.machine.failed(EngineError(.sourceUnreachable, "scripted"), at: 0)
        _ = receiver.taken()
        player.revive(in: media, at: 0)
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        #expect(player.machine.phase == .play)
        #expect(receiver.taken() == ["load", "rate 1.0", "volume 1.0", "muted false", "play"])
        player.revive(in: media, at: 0)
        #expect(player.machine.phase == .play && receiver.taken().isEmpty, "nothing has failed since")
    }

    @Test("only a renderer outside the engine that owes a report can be lost because it is silent")
    func silence() {
        var player = attached()
        player.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        #expect(player.silenceMoment == nil, "nothing plays")
        _ = player.perform(.play, in: media, at: second)
        #expect(player.silenceMoment == second + RendererLink.patience)
        _ = player.perform(.setRate(0), in: media, at: second)
        #expect(player.silenceMoment == nil, "the playhead does not move")
        var own = attached(number: RendererLink.lastOutsideNumber + 1)
        own.startRenderer(url: "http://127.0.0.1/a/master.m3u8", at: 0)
        _ = own.perform(.play, in: media, at: second)
        #expect(own.silenceMoment == nil)
    }
}
