// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineJSON
internal import EngineModel

/// The sessions of an engine as a table with a line for each. Pure: events and times in, lines out.
struct SessionTable {
    /// A session and its read rate.
    private struct Row {
        var state: SessionState
        /// The bytes read and the time of the last sample; `nil` before the first.
        var sample: (bytesRead: UInt64, time: Int64)?
        /// Bytes per second between the last two samples.
        var readRate: Double?
    }

    private struct Column: Sendable {
        let title: String
        /// In a narrow terminal, columns with the highest number are left out first. 0: never.
        let rank: Int
        var isNumber = true
        let value: @Sendable (Row, _ now: Int64) -> String
    }

    /// The narrowest useful width of the last column, which takes the rest of the line.
    private static let sourceWidth = 12
    private static let gap = "  "

    private static let columns = [
        Column(title: "SESSION", rank: 0, isNumber: false) { row, _ in row.state.id.rawValue },
        Column(title: "STATE", rank: 0, isNumber: false) { row, now in
            SessionText(state: row.state, now: now).briefPhase
        },
        Column(title: "POSITION", rank: 0) { row, now in Words.time(SessionText(state: row.state, now: now).position) },
        Column(title: "LENGTH", rank: 4) { row, _ in
            row.state.live != nil ? "live" : row.state.duration.map { Words.time($0) } ?? "?"
        },
        Column(title: "RATE", rank: 6) { row, _ in "\(Words.number(row.state.position.requestedRate, places: 2))×" },
        Column(title: "AHEAD", rank: 1) { row, now in ahead(of: row.state, now).map { "\($0) s" } ?? "-" },
        Column(title: "ROUTE", rank: 3, isNumber: false) { row, _ in
            row.state.path == .software ? "software" : row.state.route?.word ?? "-"
        },
        Column(title: "READ/s", rank: 2) { row, _ in row.readRate.map { Words.bytes(UInt64(min($0, 1e18))) } ?? "-" },
        Column(title: "CACHED", rank: 3) { row, _ in Words.bytes(row.state.production.cachedBytes) },
        Column(title: "MADE", rank: 7) { row, _ in "\(row.state.production.segmentsProduced)" },
        Column(title: "SPEED", rank: 7) { row, _ in
            let speed = row.state.statistics.productionSpeed
            return speed > 0 ? "\(Words.number(speed, places: speed < 10 ? 1 : 0))×" : "-"
        },
        Column(title: "STALLS", rank: 5) { row, _ in "\(row.state.statistics.stalls)" },
        Column(title: "DROPPED", rank: 5) { row, _ in "\(row.state.statistics.droppedFrames)" },
        Column(title: "RENDERER", rank: 8, isNumber: false) { row, _ in Words.plain(row.state.renderer ?? "-") },
    ]

    private var rows: [Row] = []
    private var residentBytes: UInt64 = 0
    private var connection = ""

    mutating func apply(_ event: WatchEvent) {
        switch event {
        case .snapshot(let state):
            if let index = rows.firstIndex(where: { $0.state.id == state.id }) {
                rows[index].state = state
            } else {
                rows.append(Row(state: state))
            }
            residentBytes = state.statistics.residentBytes
        case .delta(let delta):
            update(delta.state.id) { $0.apply(delta) }
            if delta.fields.contains(.statistics) { residentBytes = delta.state.statistics.residentBytes }
        case .batch(let events):
            for event in events { apply(event) }
        case .closed(let session, _): rows.removeAll { $0.state.id == session }
        case .time, .notice, .seek, .cue, .gap: break
        }
    }

    /// Discards the known sessions, because the connection is lost.
    mutating func disconnected(_ reason: String) {
        rows = []
        residentBytes = 0
        connection = "\(reason); waiting for an engine …"
    }

    mutating func connected() { connection = "" }

