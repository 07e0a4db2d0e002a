// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Fetches a whole file from a server, within limits of time and size.
///
/// Not thread-safe: used on one thread, which may block.
struct SidecarFetcher {
    private static let byteLimit = 64 << 20
    private static let redirectLimit = 8
    private static let patience = Duration.seconds(60)

    /// Its headers are sent to the first server only, not to servers that it redirects to. Its credentials and client
    /// certificate are meant for the source's server and are never sent. `network` supplies the connection settings
    /// that `http` leaves open.
    var http: HTTPOptions
    private let network: NetworkSettings
    private let interrupt: InterruptFlag

    init(_ http: HTTPOptions, network: NetworkSettings, interrupt: InterruptFlag) {
        self.http = http
        self.network = network
        self.interrupt = interrupt
    }

    private var settings: ConnectionSettings {
        var settings = ConnectionSettings(http.connection.completed(by: network.connection))
        settings.clientCertificate = nil
        return settings
    }

    /// The body of the response, never empty.
    func bytes(at first: WebAddress) throws(EngineError) -> [UInt8] {
        var connection = HTTPConnection(interrupt: interrupt)
        let deadline = Deadline(in: Self.patience)
        var address = first
        for _ in 0...Self.redirectLimit {
            try network.access.require(address.host, for: address.shown)
            var request = HTTPRequest(url: address.url, byteLimit: Self.byteLimit)
            request.settings = settings
            if address.isSameServer(as: first) { request.headers = http.headers }
            request.timeout = max(.milliseconds(1), deadline.remaining)
            let response: HTTPResponse
            do throws(CurlError) {
                response = try connection.get(request)
            } catch {
                throw Self.failure(error, address)
            }
            guard let redirect = response.redirect, (300..<400).contains(response.status) else {
                return try Self.body(of: response, address)
            }
            address = try Self.next(redirect, from: address)
        }
        throw EngineError(
            .sourceNotReadable,
            "\(first.shown) redirects more than \(Self.redirectLimit) times"
        )
    }

    private static func next(_ redirect: String, from address: WebAddress) throws(EngineError) -> WebAddress {
        guard let next = WebAddress(redirect) else {
            throw EngineError(.sourceNotReadable, "\(address.shown) redirects to something other than an HTTP URL")
        }
        guard address.scheme == next.scheme || next.scheme == "https" else {
            throw EngineError(.sourceNotReadable, "\(address.shown) redirects from https to http", cause: next.shown)
        }
        return next
    }

    private static func body(of response: HTTPResponse, _ address: WebAddress) throws(EngineError) -> [UInt8] {
        let text = "\(address.shown) returned HTTP status \(response.status)"
        switch response.status {
        case 200..<300:
            guard !response.body.isEmpty else { throw EngineError(.sourceEmpty, "\(address.shown) is empty") }
            return response.body
        case 404, 410: throw EngineError(.sourceNotFound, text)
        case 401, 403, 407: throw EngineError(.sourceAccessDenied, text)
        case 400..<500 where response.status != 408 && response.status != 429:
            throw EngineError(.sourceNotReadable, text)
        default: throw EngineError(.sourceReadFailed, text)
        }
    }

    private static func failure(_ error: CurlError, _ address: WebAddress) -> EngineError {
        let cause = "\(error)"
        if error.isInterruption {
            return EngineError(.cancelled, "fetching \(address.shown) was cancelled", cause: cause)
        }
        if error.isTooLarge {
            let limit = byteLimit >> 20
            return EngineError(.resourceExhausted, "\(address.shown) has more than \(limit) MiB", cause: cause)
        }
        if error.isMalformedURL {
            return EngineError(.invalidArgument, "\(address.shown) is not a valid URL", cause: cause)
        }
        let what = error.isTimeout ? "timed out" : "could not be fetched"
        return EngineError(.sourceReadFailed, "\(address.shown) \(what)", cause: cause)
    }
}
