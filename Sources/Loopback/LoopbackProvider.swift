// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Provides the content that the server serves. The provider handles tokens and resources; the server handles HTTP.
///
/// Thread-safety: implementations must be safe. They are called on the server's thread and from tasks of the
/// cooperative pool.
package protocol LoopbackProvider: Sendable {
    /// Whether `token`, the first component of a request's path, names a session that has not ended.
    ///
    /// Called on the server's only thread for every request: it must be cheap, must not block, and must compare in
    /// constant time, so that response times reveal nothing about the token.
    func isValid(token: String) -> Bool

    /// Returns the resource at `path`, the part of the URL after the token and its slash. `query` is the part after the
    /// question mark.
    ///
    /// May wait until the resource is produced. The task is cancelled when the client disconnects, when the server
    /// stops, and after `LoopbackConfiguration.holdLimit`; a result that arrives later is discarded.
    func resource(token: String, path: String, query: String) async -> LoopbackResource

    /// Returns all metrics in the Prometheus text format, including the server's own `counters`.
    func metrics(_ counters: ServeCounters) async -> String
}

/// The provider's result for a path.
package enum LoopbackResource: Sendable {
    case found(LoopbackContent)
    /// The resource does not exist and never will.
    case notFound
    /// The resource does not exist yet: status 503, never 404, which players treat as final.
    case notReady(retryAfterSeconds: Int)
    /// The source no longer keeps the media of the resource.
    case dropped(EngineError)
    /// The resource could not be produced.
    case failed(EngineError)
    /// The session ended while the request was held.
    case gone
}

/// A resource that is ready to be sent.
package struct LoopbackContent: Sendable {
    package var body: ByteBody
    package var contentType: ContentType
    /// The entity tag without quotes: always the same for the same bytes, and different for different bytes. `nil` if
    /// the resource has no tag.
    package var etag: String?
    package var cachePolicy: CachePolicy
    /// Whether pages of any origin may read the resource. Resources below a token allow that, because the token is the
    /// authorization.
    package var isForEveryOrigin = true

    package init(body: ByteBody, contentType: ContentType, etag: String?, cachePolicy: CachePolicy) {
        self.body = body
        self.contentType = contentType
        self.etag = etag
        self.cachePolicy = cachePolicy
    }
}

extension LoopbackContent {
    /// A playlist, which may change: it is tagged by its bytes and revalidated.
    package init(playlist bytes: [UInt8]) {
        self.init(
            body: ByteBody(bytes),
            contentType: .playlist,
            etag: StableHash(of: bytes).hexadecimal,
            cachePolicy: .revalidate
        )
    }

    /// A small resource: it is tagged by its bytes, all of which are read for that.
    package init(small body: ByteBody, _ contentType: ContentType) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.byteCount)
        for region in body.regions {
            region.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
        }
        self.init(
            body: body,
            contentType: contentType,
            etag: StableHash(of: bytes).hexadecimal,
            cachePolicy: .transient
        )
    }

    /// A segment, whose bytes follow from its name, the version of its source and the version of the engine: its tag is
    /// a digest of them. Without a version of the source (`nil`), the segment has no tag.
    package init(segment body: ByteBody, _ contentType: ContentType, named name: String, version: String?) {
        self.init(
            body: body,
            contentType: contentType,
            etag: version.map { StableHash(of: "\(name) \($0) \(ProductVersion.current)".utf8).hexadecimal },
            cachePolicy: .transient
        )
    }

    /// Metrics are for local tools, not for web pages.
    init(metrics text: String) {
        self.init(body: ByteBody(Array(text.utf8)), contentType: .metrics, etag: nil, cachePolicy: .transient)
        isForEveryOrigin = false
    }
}

/// A media type as used in `Content-Type`.
package struct ContentType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// RFC 8216 §4.
    package static let playlist = ContentType(rawValue: "application/vnd.apple.mpegurl")
    package static let videoMP4 = ContentType(rawValue: "video/mp4")
    package static let audioMP4 = ContentType(rawValue: "audio/mp4")
    package static let webVTT = ContentType(rawValue: "text/vtt")
    /// Prometheus text-based exposition format.
    package static let metrics = ContentType(rawValue: "text/plain; version=0.0.4; charset=utf-8")
    package static let text = ContentType(rawValue: "text/plain; charset=utf-8")
}

/// How clients may cache a resource (RFC 9111 §5.2.2).
package enum CachePolicy: Hashable, Sendable {
    /// For content that may change: clients revalidate cached copies, and get a 304 response while a copy is current.
    case revalidate
    /// For media. A segment never changes under its URL, so it could be cached forever. But a browser would then write
    /// whole media files to the user's disk just to avoid a copy over loopback, so caching is disabled.
    case transient

    var headerValue: String {
        switch self {
        case .revalidate: "no-cache"
        case .transient: "no-store"
        }
    }
}
