// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What a client asks for of a resource (RFC 9110 §14.2).
package enum RequestedRange: Hashable, Sendable {
    /// All of it, without a `Range` field.
    case whole
    /// `bytes=first-`
    case from(Int64)
    /// `bytes=first-last`. Empty ranges cannot be asked for.
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

/// How connections of a source are made. Connections are shared among transfers with equal settings only.
package struct ConnectionSettings: Hashable, Sendable {
    package enum Proxy: Hashable, Sendable {
        case none
        /// A URL with one of libcurl's schemes: `http`, `https`, `socks4`, `socks4a`, `socks5`, `socks5h`; it may have a
        /// user name and a password.
        case url(String)
        /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
        case environment
    }

    /// Files in PEM format.
    package struct ClientCertificate: Hashable, Sendable {
        package let certificate: String
        package let key: String
        package let passphrase: String?

        package init(certificate: String, key: String, passphrase: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.passphrase = passphrase
        }
    }

    package var proxy = Proxy.none
    /// The file with the certificates of trusted authorities, in PEM format. `nil` means the system's.
    package var authorities: String?
    package var clientCertificate: ClientCertificate?
    package var userAgent = "engined"
    /// The limit for name resolution, connection and TLS together.
    package var connectTimeout = Duration.seconds(10)

    package init() {}
}

/// A GET request. Redirects are not followed.
package struct TransferRequest: Sendable {
    package enum Protocols: Hashable, Sendable {
        /// HTTP/1.1: a cancelled transfer ends with its connection.
        case http1
        /// HTTP/2 where the server offers it over TLS: for small resources, which are never cancelled.
        case http2
    }

    package enum Encoding: Hashable, Sendable {
        /// The body as it is stored. Whatever the server sends is delivered unchanged.
        case identity
        /// Every encoding that libcurl decodes. The limit of bytes counts what is decoded.
        case decoded
    }

    package var url: ResourceURL
    package var range = RequestedRange.whole
    /// The strong validator that a partial response must match (`If-Range`).
    package var validator: String?
    package var headers: [HTTPHeader] = []
    /// In place of those that the URL names.
    package var credentials: HTTPCredentials?
    package var settings = ConnectionSettings()
    package var protocols = Protocols.http1
    package var encoding = Encoding.identity
    /// A longer body ends the transfer as `tooLong`.
    package var byteLimit: Int64
    package var cookies: CookieJar?

    package init(_ url: ResourceURL, byteLimit: Int64) {
        self.url = url
        self.byteLimit = byteLimit
    }

    /// What is asked, for messages: without credentials and query.
    package var description: String {
        "GET \(url.shown)" + (range.field.map { " (\($0))" } ?? "")
    }
}

/// The status line and the fields of a response.
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

    /// The value of the only field with this name, given in lower case. `nil` if there are none or several that differ.
    package subscript(name: String) -> String? {
        let values = Set(fields.lazy.filter { $0.name == name }.map(\.value))
        return values.count == 1 ? values.first : nil
    }

    package func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}

/// Where a transfer delivers. Called on the thread of the transfers, which it must not block.
package protocol TransferReceiver: AnyObject, Sendable {
    /// The response's head is here. Called at most once, before any byte of the body.
    ///
    /// - Returns: whether the body is wanted; if not, the transfer ends as `declined`.
    func began(_ head: ResponseHead) -> Bool

    /// The next bytes of the body, which are valid only during the call.
    ///
    /// - Returns: whether more is wanted; if not, the transfer ends as `declined`.
    func received(_ bytes: RawSpan) -> Bool
}

/// Why a transfer ended.
package enum TransferEnd: Hashable, Sendable {
    /// The whole body was delivered, whatever the status.
    case complete
    case cancelled
    /// The receiver wanted no more.
    case declined
    /// The body, or the head, is longer than the limit.
    case tooLong
    /// The address that was connected may not be asked. Nothing was sent to it.
    case refusedAddress(String)
    /// Nothing came for as long as the caller was willing to wait.
    case stalled
    /// Bytes came, but too few.
    case tooSlow
    case failed(CurlError)
}

/// What libcurl knows of a transfer at its end.
package struct TransferFacts: Hashable, Sendable {
    /// What the server answered. `nil` if the transfer ended before.
    package var head: ResponseHead?
    /// The bytes of the body delivered.
    package var byteCount: Int64 = 0
    /// The address of the peer, or of the proxy; empty if none was connected.
    package var address = ""
    package var isNewConnection = false
    /// From the start to the connection, TLS included; zero if it was there.
    package var connecting = Duration.zero
    /// From the moment at which the request was sent to the response's first byte.
    package var answering = Duration.zero
    package var whole = Duration.zero

    package init() {}
}
