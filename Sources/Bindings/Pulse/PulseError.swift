// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// A libpulse error, and the call that failed.
package struct PulseError: Error, Hashable, Sendable {
    package let code: CInt
    package let function: String

    init(_ code: CInt, in function: String) {
        self.code = code
        self.function = function
    }
}

extension PulseError: CustomStringConvertible {
    package var description: String {
        let text = unsafe pa_strerror(code).map { unsafe String(cString: $0) } ?? ""
        return "\(function): \(text) (\(code))"
    }
}
