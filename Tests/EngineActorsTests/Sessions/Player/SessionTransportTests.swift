// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Reading
@testable import Sessions

@Suite("What a transport publishes", .timeLimit(.minutes(10)))
struct SessionTransportTests {
    /// A transport whose source has been opened and lasts a minute, but has no media that could be fetched.
    private actor Bench {
        private let transport: SessionTransport
        private let setup: SessionSetup
        private let published = Published()

        init() {
            let record = SessionRecord(id: SessionID(rawValue: "a"), token: "", request: LoadRequest(source: "/film"))
            let (hub, now) = (EventHub(), monotonicNanoseconds())
            setup = SessionSetup(record, .new, PlayerSettings(), hub, nil)
            let media = SessionMedia(SourceOpener(), plans: PlanStore(directory: nil), budget: 0, audio: .automatic)
            let subtitles = SessionSubtitles(record, setup, media, SourceOpener())
            var machine = PlayerStateMachine(position: .zero)
            machine.opened(at: now)
            machine.setDuration(.seconds(60))
            transport = SessionTransport(setup, media, subtitles, SessionPlayer(machine))
            let still = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
            var state = SessionState(id: record.id, source: "/film", url: "", position: still)
            state.phase = .ready
            hub.open(state, setup.channel)
            hub.add(published)
            _ = published.take()
        }

        var state: SessionState? { setup.hub.state(of: nil) }

        /// Performs a command, and returns the changes that it published.
        func perform(_ command: PlayerCommand) -> [String] {
            _ = published.take()
            _ = transport.perform(command)
            return published.take()
        }

        /// Whether the command signals a move of the playhead.
        func isMove(_ command: PlayerCommand) -> Bool {
            let seen = transport.moves.signalCount
            _ = transport.perform(command)
            return transport.moves.signalCount != seen
        }

        /// - Returns: the highest index of the served segments; `nil` if the call was not signalled.
        func serve(_ segment: Int) -> Int? {
            let seen = transport.moves.signalCount
            transport.noteServed(segment)
            return transport.moves.signalCount == seen ? nil : transport.counters.lastServed
        }

        func attach(_ number: UInt64) {
            let link = RendererLink(number: number, name: "renderer \(number)", receiver: Deaf(), at: 0)
            transport.attach(link, because: EngineError(.unavailable, "another renderer was attached"))
        }

        func detach(_ number: UInt64) -> [String] {
            _ = published.take()
            transport.detach(number, because: "it ended")
            return published.take()
        }

        func fail() { transport.fail(EngineError(.sourceReadFailed, "scripted")) }
    }

    /// A line for each change.
    private final class Published: EngineObserver {
        private let log = Locked<[String]>([])

        func receive(_ change: EngineChange) {
            let line: String? =
                switch change {
                case .changed: "state"
                case .noticed(_, let notice): notice.code
                case .seeked(_, let event): "\(event.stage) \(event.id) at \(event.target.seconds)"
                case .closed, .cued, .defaultSession: nil
                }
            if let line { log.withLock { $0.append(line) } }
        }

