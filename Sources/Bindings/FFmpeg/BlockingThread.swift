// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Asserts, in debug builds, that a C function is called only on a thread that may block, i.e. a thread of a
/// `ThreadExecutor`.
///
/// A call on the cooperative pool would occupy one of its few threads until a disk or a peer responds.
func assertMayBlock(_ function: String) {
    assert(csystem_is_blocking_thread(), "\(function) called on a thread that must not block")
}
