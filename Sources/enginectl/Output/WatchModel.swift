// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient

/// The state of all watched sessions, and the panel that shows it. Pure: events in, lines out.
struct WatchModel {
    private static let noticeLimit = 3
    /// The minimum number of lines above the list of keys: name, clock and the mark for lines that do not fit.
    private static let leastHeight = 3

    private(set) var states: [SessionState] = []
    private(set) var notices: [String] = []
    /// The cues on screen, by session.
    private(set) var cues: [SessionID: [Cue]] = [:]
    private var connection = ""
    private var showsHelp = false

    mutating func apply(_ event: WatchEvent) {
        switch event {
        case .snapshot(let state):
            states.removeAll { $0.id == state.id }
            states.append(state)
            cues[state.id] = nil
        case .delta(let delta):
            update(delta.state.id) { $0.apply(delta) }
        case .time(let time):
            update(time.session) { state in
                state.position.position = time.position
                state.position.rate = time.rate
                state.position.monotonicNanoseconds = time.monotonicNanoseconds
            }
        case .notice(_, let notice):
            note("\(notice.severity == .warning ? "!" : "·") \(notice.message) [\(notice.code)]")
        case .seek(_, let seek):
            if seek.stage == .stalled { note("! a seek to \(Words.time(seek.target)) is slow") }
        case .cue(let session, let event): show(event, in: session)
        case .batch(let events):
            for event in events { apply(event) }
        case .gap(let dropped):
            note("! \(Words.count(dropped, "notice")) missed")
        case .closed(let session, let error):
            states.removeAll { $0.id == session }
            cues[session] = nil
            note("· session \(session.rawValue) has ended" + (error.map { ": \($0)" } ?? ""))
        }
    }

    /// Discards the known state, because the connection is lost.
    mutating func disconnected(_ reason: String) {
        states = []
        cues = [:]
        connection = "\(reason); waiting for an engine …"
    }

    mutating func connected() {
        if !connection.isEmpty { note("· reconnected") }
        connection = ""
    }

    /// - Parameters:
    ///   - width: the columns of the terminal.
    ///   - height: the maximum number of lines.
    ///   - now: the current time of CLOCK_MONOTONIC in nanoseconds.
    func lines(width: Int, height: Int = .max, now: Int64) -> [String] {
        var lines: [String] = []
        for state in states {
            let text = SessionText(state: state, now: now)
            lines += [
                "\(text.name)  \(text.phase)  \(text.rate)",
                "\(text.clock)  \(bar(of: text, width: width - text.clock.count - 4))",
                "buffered \(text.buffered)   \(text.plan)   \(text.making)",
                "volume \(text.volume)   subtitles \(text.shortSubtitles)\(state.isLooping ? "   loop" : "")",
                text.howToPlay ?? state.url,
            ]
            lines += text.guide
            lines += (cues[state.id] ?? []).flatMap(\.lines)
        }
        if !connection.isEmpty { lines.append(connection) }
        if states.isEmpty, connection.isEmpty { lines.append("no session; waiting for one to be loaded …") }
        lines += notices
        let help = showsHelp ? KeyBinding.help : []
        // The list of keys has priority over all but the first lines of the first session.
        lines = Self.cut(lines, to: max(Self.leastHeight, height - help.count))
        return Self.cut(lines + help, to: height).map { String(Words.plain($0).prefix(width)) }
    }

    /// The lines that fit; the last one says if some do not.
    private static func cut(_ lines: [String], to height: Int) -> [String] {
        lines.count <= height ? lines : lines.prefix(max(0, height - 1)) + ["…"]
    }

    /// A bar such as `[█████▒▒▒░░░░]`: played, buffered, remaining.
    private func bar(of text: SessionText, width: Int) -> String {
        let cells = min(max(width, 0), 100)
        guard cells > 4, let duration = text.state.duration, duration.microseconds > 0 else { return "" }
        var bar = "["
        for cell in 0..<cells {
            let start = MediaTime(microseconds: duration.microseconds / Int64(cells) * Int64(cell))
            let isBuffered = text.state.buffered.contains { $0.start <= start && start < $0.end }
            bar += start < text.position ? "█" : isBuffered ? "▒" : "░"
        }
        return bar + "]"
    }

    private mutating func update(_ session: SessionID, _ change: (inout SessionState) -> Void) {
        guard let index = states.firstIndex(where: { $0.id == session }) else { return }
        change(&states[index])
    }

    private mutating func show(_ event: CueEvent, in session: SessionID) {
        switch event.stage {
        case .appeared: cues[session, default: []].append(event.cue)
        case .disappeared: cues[session, default: []].removeAll { $0.id == event.cue.id }
        case .ahead: break
        }
    }

    mutating func toggleHelp() { showsHelp.toggle() }

    mutating func note(_ line: String) {
        notices.append(line)
        if notices.count > Self.noticeLimit { notices.removeFirst() }
    }
}
