// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Recognises that a source has changed between two processes. Its name does not matter: a refresh may change the URL.
package struct SourceVersion: Hashable, Sendable, Codable {
    package var byteCount: Int64
    /// The time of the last change, the strong entity tag, or a digest of a list. `nil` if the server states no tag.
    package var mark: String?

    /// `false` also if the sources cannot be distinguished.
    func differs(from other: SourceVersion) -> Bool {
        if let mark, let other = other.mark, mark != other { return true }
        return byteCount != other.byteCount
    }
}

extension ByteSource {
    /// `nil` while the source grows: its versions are then many.
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
    /// For a session whose source was opened before, by an earlier process or before it failed.
    ///
    /// - Returns: `nil` unless it is another version now.
    static func otherVersion(of source: any ByteSource, than left: SourceVersion?) -> Notice? {
        guard let left, let version = source.version, version.differs(from: left) else { return nil }
        let text = "\(source.path) is another version than before: times, tracks and segments may differ"
        return Notice(.warning, "source.other_version", text)
    }
}
