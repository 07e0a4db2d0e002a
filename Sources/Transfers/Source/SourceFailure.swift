// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Why bytes of a source cannot be had.
package struct SourceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The server answers with this status; new credentials or a new URL may help.
        case refused(Int)
        case notFound(Int)
        /// The server said "not now" for too long.
        case busy(Int)
        /// No response for too many attempts, or responses that break off.
        case lost
        /// The resource has another length or another tag than before.
        case changed
        /// The server ignores ranges, and the bytes asked for have passed.
        case notSeekable
        /// The response breaks the rules of HTTP: another range than asked for, a length that lies, an encoding.
        case wrong(RangeResponse.Fault)
        case redirect(RedirectPolicy.Refusal)
        case address(AddressPolicy.Refusal)
        case certificate(TransferFault.CertificateFault)
        case proxy
        /// The request cannot be made: a file of the settings is missing.
        case settings
        /// The read was interrupted by its owner.
        case interrupted
    }

    package let kind: Kind
    /// What was tried, and on what, and what came back; without secrets.
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package var description: String { detail.isEmpty ? "\(kind)" : "\(kind): \(detail)" }
}

/// What a source has done so far.
package struct SourceStatistics: Sendable {
    package var requests = 0
    package var retries = 0
    /// How often a connection delivered nothing for so long that it was said.
    package var silences = 0
    package var bytesReceived: Int64 = 0
    package var bytesRead: Int64 = 0
    /// The time between a request and its response, of the last response.
    package var roundTrip = Duration.zero
    /// Bytes per second: means with half-lives of 3 s and 9 s.
    package var bandwidth: (fast: Double, slow: Double)?
}

/// Why readers wait at the moment.
package enum SourceTrouble: Hashable, Sendable {
    /// The connection delivers nothing.
    case quiet
    /// The last request failed, and the next one waits. With the status, if there was a response.
    case retrying(status: Int?)
}
