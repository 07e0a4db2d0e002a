// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient

/// A client, and the engine process behind it if this process started one.
struct EngineAccess {
    enum Place {
        /// The socket where all clients look, so that a second terminal can control the engine.
        case usual
        /// A private socket.
        case hidden
    }

    let client: EngineClient
    let process: EngineProcess?

    /// Connects to the running engine.
    static func connect(_ options: EngineOptions) async throws -> EngineClient {
        let path = try options.socketPath()
        guard let client = try await connectIfRunning(path) else {
            let advice = "start one with `engined` or `enginectl serve FILE`"
            throw Failure(.noEngine, "no engine listens on \(path); \(advice)")
        }
        return client
    }

    /// Connects to the running engine, or starts one.
    ///
    /// - Throws: if the socket that the user chose cannot be used; no engine is started then.
    static func open(_ options: EngineOptions, startingAt place: Place) async throws -> EngineAccess {
        guard let path = try options.socketPathIfAny() else {
            return try await start(EngineProcess(socket: nil, arguments: []))
        }
        if let client = try await connectIfRunning(path) { return EngineAccess(client: client, process: nil) }
        switch place {
        case .hidden:
            return try await start(EngineProcess(socket: nil, arguments: []))
        case .usual:
            // Passed only if the user chose a path, because the engine creates a missing directory only for its default
            // path.
            let names = options.chosenSocket.map { ["--socket", $0] } ?? []
            return try await start(EngineProcess(socket: path, arguments: names))
        }
    }

    private static func connectIfRunning(_ path: String) async throws(EngineClientError) -> EngineClient? {
        let client: EngineClient
        do throws(EngineClientError) {
            client = try await EngineClient.connect(socket: path, patience: nil)
        } catch {
            if error.isConnectionLoss { return nil }
            throw error
        }
        // If an engine listens but does not answer, the command fails and does not start another engine.
        try await client.requireAnswer()
        return client
    }

    private static func start(_ process: EngineProcess) async throws -> EngineAccess {
        do {
            return EngineAccess(client: try await process.connect(), process: process)
        } catch {
            await process.end()
            throw error
        }
    }

    func close() async {
        await client.close()
        await process?.end()
    }
}

/// Runs `body` with a client of the running engine, or of one started for it, and ends an engine that was started.
func withEngine(
    _ options: EngineOptions,
    startingAt place: EngineAccess.Place,
    _ body: @escaping @Sendable (EngineAccess.Handle) async throws -> Void
) async throws {
    let interruption = await Interruption()
    let access = try await EngineAccess.open(options, startingAt: place)
    let handle = EngineAccess.Handle(client: access.client, startedSocket: access.process?.socket)
    do {
        let done: Void? = try await interruption.run { try await body(handle) }
        await access.close()
        if done == nil { throw Failure(.interrupted, "") }
    } catch {
        await access.close()
        throw error
    }
}

extension EngineAccess {
    /// The part of an engine access that commands use.
    struct Handle: Sendable {
        let client: EngineClient
        /// The socket of the engine that was started for this command; `nil` if it was already running.
        let startedSocket: String?
    }
}
