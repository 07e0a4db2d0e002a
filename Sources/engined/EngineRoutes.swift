// SPDX-License-Identifier: Apache-2.0

internal import Segments
internal import Sessions
internal import EngineModel
internal import Loopback

/// Serves the engine's media through the loopback server.
struct EngineRoutes: LoopbackProvider {
    let engine: Engine
    let metrics: EngineMetrics

    func metrics(_ counters: ServeCounters) async -> String { await metrics.text(counters) }

    func isValid(token: String) -> Bool { engine.isValid(token: token) }

    func resource(token: String, path: String, query: String) async -> LoopbackResource {
        switch await engine.resource(token: token, path: path, query: query) {
        case .playlist(let bytes): .found(LoopbackContent(playlist: bytes))
        case .initSegment(let body, let isVideo):
            .found(LoopbackContent(small: body, isVideo ? .videoMP4 : .audioMP4))
        case .segment(let body, let isVideo, let version):
            .found(
                LoopbackContent(
                    segment: body,
                    isVideo ? .videoMP4 : .audioMP4,
                    named: "\(token)/\(path)",
                    version: version
                )
            )
        case .file(let body, let mimeType): .found(LoopbackContent(small: body, ContentType(rawValue: mimeType)))
        case .notFound: .notFound
        case .notReady: .notReady(retryAfterSeconds: 1)
        case .gone: .gone
        case .dropped(let error): .dropped(error)
        case .failed(let error): .failed(error)
        }
    }
}
