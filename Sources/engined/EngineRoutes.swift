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
        case .playlist(let bytes):
            .found(
                LoopbackContent(
                    body: ByteBody(bytes),
                    contentType: .playlist,
                    etag: Self.digest(bytes),
                    cachePolicy: .revalidate
                )
            )
        case .initSegment(let body, let isVideo), .segment(let body, let isVideo):
            // The same path below the same token always has the same bytes, so a digest of the path is a valid entity
            // tag.
            .found(
                LoopbackContent(
                    body: body,
                    contentType: isVideo ? .videoMP4 : .audioMP4,
                    etag: Self.digest(Array("\(token)/\(path)".utf8)),
                    cachePolicy: .transient
                )
            )
        case .file(let body, let mimeType):
            .found(
                LoopbackContent(
                    body: body,
                    contentType: ContentType(rawValue: mimeType),
                    etag: Self.digest(Array("\(token)/\(path)".utf8)),
                    cachePolicy: .transient
                )
            )
        case .notFound: .notFound
        case .notReady: .notReady(retryAfterSeconds: 1)
        case .gone: .gone
        case .failed(let error): .failed(error)
        }
    }

    /// FNV-1a, 64 bits: distinguishes versions, but is not cryptographically secure.
    private static func digest(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
