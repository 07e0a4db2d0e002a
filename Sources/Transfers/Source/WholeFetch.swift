// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

extension HTTPSources {
    /// The time limit for fetching a whole resource, including its redirects.
    private static let wholePatience = Duration.seconds(60)
    /// A request ends after the server has been silent for this long, unless an option sets another limit.
    private static let wholeStall = Duration.seconds(10)

    /// Fetches a whole small resource, without retries. The rules for the addresses and redirects of sources apply, and
    /// those for the credentials in URLs and in the credential file. Blocks.
    ///
    /// - Parameters:
    ///   - http: its header fields and its credentials go to the origin of `url` only.
    ///   - source: the source for whose server the login and the client certificate are meant. They are sent if `url`
    ///     is on that server (scheme, host and port), the login only if `url` does not name another one.
    ///   - byteLimit: the limit of the body in bytes, also after decompression.
    ///   - interrupt: ends the wait for the server.
    /// - Returns: the body, never empty.
    /// - Throws: the errors with which sources on servers fail; `resourceExhausted` if the body exceeds `byteLimit`;
    ///   `cancelled` after an interrupt.
    package func fetchWhole(
        _ url: ResourceURL,
        _ http: HTTPOptions,
        meantFor source: ResourceURL? = nil,
        byteLimit: Int64,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        let owner = source.flatMap { $0.schemeName == url.schemeName && $0.origin == url.origin ? $0 : nil }
        var sent = http
        sent.connection.credentials = nil
        if let owner, url.credentials == nil || url.credentials == owner.credentials {
            let login = http.connection.credentials
            sent.connection.credentials = if let login { login } else { try credentials(of: owner) }
        }
        var request = try request(url, sent)
        if owner == nil { request.settings.clientCertificate = nil }
        request.byteLimit = byteLimit
        request.encoding = .decoded
        let carrier = try carrier(for: url)
        return try makeFetch(http, access: access(to: url), interrupt: interrupt).body(of: request, by: carrier)
    }

    /// Fetches the whole resource of a source whose server encodes it although it was asked not to
    /// (`HTTPSource.isEncoded`), and decodes it. Blocks.
    ///
    /// - Parameter byteLimit: the limit of the decoded body.
    /// - Throws: as `fetchWhole`.
    package func fetchDecoded(
        _ source: HTTPSource,
        byteLimit: Int,
        interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        var request = source.currentRequest
        (request.range, request.validator, request.encoding) = (.whole, nil, .decoded)
        request.byteLimit = Int64(byteLimit)
        let fetch = makeFetch(
            HTTPOptions(),
            access: access(to: request.url),
            ledBy: source.scope,
            interrupt: interrupt
        )
        return try fetch.body(of: request, by: try carrier(for: request.url))
    }

    /// - Parameters:
    ///   - access: the hosts to which requests may be sent; `nil` for those of the settings.
    ///   - scope: the widest scope of the source to which the resource belongs; `forbidden` if there is none.
    ///   - patience: the time limit for all requests together.
    func makeFetch(
        _ http: HTTPOptions,
        access: NetworkAccess? = nil,
        ledBy scope: AddressScope = .forbidden,
        patience: Duration = wholePatience,
        interrupt: InterruptFlag
    ) -> WholeFetch {
        let connection = http.connection.completed(by: network.connection)
        return WholeFetch(
            access ?? network.access,
            AddressPolicy(ownPorts: ownPorts, ledBy: scope),
            stallLimits: .proportional(to: min(connection.stallTimeout ?? Self.wholeStall, patience)),
            deadline: Deadline(in: patience),
            interrupt
        )
    }
}

/// Receives the responses to the requests for one resource, one after the other.
///
/// Thread-safety: safe, except that only one thread may call `get` or `body`.
final class WholeFetch: TransferClient {
    private struct State {
        var addresses: AddressPolicy
        var refusal: AddressPolicy.Refusal?
        var byteLimit: Int64 = 0
        var head: TransferHead?
        var body: [UInt8] = []
        var isTooLong = false
        var report: TransferReport?
    }

    private let access: NetworkAccess
    private let state: Locked<State>
    private let stallLimits: StallLimits
    private let deadline: Deadline
    private let interrupt: InterruptFlag
    private let wake = WakeSignal()

    init(
        _ access: NetworkAccess,
        _ addresses: AddressPolicy,
        stallLimits: StallLimits,
        deadline: Deadline,
        _ interrupt: InterruptFlag
    ) {
        self.access = access
        state = Locked(State(addresses: addresses))
        self.stallLimits = stallLimits
        self.deadline = deadline
        self.interrupt = interrupt
    }

    /// Why the helper of a source has refused the last request. `nil` if it has not.
    var refusedByHelper: SourceRefusal.Kind? {
        guard case .refused(let refusal) = state.withLock(\.report)?.end else { return nil }
        return refusal.kind
    }

