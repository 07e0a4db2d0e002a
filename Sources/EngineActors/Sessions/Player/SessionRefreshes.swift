// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading
internal import Transfers

/// The URL and HTTP options with which refreshes have replaced those in the load request of a session. They are read
/// from the source, so all sessions that share a source use the same ones.
///
/// Belongs to the session's actor.
final class SessionRefreshes {
    private let sources: SourceOpener
    /// The flags of the refreshes that wait for a server.
    private var running: [InterruptFlag] = []
    private var isStopped = false
    /// The URL and options that were last read from the source. They are still needed when the source is gone.
    private var latest: SourceAddress?

    init(_ sources: SourceOpener) { self.sources = sources }

    /// The request with the URL and options that are in use now.
    ///
    /// - Parameter source: the source of the session, also while it is being opened.
    func applied(to request: LoadRequest, _ source: (any ByteSource)?) -> LoadRequest {
        if let now = source.flatMap({ sources.refreshed($0) }) { latest = now }
        guard let latest else { return request }
        var request = request
        (request.source, request.http) = (latest.url, latest.http)
        return request
    }

    /// Changes the URL, header fields or connection options with which a source is fetched from now on. Waits for its
    /// server, which may reject the change.
    ///
    /// - Parameters:
    ///   - request: the load request of the session.
    ///   - interrupt: ends the wait for the server. The source then stays as it was.
    func refresh(
        _ source: any ByteSource,
        _ request: LoadRequest,
        by change: SourceRefresh,
        _ interrupt: InterruptFlag
    ) async throws(EngineError) {
        let next = applied(to: request, source).changed(by: change)
        running.append(interrupt)
        defer { running.removeAll { $0 === interrupt } }
        if isStopped { interrupt.raise() }
        try await sources.refreshWithoutBlocking(source, from: next.source, next.http, interrupt: interrupt)
    }

    /// Follows a refresh that another session has carried out.
    ///
    /// - Parameters:
    ///   - other: the source of that session.
    ///   - source: the source of this session.
    /// - Returns: whether the refresh applies to `source`.
    func follow(_ other: any ByteSource, _ source: any ByteSource) -> Bool {
        guard let target = sources.refreshTarget(of: other), target === sources.refreshTarget(of: source) else {
            return false
        }
        if source !== other { sources.followRefresh(source) }
        return true
    }

    /// The request for another attempt to open a source, from another URL or with other options.
    ///
    /// - Parameter request: the load request of the session.
    func reopening(_ request: LoadRequest, by change: SourceRefresh) throws(EngineError) -> LoadRequest {
        let current = applied(to: request, nil)
        let next = current.changed(by: change)
        try sources.checkRefresh(of: current.source, from: next.source)
        return next
    }

    /// The session is about to end: ends all waits for servers.
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
