// SPDX-License-Identifier: Apache-2.0

internal import CAlsa

/// An alsa-lib error, and the call that failed.
package struct AlsaError: Error, Hashable, Sendable {
    /// A negative `errno`.
    package let code: CInt
    package let function: String
    /// alsa-lib's message about the failure; often empty.
    package let detail: String

    init(_ code: CInt, in function: String, detail: String = "") {
        self.code = code
        self.function = function
        self.detail = detail
    }

    /// Returns `status`, or throws it as an error if it is negative.
    @discardableResult
    static func check(_ status: CInt, _ function: String) throws(AlsaError) -> CInt {
        let detail = AlsaMessages.take()
        guard status < 0 else { return status }
        throw AlsaError(status, in: function, detail: detail)
    }
}

extension AlsaError: CustomStringConvertible {
    package var description: String {
        let text = unsafe snd_strerror(code).map { unsafe String(cString: $0) } ?? ""
        return "\(function): \(text) (\(code))" + (detail.isEmpty ? "" : ", \(detail)")
    }
}
