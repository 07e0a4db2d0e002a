// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Shows the progress of playback on stderr: on a terminal as one line redrawn in place, otherwise as a line per phase
/// change.
struct PlayProgress {
    private let isTerminal: Bool
    private var last = ""

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    mutating func show(_ state: SessionState) {
        let text = SessionText(state: state, now: monotonicNanoseconds())
        if isTerminal {
            let dropped = state.statistics.droppedFrames
            let losses = dropped > 0 ? "  \(dropped) dropped" : ""
            Terminal.showStatus("\(text.phase)  \(text.clock)  \(text.rate)\(settings(text))\(losses)")
        } else if text.phase != last {
            Terminal.writeError("enginectl: \(text.phase) at \(text.clock)")
        }
        last = text.phase
    }

    /// Volume, subtitles and looping, where they are worth showing.
    private func settings(_ text: SessionText) -> String {
        let state = text.state
        let volume = state.volume < 1 || state.isMuted ? "  volume \(text.volume)" : ""
        let subtitles = state.selectedSubtitles.isEmpty ? "" : "  subtitles \(text.shortSubtitles)"
        return volume + subtitles + (state.isLooping ? "  loop" : "")
    }

    func show(_ notice: Notice) {
        Terminal.writeError("\(isTerminal ? "" : "enginectl: ")\(Words.plain(notice.message)) [\(notice.code)]")
    }

    /// Ends the progress line, so that further output starts on its own line.
    func end() { Terminal.endStatus(keeping: true) }
}
