// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Identifies a version of a source, so that a later process can tell whether the source has changed. Does not include
/// the URL, which a refresh may change.
package struct SourceVersion: Hashable, Sendable, Codable {
    package var byteCount: Int64
    /// The time of the last change, the strong entity tag, or a digest of a list. `nil` if there is none.
    package var mark: String?

    /// `false` also if the sources cannot be distinguished.
    func differs(from other: SourceVersion) -> Bool {
        if let mark, let other = other.mark, mark != other { return true }
        return byteCount != other.byteCount
    }
}

extension ByteSource {
    /// `nil` while the source grows, because its length keeps changing.
    var version: SourceVersion? {
        guard growth == nil else { return nil }
        return switch identity {
        case .file(let file): SourceVersion(byteCount: file.byteCount, mark: "\(file.modifiedNanoseconds)")
        case .resource(_, let byteCount, let tag): SourceVersion(byteCount: byteCount, mark: tag)
        case .list(_, let digest): SourceVersion(byteCount: 0, mark: digest)
        }
    }
}

extension Notice {
    /// The notice that the source of a session has changed since it was last open: in an earlier process, or before the
    /// session failed.
    ///
    /// - Parameter left: the version that was last open.
    /// - Returns: `nil` if the source has not changed, or cannot be compared.
    static func otherVersion(of source: any ByteSource, than left: SourceVersion?) -> Notice? {
        guard let left, let version = source.version, version.differs(from: left) else { return nil }
        let text = "\(source.path) has changed since it was last open: times, tracks and segments may differ"
        return Notice(.warning, "source.other_version", text)
    }
}
