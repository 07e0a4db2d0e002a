// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The requested part of a resource (RFC 9110 §14.2).
package enum RequestedRange: Hashable, Sendable {
    /// The whole resource, without a `Range` field.
    case whole
    /// `bytes=first-`
    case from(Int64)
    /// `bytes=first-last`. Must not be empty.
    case bytes(Range<Int64>)
    /// `bytes=-count`: the last bytes.
    case last(Int64)

    /// The value of the `Range` field.
    package var field: String? {
        switch self {
        case .whole: nil
        case .from(let first): "bytes=\(first)-"
        case .bytes(let range): "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        case .last(let count): "bytes=-\(count)"
        }
    }
}

/// The settings of a connection to a server. libcurl lets transfers share a connection only if proxy and certificates
/// are the same.
package struct ConnectionSettings: Hashable, Sendable {
    package var proxy = HTTPProxy.none
    /// The PEM file with the trusted CA certificates. `nil` means the system's.
    package var authorities: String?
    package var clientCertificate: HTTPClientCertificate?
    package var userAgent = "engined"
    /// The time limit for name resolution, TCP connection and TLS handshake together.
    package var connectTimeout = Duration.seconds(10)
    /// For SFTP.
    package var secureShell = SecureShellSettings()

    package init() {}

    /// The settings of `options`, with defaults for those that are `nil`.
    package init(_ options: HTTPConnectionOptions) {
        if let proxy = options.proxy { self.proxy = proxy }
        authorities = options.authorities
        clientCertificate = options.clientCertificate
        if let userAgent = options.userAgent { self.userAgent = userAgent }
        if let connectTimeout = options.connectTimeout { self.connectTimeout = connectTimeout }
    }
}

/// A request for a resource: an HTTP GET, whose redirects are not followed, or a file on an SFTP or FTP server. Header
/// fields, `validator`, `protocols`, `encoding` and `cookies` apply to HTTP only. Instead of a resource, the members of
/// a folder may be requested.
package struct TransferRequest: Sendable {
    package enum Protocols: Hashable, Sendable {
        /// HTTP/1.1: cancelling a transfer closes its connection.
        case http1
        /// HTTP/2 if the server offers it over TLS: for small resources that are never cancelled.
        case http2
    }

    package enum Encoding: Hashable, Sendable {
        /// Requests the unencoded body. The body is delivered as received.
        case identity
        /// Accepts every encoding that libcurl decodes. The byte limit applies to the decoded body.
        case decoded
    }

    package var url: ResourceURL
    /// Whether to list the folder that `url` names, which ends in a slash. An HTTP server gets a PROPFIND for the types
    /// of its members (RFC 4918 §9.1); SFTP and FTP servers send only names, one in each line. `range` must be `whole`.
    package var isListing = false
    /// Whether an SFTP or FTP server is asked only for the length and the time of the file, not for bytes. `range` must
    /// be `whole`.
    package var isExamination = false
    package var range = RequestedRange.whole
    /// The strong validator that a partial response must match (`If-Range`).
    package var validator: String?
    package var headers: [HTTPHeader] = []
    /// These override the credentials in the URL.
    package var credentials: HTTPCredentials?
    package var settings = ConnectionSettings()
    package var protocols = Protocols.http1
    package var encoding = Encoding.identity
    /// The length of the whole file, if an earlier transfer has found it. For SFTP, an unknown length is first
    /// requested from the server; with other protocols, the server states it in each transfer.
    package var fileByteCount: Int64?
    /// A longer body ends the transfer with `tooLong`.
    package var byteLimit: Int64
    package var cookies: CookieJar?

    package init(_ url: ResourceURL, byteLimit: Int64) {
        self.url = url
        self.byteLimit = byteLimit
    }
}

extension TransferRequest: CustomStringConvertible {
    /// The request as shown in messages: without credentials and query.
    package var description: String {
        let method =
            switch (url.scheme.isHTTP, isListing) {
            case (true, true): "PROPFIND"
            case (true, false): "GET"
            case (false, true): "list"
            case (false, false): "read"
            }
        return "\(method) \(url.shown)" + (range.field.map { " (\($0))" } ?? "")
    }
}