    /// Computes the rates since the last call.
    ///
    /// - Parameter now: the current time of CLOCK_MONOTONIC in nanoseconds.
    mutating func sample(_ now: Int64) {
        for index in rows.indices {
            let bytesRead = rows[index].state.statistics.bytesRead
            if let sample = rows[index].sample, now > sample.time {
                // The count restarts at 0 when the session loads another source.
                let count = bytesRead >= sample.bytesRead ? bytesRead - sample.bytesRead : bytesRead
                rows[index].readRate = Double(count) * 1e9 / Double(now - sample.time)
            }
            rows[index].sample = (bytesRead, now)
        }
    }

    /// - Parameters:
    ///   - width: the columns of the terminal. `nil`: no limit.
    ///   - height: the maximum number of lines. `nil`: no limit.
    ///   - now: the current time of CLOCK_MONOTONIC in nanoseconds.
    func lines(width: Int?, height: Int?, now: Int64) -> [String] {
        guard connection.isEmpty else { return fitted([Words.plain(connection)], width) }
        guard !rows.isEmpty else { return fitted(["no session"], width) }
        // Two lines are not sessions: the summary and the column titles.
        var shown = rows[...]
        var rest: [String] = []
        if let height, rows.count + 2 > height {
            shown = rows.prefix(max(0, height - 3))
            rest = ["… and \(rows.count - shown.count) more"]
        }
        let columns = columns(of: Array(shown), width: width, now)
        let titles = columns.map { padded($0.column.title, $0.column, $0.width) } + ["SOURCE"]
        let table = shown.map { row in
            columns.map { padded($0.column.value(row, now), $0.column, $0.width) } + [
                SessionText(state: row.state, now: now).name
            ]
        }
        return fitted([summary] + ([titles] + table).map { $0.joined(separator: Self.gap) } + rest, width)
    }

    /// The table as an object, with the whole state of each session.
    var json: JSON {
        let sessions = rows.map { row in
            JSON.object(
                ("read_bytes_per_second", row.readRate.map { .number($0) } ?? .null),
                ("state", row.state.json())
            )
        }
        return .object(("resident_bytes", .integer(Int64(clamping: residentBytes))), ("sessions", .array(sessions)))
    }

    /// For example `3 sessions, 1 playing; 145 MB of memory, 62.0 MB of segments; 1.20 MB/s read`.
    private var summary: String {
        let playing = rows.count { $0.state.phase == .playing }
        let cached = rows.reduce(UInt64(0)) { $0 &+ $1.state.production.cachedBytes }
        let read = rows.reduce(0.0) { $0 + ($1.readRate ?? 0) }
        return "\(Words.count(rows.count, "session")), \(playing) playing; \(Words.bytes(residentBytes)) of memory, "
            + "\(Words.bytes(cached)) of segments; \(Words.bytes(UInt64(min(read, 1e18))))/s read"
    }

    /// The columns that fit beside the source, and their widths.
    private func columns(of rows: [Row], width: Int?, _ now: Int64) -> [(column: Column, width: Int)] {
        var columns = Self.columns.map { column in
            (column: column, width: rows.reduce(column.title.count) { max($0, column.value($1, now).count) })
        }
        guard let width else { return columns }
        func isTooWide() -> Bool {
            columns.reduce(Self.sourceWidth) { $0 + $1.width + Self.gap.count } > width
        }
        while isTooWide(), let rank = columns.map(\.column.rank).max(), rank > 0 {
            columns.removeAll { $0.column.rank == rank }
        }
        return columns
    }

    private func padded(_ text: String, _ column: Column, _ width: Int) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return column.isNumber ? space + text : text + space
    }

    private func fitted(_ lines: [String], _ width: Int?) -> [String] {
        guard let width else { return lines }
        return lines.map { String($0.prefix(width)) }
    }

    /// The whole seconds that are buffered from the playhead on. `nil` if nothing is.
    private static func ahead(of state: SessionState, _ now: Int64) -> Int64? {
        let position = SessionText(state: state, now: now).position
        return state.buffered.first { $0.start <= position && position < $0.end }
            .map { ($0.end - position).microseconds / 1_000_000 }
    }

    private mutating func update(_ session: SessionID, _ change: (inout SessionState) -> Void) {
        guard let index = rows.firstIndex(where: { $0.state.id == session }) else { return }
        change(&rows[index].state)
    }
}
