// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The screen of `enginectl tui` without its picture: the lines at the top and at the bottom. Pure.
struct ScreenModel {
    /// The content of a screen of a given size.
    struct Layout: Equatable {
        var top: [String]
        /// The list of keys, in place of the picture; empty if it is not shown.
        var help: [String]
        var bottom: [String]
        /// The lines between `top` and `bottom`.
        var pictureRows: Int
    }

    /// The maximum number of lines of cues; more would leave too little room for the picture.
    private static let cueLines = 3
    private static let hint = "space pause  ← → seek  ↑ ↓ minutes  j subtitles  # audio  9 0 volume  ? keys  q quit"

    private var watch = WatchModel()
    private var showsHelp = false

    var state: SessionState? { watch.states.first }

    mutating func apply(_ event: WatchEvent) { watch.apply(event) }
    mutating func toggleHelp() { showsHelp.toggle() }
    mutating func note(_ line: String) { watch.note(line) }

    /// - Parameter now: the current time of CLOCK_MONOTONIC in nanoseconds.
    func layout(columns: Int, rows: Int, now: Int64) -> Layout {
        guard let state else { return Layout(top: ["opening …"], help: [], bottom: [], pictureRows: max(0, rows - 1)) }
        let text = SessionText(state: state, now: now)
        let top = ["\(text.name)  \(text.phase)  \(text.rate)  volume \(text.volume)"]
        let cues = (watch.cues[state.id] ?? []).flatMap(Self.shown).suffix(Self.cueLines)
        var bottom = cues.map { Self.centred($0, columns) }
        // Reserve all lines for cues, so that the picture does not change its size with every cue.
        bottom = [String](repeating: "", count: Self.cueLines - bottom.count) + bottom
        bottom.append("\(text.clock)  \(timeline(of: text, cells: columns - text.clock.count - 4))")
        bottom.append(tracks(text))
        bottom.append(watch.notices.last ?? Self.hint)
        // If the screen has too few rows, keep the lower lines, which are more useful.
        bottom = Array(bottom.suffix(max(0, rows - top.count)))
        let room = max(0, rows - top.count - bottom.count)
        func fitted(_ lines: [String]) -> [String] { lines.map { String(Words.plain($0).prefix(columns)) } }
        let help = showsHelp ? fitted(KeyBinding.help.prefix(room).map { "  \($0)" }) : []
        return Layout(top: fitted(Array(top.prefix(rows))), help: help, bottom: fitted(bottom), pictureRows: room)
    }

    /// A bar such as `██│█▒▒│░░`: played, buffered, remaining, with a line where a chapter begins.
    private func timeline(of text: SessionText, cells: Int) -> String {
        guard cells > 4, let duration = text.state.duration, duration.microseconds > 0 else { return "" }
        func cell(_ time: MediaTime) -> Int {
            Int(Double(time.microseconds) / Double(duration.microseconds) * Double(cells))
        }
        let chapters = Set(
            (text.state.media?.chapters ?? []).filter { $0.start > .zero && $0.start < duration }.map { cell($0.start) }
        )
        return (0..<cells).map { place in
            let start = MediaTime(microseconds: duration.microseconds / Int64(cells) * Int64(place))
            if chapters.contains(place) { return "│" }
            return start < text.position
                ? "█" : text.state.buffered.contains { $0.start <= start && start < $0.end } ? "▒" : "░"
        }.joined()
    }

    private func tracks(_ text: SessionText) -> String {
        let chapter = text.state.chapter == nil ? "" : "chapter \(text.chapter)   "
        let dropped = text.state.statistics.droppedFrames
        let losses = dropped > 0 ? "   \(dropped) dropped" : ""
        let audio = text.state.selectedAudio.map { "audio #\($0)" } ?? "no audio"
        return "\(chapter)\(audio)   subtitles \(text.shortSubtitles)\(losses)"
    }

    private static func shown(_ cue: Cue) -> [String] {
        guard case .text(let text) = cue.content else { return cue.lines }
        return text.plain.split(separator: "\n").map(String.init)
    }

    private static func centred(_ line: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, (columns - line.count) / 2)) + line
    }
}
