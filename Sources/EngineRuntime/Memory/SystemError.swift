// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An `errno` value and the call that set it.
package struct SystemError: Error, Hashable, Sendable {
    package let code: CInt
    package let function: String

    /// Reads `errno`, so it must be created before any other call.
    init(in function: String) {
        code = errno
        self.function = function
    }

    package init(_ code: CInt, in function: String) {
        self.code = code
        self.function = function
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String {
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            guard unsafe strerror_r(code, start, buffer.count) == 0 else { return "" }
            return unsafe String(cString: start)
        }
        return "\(function): \(text) (errno \(code))"
    }
}
