// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// The reason why a source cannot be read.
package struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The server refuses with this status; new credentials or a new URL may help.
        case refused(Int)
        /// The server refuses with this status, and the signature in the URL has expired.
        case expired(Int)
        case notFound(Int)
        /// The server was overloaded for too long; its last status.
        case busy(Int)
        /// Too many attempts got no response or a truncated one.
        case lost
        /// The length or the entity tag of the resource has changed.
        case changed
        /// The server ignores ranges, and the requested bytes are no longer kept.
        case notSeekable
        /// The server ignores ranges, and its response broke off where it cannot be continued.
        case cannotContinue
        /// The response is invalid, e.g. it has a range that was not requested, a contradictory length or an encoding.
        case invalid(RangeResponse.Fault)
        /// The head of the response is longer than its limit.
        case longHead
        case redirect(RedirectPolicy.Refusal)
        case address(AddressPolicy.Refusal)
        /// The setting `network` forbids the host.
        case setting
        case certificate(TransferFault.CertificateFault)
        /// The key of an SFTP server is not known, or differs from the known one.
        case hostKey(HostKeyFault)
        /// The server does not accept the user name and the password or key.
        case login
        /// The server does not let the user read the file.
        case denied
        case missing
        case folder
        case proxy
        /// The helper reports that the source cannot be read.
        case unreadable
        /// The helper broke the source protocol.
        case violation
        /// The request cannot be sent, e.g. because a file named in the settings is missing.
        case settings
        /// The reader's owner interrupted the read.
        case interrupted
    }

    package let kind: Kind
    /// The request and the response as text, without credentials.
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// Whether a later attempt may succeed without any change by a client.
    var mayPass: Bool {
        switch kind {
        case .lost, .busy, .proxy: true
        default: false
        }
    }

    /// Whether a source may be there later: after a failure that may pass, and if a file server does not find the file,
    /// as while one of its disks is not mounted.
    var mayReturn: Bool { mayPass || kind == .missing }

    package var description: String { detail.isEmpty ? "\(kind)" : "\(kind): \(detail)" }
}

extension EngineError {
    /// - Parameter path: the URL for messages.
    package init(_ failure: SourceFailure, _ path: String) {
        let (code, problem): (Code, String) =
            switch failure.kind {
            case .refused(407): (.sourceRefused, "was refused by the proxy, which demands a login (status 407)")
            case .refused(let status): (.sourceRefused, "was refused by its server with status \(status)")
            case .expired(let status):
                (.sourceRefused, "was refused by its server with status \(status), because the signed URL has expired")
            case .notFound(let status): (.sourceNotFound, "was not found: its server returned status \(status)")
            case .busy(let status):
                (.sourceUnreachable, "could not be fetched: its server was overloaded for too long (status \(status))")
            case .lost: (.sourceUnreachable, "could not be fetched")
            case .changed: (.sourceChanged, "was changed while it was in use")
            case .notSeekable: (.sourceNotReadable, "can only be read forward: its server does not support ranges")
            case .cannotContinue:
                (.sourceUnreachable, "broke off and cannot be continued: its server does not support ranges")
            case .invalid(let fault): (.sourceNotReadable, "could not be fetched: \(fault)")
            case .longHead: (.sourceNotReadable, "could not be fetched: its server sent a header that is too long")
            case .redirect(let refusal): (.sourceNotReadable, "was not fetched: \(refusal)")
            case .address(let refusal): (.sourceAccessDenied, "was not fetched: \(refusal)")
            case .setting: (.sourceAccessDenied, "was not fetched: the network setting forbids the host")
            case .certificate(let fault):
                (.sourceUnreachable, "was not fetched: the certificate of its server \(fault.problem)")
            case .hostKey(let fault): (.sourceUnreachable, "was not fetched: \(fault)")
            case .login: (.sourceAccessDenied, "was not fetched: its server refused the login")
            case .denied: (.sourceAccessDenied, "was not fetched: its server does not let the user read it")
            case .missing: (.sourceNotFound, "was not found by its server")
            case .folder: (.sourceNotReadable, "is a folder")
            case .proxy: (.sourceUnreachable, "could not be fetched: the proxy failed")
            case .unreadable: (.sourceNotReadable, "cannot be read")
            case .violation: (.sourceNotReadable, "cannot be read: its helper broke the source protocol")
            case .settings: (.invalidArgument, "cannot be requested")
            case .interrupted: (.cancelled, "was being read when the reader was interrupted")
            }
        self.init(code, "\(path) \(problem)", cause: failure.detail)
    }
}

extension SourceFailure.Kind {
    /// The failure of a source after a fault that would recur in every further attempt. `nil` for all other faults.
    init?(_ fault: TransferFault) {
        switch fault {
        case .certificate(let fault): self = .certificate(fault)
        case .request: self = .settings
        case .proxyRefused(407): self = .refused(407)
        case .proxyRefused: self = .proxy
        case .longHead: self = .longHead
        case .hostKey(let fault): self = .hostKey(fault)
        case .login: self = .login
        case .denied: self = .denied
        case .missing: self = .missing
        case .folder: self = .folder
        case .ranges: self = .notSeekable
        case .pastEnd: self = .changed
        case .name, .connection, .interrupted, .security, .proxy, .response, .encoding: return nil
        }
    }
}

extension SourceFailure.Kind {
    init(_ kind: SourceRefusal.Kind) {
        switch kind {
        case .notFound: self = .missing
        case .accessDenied: self = .denied
        case .changed: self = .changed
        case .notReadable: self = .unreadable
        case .unreachable: self = .lost
        case .violation: self = .violation
        }
    }
}

extension HostKeyFault: CustomStringConvertible {
    package var description: String {
        isChanged
            ? "its server has another key than the one in \(knownHosts): \(type) \(fingerprint)"
            : "the key of its server is not in \(knownHosts): \(type) \(fingerprint)"
    }
}

extension TransferFault.CertificateFault {
    fileprivate var problem: String {
        switch self {
        case .expired: "has expired"
        case .notYetValid: "is not valid yet"
        case .selfSigned: "is self-signed"
        case .unknownIssuer: "comes from an unknown issuer"
        case .wrongHost: "is for another host"
        case .revoked: "was revoked"
        case .other: "is not valid"
        }
    }
}

extension RangeResponse.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .encoded(let encoding): "the server sent it with the encoding \(encoding), which was not accepted"
        case .noContentRange: "the server sent a part of it without a valid Content-Range"
        case .otherRange(let field): "the server sent another range than the requested one (\(field))"
        case .lengths: "Content-Length and Content-Range of the response contradict each other"
        case .status(let status): "the server answered a GET with status \(status)"
        }
    }
}

extension RedirectPolicy.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooMany: "its server redirects more than \(RedirectPolicy.limit) times"
        case .loop(let url): "its server redirects in a loop, to \(url)"
        case .insecure(let url): "its server redirects from https to \(url)"
        case .scheme(let scheme): "its server redirects to a URL with the scheme \(scheme)"
        case .noLocation: "its server redirects without a valid Location"
        }
    }
}

extension AddressPolicy.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "the address of its server is malformed"
        case .forbidden: "the engine never connects to the address of its server"
        case .ownServer: "its address is that of this engine"
        case .descends(let from, let to): "a \(from) server leads to a \(to) address"
        }
    }
}
