// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Glibc

/// An `errno` value and the call that set it.
package struct Errno: Error, Hashable, Sendable {
    package let code: CInt
    package let function: String

    /// Reads `errno`, so create the value before any other call.
    init(in function: String) {
        code = Glibc.errno
        self.function = function
    }

    /// An error with this code, whatever `errno` is now.
    package init(code: CInt, in function: String) {
        self.code = code
        self.function = function
    }

    package var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
    package var isPermissionDenied: Bool { code == EACCES || code == EPERM }
    package var isNameTooLong: Bool { code == ENAMETOOLONG }
    /// A link leads out of the folder that it must stay in, and is not followed.
    package var isForeignLink: Bool { code == EXDEV }
}

extension Errno: CustomStringConvertible {
    package var description: String { SystemError(code, in: function).description }
}
