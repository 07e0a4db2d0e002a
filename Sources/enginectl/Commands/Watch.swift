// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import IPC

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a session, on a terminal as a panel, else as JSON lines. Survives a restart of the engine."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "Follow every session.")
    var all = false

    @Flag(help: "JSON lines on a terminal too.")
    var json = false

    @Option(help: ArgumentHelp("Milliseconds between time events; 0 for none.", valueName: "ms"))
    var interval = 100

    @Option(help: ArgumentHelp("Milliseconds between batches of events; 0 for each event at once.", valueName: "ms"))
    var batch = 0

    func validate() throws {
        if all, session.session != nil { throw ValidationError("--all and --session exclude each other.") }
        if interval < 0 { throw ValidationError("--interval is not negative.") }
        if batch < 0 { throw ValidationError("--batch is not negative.") }
    }

    func run() async throws {
        try await reporting {
            let interruption = Interruption()
            let path = try engine.socketPath()
            let first = try await EngineAccess.connect(engine)
            let scope: WatchOptions.Scope = all ? .allSessions : session.id.map { .session($0) } ?? .defaultSession
            let options = WatchOptions(
                scope,
                timeInterval: interval > 0 ? .milliseconds(interval) : nil,
                batchInterval: batch > 0 ? .milliseconds(batch) : nil
            )
            let output = WatchOutput(isPanel: Terminal.isOutputTerminal && !json)
            _ = try await interruption.run { try await follow(path, first, options, output) }
        }
    }
}

/// Follows until the session that was named has ended.
private func follow(
    _ path: String,
    _ first: EngineClient,
    _ options: WatchOptions,
    _ output: WatchOutput
) async throws {
    var output = output
    var client = first
    while true {
        let failure = await showEvents(client.watch(options), on: &output)
        try Task.checkCancellation()
        if let failure {
            guard failure.isConnectionLoss else { throw failure }
            output.showDisconnected(failure.message)
        } else if options.scope != .defaultSession, options.scope != .allSessions {
            return
        }
        client = try await reconnect(path)
        output.showConnected()
    }
}

/// Shows events until they end, and says what ended them.
private func showEvents(_ events: WatchSequence, on output: inout WatchOutput) async -> EngineClientError? {
    var iterator = events.makeAsyncIterator()
    do throws(EngineClientError) {
        while let event = try await iterator.next() { output.show(event) }
        return nil
    } catch {
        return error
    }
}

/// Tries until an engine answers or the task is cancelled.
private func reconnect(_ path: String) async throws -> EngineClient {
    while true {
        try await Task.sleep(for: .milliseconds(250))
        if let client = try? await EngineClient.connect(path: path) { return client }
    }
}
