// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The reason why a transfer ended without a complete response (`CURLcode`).
package struct CurlError: Error, Hashable, Sendable {
    package let code: UInt32
    /// libcurl's message for this error (`CURLOPT_ERRORBUFFER`). May be empty.
    package let detail: String

    /// OpenSSL's result for the peer's certificate (`CURLINFO_SSL_VERIFYRESULT`); 0 if it reports no error.
    package let verification: Int

    /// A cause that libcurl's code does not express.
    let finding: CurlFinding?

    init(_ code: CURLcode, detail: String, verification: Int = 0, finding: CurlFinding? = nil) {
        self.code = UInt32(code.rawValue)
        // The rest of this message is the URL of the proxy, which may have a password.
        self.detail =
            detail.hasPrefix("Unsupported proxy") ? "the URL of the proxy is malformed or not supported" : detail
        self.verification = verification
        self.finding = finding
    }
}

extension CURLcode {
    /// `CURLE_TOO_LARGE`, which the headers of libcurl declare since version 8.6.
    static let tooLarge = CURLcode(rawValue: 100)
}

/// A problem with a response, with a file, or with the server of a file.
enum CurlFinding: Hashable, Sendable {
    /// The head of the response is longer than libcurl or the engine accepts.
    case longHead
    case hostKey(HostKeyFault)
    /// The file is a folder.
    case folder
    /// The file exists, but cannot be read.
    case denied
}

/// An SFTP server's key that was not accepted.
package struct HostKeyFault: Hashable, Sendable {
    /// Whether a different key is known for the host. If not, no key of this type is known.
    package let isChanged: Bool
    /// The type of the key as OpenSSH names it, e.g. `ssh-ed25519`.
    package let type: String
    /// As OpenSSH shows it: `SHA256:` and base64.
    package let fingerprint: String
    /// The file with the known keys.
    package let knownHosts: String

    package init(isChanged: Bool, type: String, fingerprint: String, knownHosts: String) {
        self.isChanged = isChanged
        self.type = type
        self.fingerprint = fingerprint
        self.knownHosts = knownHosts
    }
}

/// The cause of a failed transfer, by how callers handle it.
package enum TransferFault: Hashable, Sendable {
    /// The host name was not resolved.
    case name
    /// No connection, or not within the time limit.
    case connection
    /// The connection ended before the response did.
    case interrupted
    case certificate(CertificateFault)
    /// TLS failed for another reason.
    case security
    /// The proxy was not reached, or failed.
    case proxy
    /// The proxy refuses to connect to the server, with this status.
    case proxyRefused(Int)
    /// The response is not valid HTTP.
    case response
    /// The head of the response is longer than its limit.
    case longHead
    case encoding
    /// The request cannot be sent: the URL is malformed, or a file named in the settings is missing or invalid.
    case request
    case hostKey(HostKeyFault)
    /// The server rejects the user name, the password or the key.
    case login
    /// The user may not read the file.
    case denied
    /// There is no such file.
    case missing
    /// The resource is a folder.
    case folder
    /// The server sends files from their beginning only.
    case ranges
    /// The file ends before the range: it is shorter than its server said.
    case pastEnd

    package enum CertificateFault: Hashable, Sendable {
        case expired, notYetValid, selfSigned, unknownIssuer, wrongHost, revoked, other
    }
}

extension CurlError {
    package var fault: TransferFault {
        switch finding {
        case .longHead: return .longHead
        case .hostKey(let fault): return .hostKey(fault)
        case .folder: return .folder
        case .denied: return .denied
        case nil: break
        }
        return switch CURLcode(rawValue: code) {
        case CURLE_COULDNT_RESOLVE_HOST: .name
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
        case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_INTERFACE_FAILED: .connection
        case CURLE_PEER_FAILED_VERIFICATION: .certificate(certificateFault)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CLIENTCERT, CURLE_SSL_INVALIDCERTSTATUS: .security
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM: .response
        case CURLE_BAD_CONTENT_ENCODING: .encoding
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN:
            .request
        case CURLE_LOGIN_DENIED: .login
        case CURLE_REMOTE_ACCESS_DENIED: .denied
        case CURLE_REMOTE_FILE_NOT_FOUND: .missing
        case CURLE_FTP_COULDNT_USE_REST: .ranges
        case CURLE_BAD_DOWNLOAD_RESUME: .pastEnd
        case CURLE_USE_SSL_FAILED: .security
        // A proxy that does not answer CONNECT with a tunnel is reported as a failure to receive.
        case CURLE_RECV_ERROR where detail.contains("CONNECT"):
            switch Int(detail.suffix(3)) {
            case let status? where (400..<500).contains(status) && status != 429: .proxyRefused(status)
            default: .proxy
            }
        default: .interrupted
        }
    }

    /// Maps OpenSSL's error numbers (`X509_V_ERR_…`).
    private var certificateFault: TransferFault.CertificateFault {
        // libcurl itself compares the name or address of the host, after OpenSSL has accepted the chain.
        if detail.contains("subject name") { return .wrongHost }
        return switch verification {
        case 0, 62, 64: .wrongHost
        case 9: .notYetValid
        case 10: .expired
        case 18, 19: .selfSigned
        case 2, 20, 21, 27: .unknownIssuer
        case 23: .revoked
        default: .other
        }
    }
}

extension CurlError: CustomStringConvertible {
    package var description: String {
        if finding == .longHead { return "the header of the response is too long" }
        let usual = unsafe String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
        return "libcurl: \(detail.isEmpty ? usual : detail) (\(code))"
    }
}
