// SPDX-License-Identifier: Apache-2.0

internal import CPulse

/// What libpulse said, and the call that said it.
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
