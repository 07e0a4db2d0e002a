// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// An open source, and the URL and HTTP options from which it is fetched since a refresh.
struct RefreshedSource: Sendable {
    let source: any ByteSource
    let url: String
    let http: HTTPOptions
}

/// The source and HTTP options that refreshes have put in place of those in the load request of a session.
///
/// Belongs to the session's actor.
final class SessionRefreshes {
    private let sources: SourceOpener
    /// The refreshes that wait for their server.
    private var running: [InterruptFlag] = []
    private var isStopped = false
    private var latest: (url: String, http: HTTPOptions)?

    init(_ sources: SourceOpener) { self.sources = sources }

    /// The request with the URL and options that are in use now.
    func applied(to request: LoadRequest) -> LoadRequest {
        guard let latest else { return request }
        var request = request
        (request.source, request.http) = latest
        return request
    }

    /// A source of the session as the latest refresh has left it. `nil` if there was none.
    func refreshed(_ source: any ByteSource) -> RefreshedSource? {
        latest.map { RefreshedSource(source: source, url: $0.url, http: $0.http) }
    }

    /// Changes the URL, header fields or connection options with which a source is fetched from now on, once its server
    /// has not contradicted.
    ///
    /// - Parameters:
    ///   - request: the load request of the session.
    ///   - interrupt: ends the wait for the server. The source then stays what it was.
    func refresh(
        _ source: any ByteSource,
        _ request: LoadRequest,
        by change: SourceRefresh,
        _ interrupt: InterruptFlag
    ) async throws(EngineError) {
        let next = applied(to: request).changed(by: change)
        running.append(interrupt)
        defer { running.removeAll { $0 === interrupt } }
        if isStopped { interrupt.raise() }
        try await sources.refreshElsewhere(source, from: next.source, next.http, interrupt: interrupt)
        latest = (next.source, next.http)
    }

    /// Follows the refresh of another session's source.
    ///
    /// - Returns: whether it applies to `source`.
    func follow(_ other: RefreshedSource, _ source: any ByteSource) -> Bool {
        guard sources.follow(source, refreshOf: other.source, other.http) else { return false }
        latest = (other.url, other.http)
        return true
    }

    /// The request for another attempt to open a source, from another URL or with other options.
    ///
    /// - Parameter request: the load request of the session.
    func reopening(_ request: LoadRequest, by change: SourceRefresh) throws(EngineError) -> LoadRequest {
        let current = applied(to: request)
        let next = current.changed(by: change)
        try sources.checkRefresh(of: current.source, from: next.source)
        return next
    }

    /// The session is about to end: no server is waited for any more.
    func stop() {
        isStopped = true
        for interrupt in running { interrupt.raise() }
    }
}

extension LoadRequest {
    /// This request with another URL or other HTTP options.
    fileprivate func changed(by change: SourceRefresh) -> Self {
        var request = self
        request.source = change.url ?? source
        request.http.headers = change.headers ?? http.headers
        request.http.connection = change.connection ?? http.connection
        return request
    }
}
