// SPDX-License-Identifier: Apache-2.0

/// A command about the recording of a session.
public enum RecordingCommand: Hashable, Sendable {
    case start(RecordingRequest)
    case stop
}

/// A request to write the media of a session to a file.
public struct RecordingRequest: Hashable, Sendable {
    /// The file to create: an absolute path, in a form of `FilePath.text`.
    public var path: String
    /// Where the recording begins, on the timeline: with the segment that contains this time. `nil`: at the playhead.
    public var start: MediaTime?

    public init(path: String, start: MediaTime? = nil) {
        self.path = path
        self.start = start
    }
}

/// The recording of a session: the one that is running, otherwise the last one.
public struct RecordingState: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        case running
        /// The file is complete.
        case ended
        /// The file ends early, for the reason in `error`.
        case failed
    }

    public var phase = Phase.running
    /// The file that is being written; once the recording is over, the last one.
    public var path: String
    /// The files that were written before it, because the format of the video changed or the engine was started again.
    public var earlierPaths: [String] = []
    /// The files with the text of the subtitle tracks.
    public var subtitlePaths: [String] = []
    /// The start of the first segment, on the timeline.
    public var start: MediaTime
    /// The length of the recorded media, in all files.
    public var duration = MediaTime.zero
    public var byteCount: Int64 = 0
    public var error: EngineError?

    public init(path: String, start: MediaTime) {
        self.path = path
        self.start = start
    }
}