/// The status and the header fields of a response.
package struct ResponseHead: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        /// In lower case.
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    package let status: Int
    package let fields: [Field]

    package init(status: Int, fields: [Field]) {
        self.status = status
        self.fields = fields
    }

    /// The value of the fields with this name (in lower case). `nil` if there is none or their values differ.
    package subscript(name: String) -> String? {
        let values = Set(fields.lazy.filter { $0.name == name }.map(\.value))
        return values.count == 1 ? values.first : nil
    }

    package func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}

/// The properties of a file that its server states before sending its bytes. SFTP and FTP have no status and no header
/// fields: a failure is an error of the transfer.
package struct FileAnswer: Hashable, Sendable {
    /// The length of the whole file; `nil` if the server does not state it.
    package let byteCount: Int64?
    /// The modification time of the file, in seconds since 1970; `nil` if the server does not state it.
    package let modified: Int64?

    package init(byteCount: Int64?, modified: Int64?) {
        self.byteCount = byteCount
        self.modified = modified
    }
}

/// The other end of a connection.
package struct TransferPeer: Hashable, Sendable {
    package let address: String
    package let port: Int
    /// The address of this machine's end of the connection. Empty before the connection is opened.
    package let localAddress: String
    /// Whether it is the proxy of a request. The address of the server behind it is not known.
    package let isProxy: Bool

    package init(_ address: String, port: Int, localAddress: String = "", isProxy: Bool = false) {
        self.address = address
        self.port = port
        self.localAddress = localAddress
        self.isProxy = isProxy
    }
}

/// The properties of a resource that the server states before its bytes, in the terms of its protocol.
package enum TransferHead: Hashable, Sendable {
    case http(ResponseHead)
    case file(FileAnswer)
}

/// Receives the response of a transfer. Called on the transfer thread, which implementations must not block.
package protocol TransferReceiver: AnyObject, Sendable {
    /// The head was received. Called at most once, before any byte of the body.
    ///
    /// - Returns: whether the body is needed; if not, the transfer ends with `declined`.
    func began(_ head: TransferHead) -> Bool

    /// Whether there is room for the next bytes. If not, the transfer is paused: nothing is read from its connection
    /// until it is resumed.
    func hasRoom() -> Bool

    /// The next bytes of the body, which are valid only during the call.
    ///
    /// - Returns: whether more bytes are needed; if not, the transfer ends with `declined`.
    func received(_ bytes: RawSpan) -> Bool
}

extension TransferReceiver {
    package func hasRoom() -> Bool { true }
}

/// The reason why a transfer ended.
package enum TransferEnd: Hashable, Sendable {
    /// The whole body was delivered, with any status.
    case complete
    case cancelled
    /// The receiver needs no more bytes.
    case declined
    /// The body exceeds its limit.
    case tooLong
    /// The address of the server or the proxy is not allowed. Neither a login nor a request was sent to it.
    case refusedAddress(String)
    /// No bytes were received for the caller's time limit.
    case stalled
    /// Fewer bytes were received within a period than the caller requires.
    case tooSlow
    case failed(CurlError)
    /// The helper that reads the source reports a problem, or has broken the protocol.
    case refused(SourceRefusal)
}

/// The reason why the helper of a source delivers nothing.
package struct SourceRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        case notFound, accessDenied, changed, notReadable
        /// No server answers, or reading failed; a later attempt may succeed.
        case unreachable
        /// The other end violates the source protocol (docs/sources.md).
        case violation
    }

    package let kind: Kind
    /// The attempted operation and its result, without credentials.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Facts about an ended transfer.
package struct TransferFacts: Hashable, Sendable {
    /// The head of an HTTP response. `nil` if the transfer ended before it, and for other protocols.
    package var head: ResponseHead?
    /// The number of body bytes delivered.
    package var byteCount: Int64 = 0
    /// The address of the peer or the proxy; empty if there was no connection.
    package var address = ""
    package var isNewConnection = false
    /// The time from the start until the connection is ready, including TLS; zero for a reused connection.
    package var connectTime = Duration.zero
    /// The time from sending the request to the first byte of the response.
    package var timeToFirstByte = Duration.zero
    package var totalTime = Duration.zero

    package init() {}
}
