// SPDX-License-Identifier: Apache-2.0

/// A failure that a stage of the engine reports.
///
/// The message states what was attempted, on what, and what the result was; `cause` quotes the layer below.
public struct EngineError: Error, Hashable, Sendable {
    public var code: Code
    public var message: String
    public var cause: String
    /// The request field at fault, as the contract names it. Empty if no field is at fault.
    public var field: String

    public init(_ code: Code, _ message: String, cause: String = "", field: String = "") {
        self.code = code
        self.message = message
        self.cause = cause
        self.field = field
    }

    /// An invalid argument. The message begins with the field's name.
    package static func invalid(_ field: String, _ problem: String) -> EngineError {
        EngineError(.invalidArgument, "\(field) \(problem)", field: field)
    }

    /// The same failure, for a request message that is nested in the field `path` of another message: `path` is put in
    /// front of the field and the message text. Returned unchanged if no field is at fault.
    package func below(_ path: String) -> EngineError {
        guard !field.isEmpty else { return self }
        return EngineError(code, "\(path).\(message)", cause: cause, field: "\(path).\(field)")
    }

    /// The closed list of failures. `rawValue` is the word on the wire, in logs and in `docs/errors.md`. It never
    /// changes.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case invalidArgument = "invalid_argument"
        case sourceNotFound = "source_not_found"
        case sourceAccessDenied = "source_access_denied"
        /// Not a file, such as a folder that is not a disc, a FIFO or a character device; a server whose answers the
        /// engine does not accept; or bytes of the source that are no longer kept.
        case sourceNotReadable = "source_not_readable"
        case sourceReadFailed = "source_read_failed"
        case sourceEmpty = "source_empty"
        /// No demuxer recognises the source, or the demuxer fails on its header.
        case sourceNotMedia = "source_not_media"
        case noPlayableStream = "no_playable_stream"
        /// The requested media is encrypted in a way that the engine does not decrypt.
        case sourceEncrypted = "source_encrypted"
        /// The server refuses the request, e.g. because credentials are missing or have expired.
        case sourceRefused = "source_refused"
        /// The server cannot be reached, or was overloaded or silent for too long.
        case sourceUnreachable = "source_unreachable"
        /// The source has changed since it was loaded.
        case sourceChanged = "source_changed"
        /// The engine has ended twice while it opened or played the source.
        case sourceCrashed = "source_crashed"
        case segmentFailed = "segment_failed"
        /// The file of a recording exists or cannot be written, or there is no recording to stop.
        case recordingFailed = "recording_failed"
        case sessionNotFound = "session_not_found"
        /// The source has no track that matches the request.
        case trackNotFound = "track_not_found"
        /// The source has no program of this number or name.
        case programNotFound = "program_not_found"
        case revisionConflict = "revision_conflict"
        /// Another renderer moves the session's playhead, or the renderer that made the request no longer does.
        case rendererConflict = "renderer_conflict"
        /// The request belongs to a path that the session is not using, or that its source cannot use.
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
