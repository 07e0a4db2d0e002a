// SPDX-License-Identifier: Apache-2.0

package import EngineClient
internal import EngineRuntime
internal import Foundation
package import Server
internal import Wire
internal import Logging

/// Calls `body` with a socket path in a temporary directory.
package func withSocketPath(_ body: (String) async throws -> Void) async throws {
    let directory = "/tmp/ipc-\(randomBytes(6).map { String($0, radix: 36) }.joined())"
    try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
    )
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body("\(directory)/engined.sock")
}

/// Serves on `path` until the returned server is shut down.
package func serve(
    _ service: FakeEngineService,
    on path: String,
    limits: ServerLimits = ServerLimits()
) async throws -> IPCServer {
    let listener = try UnixSocketListener(SocketPath.resolve(path))
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return try await IPCServer.start(service, on: listener, limits: limits, logger: logger)
}

/// Runs an IPC server over a `FakeEngineService` during `body`.
package func withServer(
    limits: ServerLimits = ServerLimits(),
    _ body: (FakeEngineService, _ path: String) async throws -> Void
) async throws {
    try await withSocketPath { path in
        let service = FakeEngineService()
        let server = try await serve(service, on: path, limits: limits)
        do {
            try await body(service, path)
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }
}

/// Like `withServer`, with a connected client.
package func withClient(
    limits: ServerLimits = ServerLimits(),
    _ body: (FakeEngineService, EngineClient) async throws -> Void
) async throws {
    try await withServer(limits: limits) { service, path in
        let client = try await EngineClient.connect(socket: path)
        try await body(service, client)
        await client.close()
    }
}
