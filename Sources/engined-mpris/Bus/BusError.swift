// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A call of libsystemd that failed.
struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function.
    let function: String
    let errnoCode: CInt

    var description: String { "\(function): \(unsafe String(cString: strerror(errnoCode)))" }
}

/// Returns what an sd-bus function returned; they give a negative errno when they fail.
@discardableResult
func checked(_ status: CInt, by function: String) throws(BusError) -> CInt {
    guard status >= 0 else { throw BusError(function: function, errnoCode: -status) }
    return status
}
