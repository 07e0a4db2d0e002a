// SPDX-License-Identifier: Apache-2.0

/// How far a source was played.
public struct HistoryEntry: Hashable, Sendable {
    /// The path with which the source was last loaded, or the URL without user name, password, query and fragment.
    public var source: String
    /// Zero if it was played to its end.
    public var position: MediaTime
    /// `nil` if it was not known.
    public var duration: MediaTime?
    public var isFinished: Bool
    /// When the source was last played: CLOCK_REALTIME.
    public var playedUnixMicroseconds: Int64

    public init(
        source: String,
        position: MediaTime,
        duration: MediaTime?,
        isFinished: Bool,
        playedUnixMicroseconds: Int64
    ) {
        self.source = source
        self.position = position
        self.duration = duration
        self.isFinished = isFinished
        self.playedUnixMicroseconds = playedUnixMicroseconds
    }
}
