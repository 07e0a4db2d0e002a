// SPDX-License-Identifier: Apache-2.0

/// The version of the engine and its companion programs, which are released together (semver.org).
package enum ProductVersion {
    package static let current = "0.1.0"
}
