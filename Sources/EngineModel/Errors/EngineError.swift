// SPDX-License-Identifier: Apache-2.0

/// What a stage of the engine reports when it cannot go on.
///
/// The message says what was tried, on what, and what came back; the cause is the words of the layer below.
package struct EngineError: Error, Hashable, Sendable {
    package var code: Code
    package var message: String
    package var cause: String

    package init(_ code: Code, _ message: String, cause: String = "") {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The closed list of failures. `rawValue` is the word on the wire, in logs and in `docs/errors.md`; it never
    /// changes.
    package enum Code: String, Hashable, Sendable, CaseIterable {
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
        case revisionConflict = "revision_conflict"
        case resourceExhausted = "resource_exhausted"
        case cancelled = "cancelled"
        case unavailable = "unavailable"
        case `internal` = "internal"
    }
}

extension EngineError: CustomStringConvertible {
    package var description: String {
        cause.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue): \(message) (\(cause))"
    }
}