        /// The changes since the last call.
        func take() -> [String] {
            log.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private final class Deaf: CommandReceiver {
        func receive(_ command: RendererCommand) {}
        func end(_ error: EngineError?) {}
    }

    @Test(
        "A command that changes the player publishes the state once; one that changes nothing publishes nothing",
        arguments: [
            (PlayerCommand.setVolume(0.5), 1), (.setVolume(1), 0), (.setMuted(true), 1), (.setMuted(false), 0),
            (.setRate(2), 1), (.setRate(1), 0), (.setLooping(true), 1), (.setAudioDelay(.seconds(1)), 1),
            (.setLoopPoints(LoopPoints(start: .seconds(1), end: .seconds(2))), 1), (.play, 1),
        ]
    )
    func commands(command: PlayerCommand, count: Int) async {
        #expect(await Bench().perform(command) == Array(repeating: "state", count: count))
    }

    @Test("The published state has the values of the commands")
    func values() async throws {
        let bench = Bench()
        for command in [PlayerCommand.setVolume(0.5), .setMuted(true), .setRate(2), .setLooping(true)] {
            _ = await bench.perform(command)
        }
        let state = try #require(await bench.state)
        #expect(state.volume == 0.5 && state.isMuted && state.isLooping && state.position.requestedRate == 2)
    }

    @Test("A seek is published before the state that follows from it, and ends the seek before it")
    func seeks() async {
        let bench = Bench()
        #expect(await bench.perform(.seek(SeekCommand(.position(.seconds(20))))) == ["began 1 at 20.0", "state"])
        let next = await bench.perform(.seek(SeekCommand(.position(.seconds(90)))))
        // On a busy machine, the first seek may have stalled by now.
        let ends = next.filter { $0.hasPrefix("superseded") || $0.hasPrefix("began") }
        #expect(ends == ["superseded 1 at 20.0", "began 2 at 60.0"])
        #expect(await bench.state?.position.position == .seconds(60))
    }

    @Test(
        "A command that moves, starts or stops the playhead is signalled",
        arguments: [.play, .pause, .setRate(2), .seek(SeekCommand(.position(.seconds(20))))] as [PlayerCommand]
    )
    func moves(command: PlayerCommand) async { #expect(await Bench().isMove(command)) }

    @Test("A served segment is signalled; the last served segment is the one with the highest index")
    func serving() async {
        let bench = Bench()
        #expect(await [bench.serve(3), bench.serve(2), bench.serve(4)] == [3, 3, 4])
    }

    @Test("Only the renderer that is attached can be lost, and only once")
    func renderers() async {
        let bench = Bench()
        await bench.attach(1)
        #expect(await bench.state?.renderer == "renderer 1")
        await bench.attach(2)
        #expect(await bench.state?.renderer == "renderer 2")
        #expect(await bench.detach(1).isEmpty)
        #expect(await bench.detach(2).contains("renderer.lost"))
        #expect(await bench.state?.renderer == nil)
        #expect(await bench.detach(2).isEmpty)
    }

    @Test("A failure is published as the phase")
    func failing() async {
        let bench = Bench()
        await bench.fail()
        #expect(await bench.state?.phase.name == .error)
    }

    @Test(
        "A moving anchor continues another within the tolerance, at the same rates; one at rest, at the same position",
        arguments: [
            // The later anchor after a second: its rate, its requested rate and its position in milliseconds.
            (1, 1, 11_000, true), (1, 1, 11_020, true), (1, 1, 10_980, true), (1, 1, 11_021, false),
            (1, 1, 10_979, false), (1, 2, 11_000, false), (2, 1, 11_000, false), (0, 1, 11_000, false),
        ] as [(Double, Double, Int64, Bool)]
    )
    func lines(rate: Double, requested: Double, position: Int64, continues: Bool) {
        func anchor(_ rate: Double, _ requested: Double, _ position: Int64, at second: Int64) -> PositionAnchor {
            PositionAnchor(
                position: MediaTime(microseconds: position * 1000),
                rate: rate,
                monotonicNanoseconds: second * 1_000_000_000,
                requestedRate: requested
            )
        }
        let tolerance = MediaTime(microseconds: 20_000)
        let later = anchor(rate, requested, position, at: 2)
        #expect(later.continues(anchor(1, 1, 10_000, at: 1), within: tolerance) == continues)
        let rest = anchor(0, 1, 10_000, at: 1)
        #expect(anchor(0, 1, 10_000, at: 9).continues(rest, within: tolerance))
        #expect(!anchor(0, 1, 10_001, at: 1).continues(rest, within: tolerance))
    }

    @Test(
        "A moving playhead arrives a microsecond after it has covered the distance, or after a day; one at rest, never",
        arguments: [
            // The rate, the place in seconds, and the arrival in microseconds after the time of the anchor, at 10 s.
            (1, 14, 4_000_001), (2, 14, 2_000_001), (0.5, 14, 8_000_001), (1, 10, 1), (1, 4, 1), (0, 14, nil),
            (1e-9, 14, 86_400_000_001),
        ] as [(Double, Double, Int64?)]
    )
    func arrival(rate: Double, place: Double, microseconds: Int64?) {
        let start: Int64 = 7_000_000_000
        let anchor = PositionAnchor(
            position: .seconds(10),
            rate: rate,
            monotonicNanoseconds: start,
            requestedRate: rate
        )
        #expect(anchor.arrival(at: .seconds(place)) == microseconds.map { start + $0 * 1000 })
    }
}
