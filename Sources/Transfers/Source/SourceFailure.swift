// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Why a source cannot be read.
package struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The server refuses with this status; new credentials or a new URL may help.
        case refused(Int)
        case notFound(Int)
        /// The server was overloaded for too long: its last status.
        case busy(Int)
        /// Too many attempts got no response or a truncated one.
        case lost
        /// The length or the entity tag of the resource has changed.
        case changed
        /// The server ignores ranges, and the single response is already past the requested bytes.
        case notSeekable
        /// The response is invalid, e.g. it has another range than requested, a contradictory length or an encoding.
        case invalid(RangeResponse.Fault)
        case redirect(RedirectPolicy.Refusal)
        case address(AddressPolicy.Refusal)
        case certificate(TransferFault.CertificateFault)
        case proxy
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

    package var description: String { detail.isEmpty ? "\(kind)" : "\(kind): \(detail)" }
}

/// Counters of a source since it was created.
package struct SourceStatistics: Sendable {
    package var requests = 0
    package var retries = 0
    /// How often no bytes were received for `StallLimits.quiet`.
    package var silences = 0
    package var bytesReceived: Int64 = 0
    package var bytesRead: Int64 = 0
    /// The time from sending a request to the first byte of its response, for the last response.
    package var roundTrip = Duration.zero
    /// Bytes per second: means with half-lives of 3 s and 9 s.
    package var bandwidth: (fast: Double, slow: Double)?
}

/// Why readers are waiting now.
package enum WaitReason: Hashable, Sendable {
    /// The connection delivers no bytes.
    case quiet
    /// The last request failed and will be retried. With the status, if there was a response.
    case retrying(status: Int?)
}
