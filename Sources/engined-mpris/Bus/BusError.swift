// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A failed call to libsystemd or the C library.
struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function.
    let function: String
    let errnoCode: CInt

    var description: String { "\(function): \(unsafe String(cString: strerror(errnoCode)))" }
}

/// Returns the result of an sd-bus function. These functions return a negative errno on failure.
@discardableResult
func checked(_ status: CInt, by function: String) throws(BusError) -> CInt {
    guard status >= 0 else { throw BusError(function: function, errnoCode: -status) }
    return status
}
