// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import enginectl

@Suite("What keys do")
struct KeyTests {
    @Test(
        "Terminal input is parsed into keys",
        arguments: [
            ([" q"], [" ", "q"]), (["\u{1B}[C\u{1B}[1;2D"], [.right, .shiftLeft]),
            (["\u{1B}", "[A"], [.escape, "[", "A"]),
            (["\u{1B}[", "5", "~"], [.pageUp]), (["\u{1B}OB"], [.down]), (["\u{1B}[99;99X", "m"], ["m"]),
            (["\u{7F}"], [.backspace]), (["ä", "\u{1}", "9"], ["9"]),
            (["\u{1B}[1111111111111111111", "m"], ["1", "1", "m"]),
        ] as [([String], [Key])]
    )
    func parsing(pieces: [String], keys: [Key]) {
        var parser = KeyParser()
        #expect(pieces.flatMap { parser.keys(in: Array($0.utf8)) } == keys)
    }

    @Test("Each key has one binding, and each binding is in the help")
    func bindings() {
        let keys = KeyBinding.all.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(KeyBinding.action(of: "y") == nil)
        for case .character(let character) in keys {
            #expect(character == " " || KeyBinding.help.contains { $0.contains(character) })
        }
    }

    /// Two subtitle tracks, none shown; audio tracks 1 and 2, the first selected; rate 1; paused.
    private var state: SessionState {
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: "1"), source: "", url: "", position: anchor)
        state.phase = .paused
        state.media = MediaDescription()
        state.media?.streams = [1, 2, 3].map { index in
            var stream = StreamDescription()
            (stream.kind, stream.index, stream.route) = (.audio, index, index == 3 ? .none("") : .remux(""))
            return stream
        }
        state.selectedAudio = 1
        state.subtitleTracks = [3, 4].map {
            SubtitleTrack(id: $0, codec: .h264, isText: true, origin: .embedded(stream: $0))
        }
        return state
    }

    private func outcome(_ key: Key, in state: SessionState) -> KeyBinding.Action.Outcome? {
        KeyBinding.action(of: key)?.outcome(in: state, at: 0)
    }

    @Test(
        "A key is turned into a command that depends on the state",
        arguments: [
            (" ", .player(.play)), ("m", .player(.setMuted(true))), ("L", .player(.setLooping(true))),
            ("9", .player(.setVolume(0.98))),
            ("0", .player(.setVolume(1))),
            ("]", .player(.setRate(1.1))), ("[", .player(.setRate(0.909))), ("{", .player(.setRate(0.5))),
            (.backspace, .player(.setRate(1))),
            (.right, .player(.seek(SeekCommand(.relative(.seconds(5)))))),
            (.down, .player(.seek(SeekCommand(.relative(.seconds(-60)))))),
            ("#", .tracks(.selectAudio(.stream(2)))), ("j", .tracks(.selectSubtitles(.tracks([3])))),
            ("J", .tracks(.selectSubtitles(.tracks([4])))),
            (".", .stepFrame(1)), (",", .stepFrame(-1)),
            ("z", .player(.setSubtitleDelay(.seconds(-0.1)))), ("x", .player(.setSubtitleDelay(.seconds(0.1)))),
            (.controlMinus, .player(.setAudioDelay(.seconds(-0.1)))), (")", .player(.setAudioDelay(.seconds(0.1)))),
        ] as [(Key, Command)]
    )
    func commands(key: Key, command: Command) { #expect(outcome(key, in: state) == .command(command)) }

    @Test("Keys that cycle return to where they began")
    func cycles() {
        var state = state
        state.phase = .buffering
        #expect(outcome(" ", in: state) == .command(.player(.pause)))
        state.selectedSubtitles = [4]
        #expect(outcome("j", in: state) == .command(.tracks(.selectSubtitles(.none))))
        #expect(outcome("J", in: state) == .command(.tracks(.selectSubtitles(.tracks([3])))))
        state.selectedAudio = 2
        #expect(outcome("#", in: state) == .command(.tracks(.selectAudio(.stream(1)))))
        state.position.requestedRate = 1.1
        #expect(outcome("[", in: state) == .command(.player(.setRate(1))))
    }

    @Test("The loop key sets the start, then the end, in order, and then clears both")
    func loopKey() throws {
        var state = state
        state.position.position = .seconds(8)
        let first = try #require(LoopPoints(start: .seconds(8), end: nil))
        #expect(outcome("l", in: state) == .command(.player(.setLoopPoints(first))))
        state.loopPoints = first
        state.position.position = .seconds(5)
        let both = try #require(LoopPoints(start: .seconds(5), end: .seconds(8)))
        #expect(outcome("l", in: state) == .command(.player(.setLoopPoints(both))))
        state.loopPoints = both
        #expect(outcome("l", in: state) == .command(.player(.setLoopPoints(nil))))
    }

    @Test("A key without effect shows why")
    func notes() {
        var state = state
        state.subtitleTracks = []
        state.media?.streams.removeLast(2)
        #expect(outcome("j", in: state) == .note("the source has no subtitle tracks"))
        #expect(outcome("#", in: state) == .note("there is no other audio track"))
        #expect(outcome("!", in: state) == .note("the source has no chapters"))
        #expect(outcome("q", in: state) == .quit)
        #expect(outcome("?", in: state) == .help)
    }
}
