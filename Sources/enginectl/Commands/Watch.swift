// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import EngineClient

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a session: a panel on a terminal, otherwise JSON lines. Reconnects after an engine restart."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "Follow every session.")
    var all = false

    @Flag(help: "Print JSON lines even on a terminal.")
    var json = false

    @Option(help: ArgumentHelp("Milliseconds between time events; 0 for none.", valueName: "ms"))
    var interval = 100

    @Option(help: ArgumentHelp("Milliseconds between batches of events; 0 sends each event at once.", valueName: "ms"))
    var batch = 0

    func validate() throws {
        if all, session.session != nil { throw ValidationError("--all and --session cannot be used together.") }
        if interval < 0 { throw ValidationError("--interval must not be negative.") }
        if batch < 0 { throw ValidationError("--batch must not be negative.") }
    }

    func run() async throws {
        try await reporting {
            let interruption = await Interruption()
            let client = try await EngineAccess.connect(engine)
            let scope: WatchOptions.Scope = all ? .allSessions : session.id.map { .session($0) } ?? .defaultSession
            let options = WatchOptions(
                scope,
                timeInterval: interval > 0 ? .milliseconds(interval) : nil,
                batchInterval: batch > 0 ? .milliseconds(batch) : nil
            )
            let isPanel = Terminal.isOutputTerminal && !json
            let keyboard = isPanel ? Keyboard() : nil
            defer { keyboard?.close() }
            let watching = Watching(
                client: client,
                control: KeyControl(client: client, session: session.id),
                keys: keyboard?.bytes,
                output: WatchOutput(isPanel: isPanel)
            )
            _ = try await interruption.run { try await watching.run(options) }
        }
    }
}

/// Follows a session on a terminal, where it accepts keys, or as JSON lines.
private struct Watching: Sendable {
    let client: EngineClient
    let control: KeyControl
    /// `nil` if keys are not read.
    let keys: AsyncStream<[UInt8]>?
    let output: WatchOutput

    /// Returns when the named session has ended or the quit key is pressed.
    func run(_ options: WatchOptions) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await follow(options) }
            if let keys {
                group.addTask {
                    try await control.run(
                        keys,
                        help: { try await output.toggleHelp() },
                        note: { try await output.note($0) }
                    )
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func follow(_ options: WatchOptions) async throws {
        for try await event in client.follow(options) {
            switch event {
            case .event(let event): try await output.show(event)
            case .disconnected(let failure): try await output.showDisconnected(failure.message)
            case .connected(let client):
                control.use(client)
                try await output.showConnected()
            }
        }
    }
}
