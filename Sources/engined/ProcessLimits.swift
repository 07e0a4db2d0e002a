// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// What the process asks of the system for itself.
enum ProcessLimits {
    /// A thousand watchers and as many players need a descriptor each: the soft limit goes up to the hard one.
    static func raiseOpenFiles() { csystem_raise_open_files() }
}
