// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What the server serves. It knows tokens and resources; the server knows HTTP.
///
/// Thread-safety: safe. Called from the server's thread and from tasks of the cooperative pool.
package protocol LoopbackProvider: Sendable {
    /// Whether `token`, the first component of a request's path, names a live session.
    ///
    /// Called on the server's only thread for every request: it must be cheap, must not block, and must compare in
    /// constant time, so that a guess learns nothing from how long it took.
    func isValid(token: String) -> Bool

    /// The resource at `path`, which is what follows the token and its slash. `query` is what follows the question mark.
    ///
    /// May wait for the resource to be made. The task is cancelled when the client goes away, when the server stops,
    /// and when `LoopbackConfiguration.holdLimit` has passed; an answer that comes after that is dropped.
    func resource(token: String, path: String, query: String) async -> LoopbackResource

    /// What is counted, in the Prometheus text format; the server's own counters are given.
    func metrics(_ counters: ServeCounters) async -> String
}

/// What a provider has at a path.
package enum LoopbackResource: Sendable {
    case found(LoopbackContent)
    /// There is no such resource and there never will be.
    case notFound
    /// It will exist, but not yet: 503, never 404, which players take as final.
    case notReady(retryAfterSeconds: Int)
    /// Making it failed.
    case failed(EngineError)
    /// Its session ended while the request was held.
    case gone
}

/// A resource that can be sent.
package struct LoopbackContent: Sendable {
    package var body: ByteBody
    package var contentType: ContentType
    /// The entity tag without its quotes: the same string for the same bytes, always. `nil`: the resource has none.
    package var etag: String?
    package var cachePolicy: CachePolicy
    /// Whether pages of any site may read it: what lies below a token may, because the token is the permission.
    package var isForEveryOrigin = true

    package init(body: ByteBody, contentType: ContentType, etag: String?, cachePolicy: CachePolicy) {
        self.body = body
        self.contentType = contentType
        self.etag = etag
        self.cachePolicy = cachePolicy
    }
}

extension LoopbackContent {
    /// For this machine's tools, not for web pages.
    init(metrics text: String) {
        self.init(body: ByteBody(Array(text.utf8)), contentType: .metrics, etag: nil, cachePolicy: .transient)
        isForEveryOrigin = false
    }
}

/// A media type as `Content-Type` carries it.
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

/// What a client may keep (RFC 9111 §5.2.2).
package enum CachePolicy: Hashable, Sendable {
    /// For what may still change: a kept copy is asked about each time, and answered with 304 while it is current.
    case revalidate
    /// For media. A segment never changes under its URL, so it could be kept for ever; but a browser that keeps it
    /// writes whole films to the user's disk to save a copy over loopback, so it is told not to.
    case transient

    var headerValue: String {
        switch self {
        case .revalidate: "no-cache"
        case .transient: "no-store"
        }
    }
}
