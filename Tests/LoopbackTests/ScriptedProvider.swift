// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Logging
import Loopback

/// Serves the resources that a test adds, and holds every request below `held/` until its task is cancelled.
final class ScriptedProvider: LoopbackProvider {
    static let token = "s3cret"

    private let resources = Locked<[String: LoopbackResource]>([:])
    private let (arrivals, arrival) = AsyncStream<String>.makeStream()
    private let (cancellations, cancellation) = AsyncStream<String>.makeStream()

    func put(_ resource: LoopbackResource, at path: String) { resources.withLock { $0[path] = resource } }

    func put(_ bytes: [UInt8], at path: String, etag: String? = nil, type: ContentType = .videoMP4) {
        let content = LoopbackContent(body: ByteBody(bytes), contentType: type, etag: etag, cachePolicy: .transient)
        put(.found(content), at: path)
    }

    /// The path of the next request that is held.
    func nextHeld() async -> String? {
        for await path in arrivals { return path }
        return nil
    }

    /// The path of the next held request that is cancelled.
    func nextCancelled() async -> String? {
        for await path in cancellations { return path }
        return nil
    }

    func isValid(token: String) -> Bool { token == Self.token }

    func metrics(_ counters: ServeCounters) async -> String { "requests \(counters.requests)\n" }

    func resource(token: String, path: String, query: String) async -> LoopbackResource {
        guard path.hasPrefix("held/") else { return resources.withLock { $0[path] } ?? .notFound }
        arrival.yield(path)
        // This loop ends only when the task is cancelled.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        cancellation.yield(path)
        return .gone
    }
}

/// Runs `body` with a server that is stopped afterwards.
func withServer(
    _ configuration: LoopbackConfiguration = LoopbackConfiguration(),
    _ body: (LoopbackServer, ScriptedProvider) async throws -> Void
) async throws {
    let provider = ScriptedProvider()
    var logger = Logger(label: "loopback-tests")
    logger.logLevel = .error
    let server = try await LoopbackServer.start(configuration: configuration, provider: provider, logger: logger)
    do {
        try await body(server, provider)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
