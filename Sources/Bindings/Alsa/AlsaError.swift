// SPDX-License-Identifier: Apache-2.0

internal import CAlsa

/// What alsa-lib said, and the call that said it.
package struct AlsaError: Error, Hashable, Sendable {
    /// A negative `errno`.
    package let code: CInt
    package let function: String
    /// What alsa-lib said beside the code; often empty.
    package let detail: String

    init(_ code: CInt, in function: String, detail: String = "") {
        self.code = code
        self.function = function
        self.detail = detail
    }

    /// - Returns: `status`, which is not negative.
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
