// SPDX-License-Identifier: Apache-2.0

/// What a stage of the engine reports when it cannot go on.
///
/// The message says what was tried, on what, and what came back; the cause is the words of the layer below.
public struct EngineError: Error, Hashable, Sendable {
    public var code: Code
    public var message: String
    public var cause: String
    /// The field of the request that is to blame, as the contract names it. Empty where none is.
    public var field: String

    public init(_ code: Code, _ message: String, cause: String = "", field: String = "") {
        self.code = code
        self.message = message
        self.cause = cause
        self.field = field
    }

    /// An argument that cannot be meant. The message begins with the field's name.
    package static func invalid(_ field: String, _ problem: String) -> EngineError {
        EngineError(.invalidArgument, "\(field) \(problem)", field: field)
    }

    /// The same failure where the message that holds the field is itself the field `path`. Nothing changes where no field is
    /// to blame.
    package func below(_ path: String) -> EngineError {
        guard !field.isEmpty else { return self }
        return EngineError(code, "\(path).\(message)", cause: cause, field: "\(path).\(field)")
    }

    /// The closed list of failures. `rawValue` is the word on the wire, in logs and in `docs/errors.md`; it never
    /// changes.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case invalidArgument = "invalid_argument"
        case sourceNotFound = "source_not_found"
        case sourceAccessDenied = "source_access_denied"
        /// A directory, a FIFO, a device: nothing that can be read at any place.
        case sourceNotReadable = "source_not_readable"
        case sourceReadFailed = "source_read_failed"
        case sourceEmpty = "source_empty"
        /// No demuxer recognises it, or the demuxer gives up on its header.
        case sourceNotMedia = "source_not_media"
        case noPlayableStream = "no_playable_stream"
        /// The file is not what it was when it was loaded.
        case sourceChanged = "source_changed"
        case segmentFailed = "segment_failed"
        case sessionNotFound = "session_not_found"
        /// The source has no track that the request could mean.
        case trackNotFound = "track_not_found"
        case revisionConflict = "revision_conflict"
        /// Another renderer moves the session's playhead, or the one that asks does so no more.
        case rendererConflict = "renderer_conflict"
        /// It belongs to the path that the session does not play on, or that its source cannot take.
        case pathConflict = "path_conflict"
        case resourceExhausted = "resource_exhausted"
        case cancelled = "cancelled"
        case unavailable = "unavailable"
        case `internal` = "internal"
    }
}

extension EngineError: CustomStringConvertible {
    public var description: String {
        cause.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(cause))"
    }
}
