// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON
internal import EngineModel
internal import EngineRuntime

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show all sessions in a table that is kept up to date. Ends with q or Ctrl-C.",
        discussion: """
            AHEAD: seconds buffered from the playhead on. READ/s: bytes of the source. CACHED: finished segments in memory. MADE: \
            segments; SPEED: seconds of media made per second of work. STALLS: waits for media. DROPPED: frames. Columns that do not \
            fit into the terminal are left out.
            """
    )

    @OptionGroup var engine: EngineOptions

    @Flag(help: "A line of JSON for each table, with the whole state of each session.")
    var json = false

    @Option(help: ArgumentHelp("Milliseconds between two tables.", valueName: "ms"))
    var interval = 1000

    @Option(help: ArgumentHelp("End after this many tables; 0 for no limit.", valueName: "n"))
    var count = 0

    func validate() throws {
        if interval < 100 { throw ValidationError("--interval must be at least 100.") }
        if count < 0 { throw ValidationError("--count must not be negative.") }
    }

    func run() async throws {
        try await reporting {
            let interruption = await Interruption()
            let client = try await EngineAccess.connect(engine)
            let isPanel = Terminal.isOutputTerminal && !json
            let keyboard = isPanel ? Keyboard() : nil
            defer { keyboard?.close() }
            let refreshing = Refreshing(
                client: client,
                keys: keyboard?.bytes,
                output: TableOutput(isPanel ? .panel : json ? .json : .lines),
                interval: .milliseconds(interval),
                count: count == 0 ? .max : count
            )
            _ = try await interruption.run { try await refreshing.run() }
        }
    }
}

/// Follows all sessions, and prints them at intervals.
private struct Refreshing: Sendable {
    let client: EngineClient
    /// `nil` if keys are not read.
    let keys: AsyncStream<[UInt8]>?
    let output: TableOutput
    let interval: Duration
    let count: Int

    /// Returns after the last table, or when the quit key is pressed.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await follow() }
            group.addTask {
                for _ in 0..<count {
                    try await Task.sleep(for: interval)
                    try await output.refresh()
                }
            }
            if let keys { group.addTask { try await waitForQuit(keys) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func follow() async throws {
        var options = WatchOptions(.allSessions, timeInterval: nil, batchInterval: .milliseconds(100))
        options.hasCues = false
        for try await event in client.follow(options) {
            switch event {
            case .event(let event): try await output.take(event)
            case .disconnected(let failure): try await output.disconnected(failure.message)
            case .connected: await output.connected()
            }
        }
    }

    private func waitForQuit(_ keys: AsyncStream<[UInt8]>) async throws {
        var parser = KeyParser()
        for await bytes in keys where parser.keys(in: bytes).compactMap(KeyBinding.action).contains(.quit) { return }
        try await Task.sleep(for: .seconds(1 << 40))
    }
}

/// Prints the table.
///
/// Owned by the command, and called by the task that follows the sessions and the one that waits for the next table.
private actor TableOutput {
    enum Form {
        /// In place, on a terminal.
        case panel
        /// One after another, with an empty line between them.
        case lines
        case json
    }

    private let form: Form
    private var table = SessionTable()
    private var panel = Panel()
    private var isFirst = true

    init(_ form: Form) { self.form = form }

    /// On a terminal, the table is redrawn at once when a session begins or ends.
    func take(_ event: WatchEvent) throws(Failure) {
        table.apply(event)
        if event.changesSessions { try drawPanel() }
    }

    func disconnected(_ reason: String) throws(Failure) {
        table.disconnected(reason)
        try drawPanel()
    }

    func connected() { table.connected() }

    func refresh() throws(Failure) {
        table.sample(monotonicNanoseconds())
        switch form {
        case .panel: try drawPanel()
        case .json: try Terminal.write(table.json.text)
        case .lines:
            let lines = table.lines(width: nil, height: nil, now: monotonicNanoseconds())
            try Terminal.write(isFirst ? lines : [""] + lines)
            isFirst = false
        }
    }

    private func drawPanel() throws(Failure) {
        guard case .panel = form else { return }
        // The cursor is on the line below the table.
        let height = max(3, Terminal.height - 1)
        try panel.draw(table.lines(width: Terminal.width, height: height, now: monotonicNanoseconds()))
    }
}

extension WatchEvent {
    fileprivate var changesSessions: Bool {
        switch self {
        case .snapshot, .closed: true
        case .batch(let events): events.contains(where: \.changesSessions)
        case .delta, .time, .notice, .seek, .cue, .gap: false
        }
    }
}
