// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The two tiers of docs/testing.md.
package enum Tier: Sendable {
    /// Run by `make test`.
    case lean
    /// Run by `make test-all` only.
    case long

    /// The tier of this run: `ENGINE_TESTS=all` selects the long one.
    package static let current: Self = ProcessInfo.processInfo.environment["ENGINE_TESTS"] == "all" ? .long : .lean
}

extension Tier {
    /// In the long tier, all files; in the lean tier, the smallest with each file name extension.
    ///
    /// - Parameter files: paths with the sizes of their files in bytes.
    package static func selected(_ files: [(path: String, size: Int)]) -> [String] {
        guard current == .lean else { return files.map(\.path) }
        let types = Dictionary(grouping: files) { URL(filePath: $0.path).pathExtension }
        return types.values.compactMap { $0.min { ($0.size, $0.path) < ($1.size, $1.path) }?.path }.sorted()
    }
}
