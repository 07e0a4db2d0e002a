// SPDX-License-Identifier: Apache-2.0

/// How a live stream has been received, over one connection after another.
package struct StreamReception: Hashable, Sendable {
    /// The position at which a later connection continues the stream.
    package struct Reconnection: Hashable, Sendable {
        /// The position, in the joined stream, of the first byte that is kept of the later connection.
        package let position: Int64
        /// Whether no byte is missing there, because the later connection repeated some.
        package let isSeamless: Bool

        package init(position: Int64, isSeamless: Bool) {
            self.position = position
            self.isSeamless = isSeamless
        }
    }

    /// A change of the streams that a program has.
    package struct Change: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A stream continues under another packet identifier (PID).
            case moved(String, from: Int, to: Int, isVideo: Bool)
            /// A stream of a codec and PID that the program did not have when it was opened.
            case appeared(String, Int)
            case vanished(String, Int)
            /// A stream that was present when the program was opened has vanished and come back.
            case returned(String, Int, isVideo: Bool)
            /// A video stream has vanished, and one of another codec has appeared: under its PID, or under another one.
            case replaced(String, Int, by: String, as: Int)
        }

        /// The first byte after the change.
        package let position: Int64
        package let kind: Kind

        package init(position: Int64, kind: Kind) {
            self.position = position
            self.kind = kind
        }
    }

    /// A message about an ad break (SCTE 35).
    package struct Splice: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// `duration` is `nil` if only a later message ends the break.
            case begins(duration: MediaTime?)
            case ends
            case cancelled
        }

        /// The position of the message.
        package let position: Int64
        /// `splice_event_id` or `segmentation_event_id`.
        package let event: UInt32
        package let kind: Kind
        /// The time from the newest timestamp received before the message to the start or end of the break. `nil`:
        /// immediately.
        package let delay: MediaTime?

        package init(position: Int64, event: UInt32, kind: Kind, delay: MediaTime?) {
            self.position = position
            self.event = event
            self.kind = kind
            self.delay = delay
        }
    }

    /// By position.
    package var reconnections: [Reconnection] = []
    /// In order. Only the first `changeLimit` are kept.
    package var changes: [Change] = []
    /// In order. Only the first `spliceLimit` are kept.
    package var splices: [Splice] = []
    /// The events and the time of day that the stream has stated last.
    package var tables = BroadcastTables()
    /// Bytes that were dropped after a reconnection: repeated ones, and those of PES packets whose start is missing.
    package var repeatedByteCount: Int64 = 0
    /// Packets whose continuity counter does not continue the previous packet's.
    package var continuityErrors: UInt64 = 0
    /// Packets with transport_error_indicator, and positions where synchronization was lost.
    package var transportErrors: UInt64 = 0
    /// Whether a connection repeated the start of the stream, which means that the stream has ended.
    package var hasRestarted = false
    /// Whether the stream has ended because a video stream that is played continues in another codec.
    package var isReplaced = false

    package init() {}

    /// How many changes are kept.
    package static let changeLimit = 1000
    /// How many messages about ad breaks are kept.
    package static let spliceLimit = 10_000

    /// The positions at which the video is interrupted, in order: bytes are missing, or the video stream has moved to
    /// another PID, or has come back after it had vanished.
    package var videoDiscontinuities: [Int64] {
        let moves = changes.filter(\.interruptsVideo).map(\.position)
        return (gaps + moves).sorted()
    }

    /// Whether no more bytes follow, whatever connections deliver.
    package var hasEnded: Bool { hasRestarted || isReplaced }

    /// The positions before which bytes are missing.
    package var gaps: [Int64] { reconnections.filter { !$0.isSeamless }.map(\.position) }
}

extension StreamReception.Change {
    fileprivate var interruptsVideo: Bool {
        switch kind {
        case .moved(_, _, _, let isVideo), .returned(_, _, let isVideo): isVideo
        case .appeared, .vanished, .replaced: false
        }
    }
}
