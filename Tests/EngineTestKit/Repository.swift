// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The repository that the tests belong to.
package enum Repository {
    /// The folder of `Package.swift`.
    package static let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}