    /// Fetches a resource, following redirects.
    ///
    /// - Parameters:
    ///   - carrier: carries the requests.
    ///   - isUrgent: whether the requests are queued before others to the same server.
    /// - Returns: the body, never empty.
    func body(
        of request: TransferRequest,
        by carrier: any TransferCarrier,
        isUrgent: Bool = true
    ) throws(EngineError) -> [UInt8] {
        var route = RedirectPolicy(request.url)
        while true {
            let shown = route.url.shown
            try access.require(route.url.origin.host, for: shown)
            let (head, body) = try get(route.request(request), by: carrier, isUrgent: isUrgent)
            guard case .http(let head) = head, RedirectPolicy.isRedirect(head.status) else {
                if case .http(let head) = head { try Self.require(head.status, shown) }
                if body.isEmpty { throw EngineError(.sourceEmpty, "\(shown) is empty") }
                return body
            }
            do throws(RedirectPolicy.Refusal) {
                try route.follow(head)
            } catch {
                throw EngineError(SourceFailure(.redirect(error), ""), shown)
            }
        }
    }

    /// - Parameter shown: what was requested, for the message.
    /// - Throws: for a status other than that of a success (2xx).
    static func require(_ status: Int, _ shown: String) throws(EngineError) {
        let text = "\(shown) returned HTTP status \(status)"
        switch status {
        case 200..<300: return
        case 404, 410: throw EngineError(.sourceNotFound, text)
        case 401, 403, 407: throw EngineError(.sourceAccessDenied, text)
        case 400..<500 where status != 408 && status != 429: throw EngineError(.sourceNotReadable, text)
        default: throw EngineError(.sourceReadFailed, text)
        }
    }

    /// Sends one request, and waits for the whole response.
    func get(
        _ request: TransferRequest,
        by carrier: any TransferCarrier,
        isUrgent: Bool
    ) throws(EngineError) -> (TransferHead, body: [UInt8]) {
        assert(isBlockingThread, "a resource was fetched on a thread that must not block")
        let shown = request.url.shown
        let refusal = state.withLock { state in
            state = State(addresses: state.addresses, byteLimit: request.byteLimit)
            return state.addresses.judge(request.url)
        }
        if let refusal { throw EngineError(SourceFailure(.address(refusal), ""), shown) }
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        let transfer = carrier.start(request, stallLimits: stallLimits, isUrgent: isUrgent, for: self)
        while true {
            if let report = state.withLock(\.report) { return try response(report, request) }
            if interrupt.isUp || deadline.hasPassed {
                carrier.cancel(transfer)
                if interrupt.isUp { throw EngineError(.cancelled, "fetching \(shown) was cancelled") }
                throw EngineError(.sourceReadFailed, "\(shown) timed out")
            }
            wake.wait(atMost: Int64(deadline.remaining / .nanoseconds(1)))
        }
    }

    private func response(
        _ report: TransferReport,
        _ request: TransferRequest
    ) throws(EngineError) -> (TransferHead, body: [UInt8]) {
        let shown = request.url.shown
        let state = state.withLock { $0 }
        let tooLong = EngineError(
            .resourceExhausted,
            "\(shown) has more than \(request.byteLimit >> 20) MiB",
            cause: report.description
        )
        if state.isTooLong { throw tooLong }
        switch report.end {
        case .complete, .declined: if let head = state.head { return (head, state.body) }
        default: break
        }
        let kind: SourceFailure.Kind =
            switch report.end {
            case .complete, .declined: .lost
            case .tooLong: throw tooLong
            case .stalled, .tooSlow:
                throw EngineError(.sourceReadFailed, "\(shown) timed out", cause: report.description)
            case .refusedAddress: .address(state.refusal ?? .forbidden)
            case .failed(let error): SourceFailure.Kind(error.fault) ?? (error.fault == .proxy ? .proxy : .lost)
            case .cancelled: .interrupted
            case .refused(let refusal): SourceFailure.Kind(refusal.kind)
            }
        throw EngineError(SourceFailure(kind, report.description), shown)
    }

    // MARK: On the transfer thread

    func allows(_ peer: TransferPeer) -> Bool {
        state.withLock { state in
            state.refusal = state.addresses.judge(peer)
            return state.refusal == nil
        }
    }

    func began(_ head: TransferHead) -> Bool {
        state.withLock { $0.head = head }
        guard case .http(let head) = head else { return true }
        return (200..<300).contains(head.status)
    }

    func received(_ bytes: RawSpan) -> Bool {
        state.withLock { state in
            // A helper may send more than the limit.
            state.isTooLong = Int64(bytes.byteCount) > state.byteLimit - Int64(state.body.count)
            if !state.isTooLong { state.body.append(copying: bytes) }
            return !state.isTooLong
        }
    }

    func wentQuiet() {}

    func ended(_ report: TransferReport) {
        state.withLock { $0.report = report }
        wake.call()
    }
}
