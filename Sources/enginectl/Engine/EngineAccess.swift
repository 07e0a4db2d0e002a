// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient

/// A client, and the engine behind it when this process started one.
struct EngineAccess {
    enum Place {
        /// Where every other client looks, so that a second terminal can steer it.
        case usual
        /// Where nobody looks.
        case hidden
    }

    let client: EngineClient
    let process: EngineProcess?

    /// Connects to the engine that runs.
    static func connect(_ options: EngineOptions) async throws -> EngineClient {
        let path = try options.socketPath()
        guard let client = try await connectIfRunning(path) else {
            let advice = "start one with: engined, or: enginectl serve FILE"
            throw Failure(.noEngine, "no engine listens on \(path); \(advice)")
        }
        return client
    }

    /// Connects to the engine that runs, or starts one.
    static func open(_ options: EngineOptions, startingAt place: Place) async throws -> EngineAccess {
        guard let path = try? options.socketPath() else {
            return try await start(EngineProcess(socket: nil, arguments: []))
        }
        if let client = try await connectIfRunning(path) { return EngineAccess(client: client, process: nil) }
        switch place {
        case .hidden:
            return try await start(EngineProcess(socket: nil, arguments: []))
        case .usual:
            // Named only when it was chosen: the engine makes the default directory itself.
            let names = options.chosenSocket.map { ["--socket", $0] } ?? []
            return try await start(EngineProcess(socket: path, arguments: names))
        }
    }

    private static func connectIfRunning(_ path: String) async throws(EngineClientError) -> EngineClient? {
        do throws(EngineClientError) {
            return try await EngineClient.connect(socket: path)
        } catch {
            if error.isConnectionLoss { return nil }
            throw error
        }
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

/// Runs `body` with a client of the engine that runs, or of one started for it, and ends what was started.
func withEngine(
    _ options: EngineOptions,
    startingAt place: EngineAccess.Place,
    _ body: @escaping @Sendable (EngineAccess.Handle) async throws -> Void
) async throws {
    let interruption = Interruption()
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
    /// What a verb needs of it.
    struct Handle: Sendable {
        let client: EngineClient
        /// The socket of the engine that was started for this verb.
        let startedSocket: String?
    }
}
