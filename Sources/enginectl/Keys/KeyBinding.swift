// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The action of each key. The keys follow mpv's defaults.
struct KeyBinding: Sendable {
    enum Action: Equatable, Sendable {
        case pause
        case seek(by: MediaTime)
        /// Multiplies the rate.
        case speed(Double)
        case normalSpeed
        case volume(by: Double)
        case mute, loop
        /// The first press sets the start of the repeated part, the second its end, and the third clears both.
        case loopPoint
        case step(Int)
        case subtitleDelay(by: MediaTime), audioDelay(by: MediaTime)
        case nextSubtitles, previousSubtitles
        case nextAudio
        case chapter(ChapterStep)
        case help, quit
    }

    let keys: [Key]
    let action: Action
    /// A line of the help text; empty if another binding's line describes this one too.
    let help: String

    private init(_ keys: [Key], _ action: Action, _ help: String = "") {
        (self.keys, self.action, self.help) = (keys, action, help)
    }

    static let all: [KeyBinding] = [
        KeyBinding([" ", "p"], .pause, "space, p       pause or play"),
        KeyBinding([.left], .seek(by: .seconds(-5)), "left, right    5 seconds back or forward; with shift 1 second"),
        KeyBinding([.right], .seek(by: .seconds(5))),
        KeyBinding([.shiftLeft], .seek(by: .seconds(-1))),
        KeyBinding([.shiftRight], .seek(by: .seconds(1))),
        KeyBinding([.down], .seek(by: .seconds(-60)), "down, up       1 minute back or forward"),
        KeyBinding([.up], .seek(by: .seconds(60))),
        KeyBinding([.pageDown, "!"], .chapter(.previous), "page down, up  the previous or next chapter; also ! @"),
        KeyBinding([.pageUp, "@"], .chapter(.next)),
        KeyBinding(["["], .speed(1 / 1.1), "[ ]            slower or faster by 10 %"),
        KeyBinding(["]"], .speed(1.1)),
        KeyBinding(["{"], .speed(0.5), "{ }            half or twice the speed"),
        KeyBinding(["}"], .speed(2)),
        KeyBinding([.backspace], .normalSpeed, "backspace      normal speed"),
        KeyBinding(["9", "/"], .volume(by: -0.02), "9 0            volume down or up; also / *"),
        KeyBinding(["0", "*"], .volume(by: 0.02)),
        KeyBinding(["m"], .mute, "m              mute"),
        KeyBinding(["j"], .nextSubtitles, "j J            the next or previous subtitles"),
        KeyBinding(["J"], .previousSubtitles),
        KeyBinding(["#"], .nextAudio, "#              the next audio track"),
        KeyBinding([","], .step(-1), ", .            the previous or next frame"),
        KeyBinding(["."], .step(1)),
        KeyBinding(
            ["z"],
            .subtitleDelay(by: .seconds(-0.1)),
            "z Z            subtitles 0.1 s earlier or later; also x"
        ),
        KeyBinding(["Z", "x"], .subtitleDelay(by: .seconds(0.1))),
        KeyBinding(
            [.controlMinus, "("],
            .audioDelay(by: .seconds(-0.1)),
            "ctrl - +       audio 0.1 s earlier or later; also ( )"
        ),
        KeyBinding([.controlPlus, ")"], .audioDelay(by: .seconds(0.1))),
        KeyBinding(["l"], .loopPoint, "l              repeat: from here, to here, no more"),
        KeyBinding(["L"], .loop, "L              loop"),
        KeyBinding(["?"], .help, "?              this list"),
        KeyBinding(["q"], .quit, "q              quit"),
    ]

    static func action(of key: Key) -> Action? { all.first { $0.keys.contains(key) }?.action }

    static let help = all.map(\.help).filter { !$0.isEmpty }
}

extension Key: ExpressibleByUnicodeScalarLiteral {
    init(unicodeScalarLiteral scalar: UnicodeScalar) { self = .character(Character(scalar)) }
}

extension KeyBinding.Action {
    /// The effect of an action in the given state of a session.
    enum Outcome: Equatable {
        case command(Command)
        /// The reason why the key has no effect.
        case note(String)
        case help, quit
    }

    /// - Parameter now: CLOCK_MONOTONIC in nanoseconds, for keys that use the position of the playhead.
    func outcome(in state: SessionState, at now: Int64) -> Outcome {
        switch self {
        case .pause: .command(.player(state.phase.isPlaying ? .pause : .play))
        case .seek(let distance): .command(.player(.seek(SeekCommand(.relative(distance)))))
        case .speed(let factor):
            // Round to 0.001, so that the same number of steps back restores the rate.
            .command(.player(.setRate(((state.position.requestedRate * factor) * 1000).rounded() / 1000)))
        case .normalSpeed: .command(.player(.setRate(1)))
        case .volume(let change):
            .command(.player(.setVolume(min(max(((state.volume + change) * 100).rounded() / 100, 0), 1))))
        case .mute: .command(.player(.setMuted(!state.isMuted)))
        case .loop: .command(.player(.setLooping(!state.isLooping)))
        case .loopPoint: .command(.player(.setLoopPoints(loopPoints(in: state, at: now))))
        case .step(let frames): .command(.stepFrame(frames))
        case .subtitleDelay(let change): .command(.player(.setSubtitleDelay(state.delays.subtitles + change)))
        case .audioDelay(let change): .command(.player(.setAudioDelay(state.delays.audio + change)))
        case .nextSubtitles: subtitles(1, in: state)
        case .previousSubtitles: subtitles(-1, in: state)
        case .nextAudio: nextAudio(in: state)
        case .chapter(let step):
            state.media?.chapters.isEmpty ?? true
                ? .note("the source has no chapters") : .command(.player(.skipChapter(step)))
        case .help: .help
        case .quit: .quit
        }
    }

    /// The loop points after this key press; sorted, because the user may set the end first.
    private func loopPoints(in state: SessionState, at now: Int64) -> LoopPoints? {
        let here = min(max(.zero, state.position.position(at: now)), state.duration ?? .init(microseconds: .max))
        guard let points = state.loopPoints else { return LoopPoints(start: here, end: nil) }
        guard points.end == nil else { return nil }
        let (start, end) = (min(points.start, here), max(points.start, here))
        return LoopPoints(start: start, end: max(end, start + LoopPoints.shortest))
    }

    /// Cycles through the tracks and "none".
    private func subtitles(_ step: Int, in state: SessionState) -> Outcome {
        let ids = state.subtitleTracks.map(\.id)
        guard !ids.isEmpty else { return .note("the source has no subtitle tracks") }
        let shown = state.selectedSubtitles.first.flatMap(ids.firstIndex) ?? -1
        let next = (shown + step + 1 + ids.count + 1) % (ids.count + 1) - 1
        return .command(.tracks(.selectSubtitles(next < 0 ? .none : .tracks([ids[next]]))))
    }

    private func nextAudio(in state: SessionState) -> Outcome {
        let tracks = (state.media?.streams ?? []).filter { $0.kind == .audio && $0.route.isPlayed }.map(\.index)
        let selected = state.selectedAudio.flatMap(tracks.firstIndex) ?? -1
        guard tracks.count > 1 || selected < 0, !tracks.isEmpty else { return .note("there is no other audio track") }
        return .command(.tracks(.selectAudio(.stream(tracks[(selected + 1) % tracks.count]))))
    }
}

extension Phase {
    /// Whether the playhead moves, or would if it could.
    fileprivate var isPlaying: Bool {
        switch self {
        case .play, .playing, .buffering, .seeking: true
        case .idle, .opening, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }
}
