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
        if all, session.session != nil { throw ValidationError("--all and --session exclude each other.") }
        if interval < 0 { throw ValidationError("--interval must not be negative.") }
        if batch < 0 { throw ValidationError("--batch must not be negative.") }
    }

    func run() async throws {
        try await reporting {
            let interruption = Interruption()
            let client = try await EngineAccess.connect(engine)
            let scope: WatchOptions.Scope = all ? .allSessions : session.id.map { .session($0) } ?? .defaultSession
            let options = WatchOptions(
                scope,
                timeInterval: interval > 0 ? .milliseconds(interval) : nil,
                batchInterval: batch > 0 ? .milliseconds(batch) : nil
            )
            let output = WatchOutput(isPanel: Terminal.isOutputTerminal && !json)
            _ = try await interruption.run { try await follow(client, options, output) }
        }
    }
}

/// Returns when the session that was named has ended.
private func follow(_ client: EngineClient, _ options: WatchOptions, _ output: WatchOutput) async throws {
    var output = output
    for try await event in client.follow(options) {
        switch event {
        case .event(let event): try output.show(event)
        case .disconnected(let failure): try output.showDisconnected(failure.message)
        case .connected: try output.showConnected()
        }
    }
}
