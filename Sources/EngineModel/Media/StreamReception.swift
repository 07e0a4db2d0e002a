// SPDX-License-Identifier: Apache-2.0

/// How a live stream has been received, over one connection after another.
package struct StreamReception: Hashable, Sendable {
    /// Where the bytes of one connection are followed by those of the next.
    package struct Joint: Hashable, Sendable {
        /// The first byte of the later connection.
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
            /// A stream goes on under another packet identifier (PID).
            case moved(String, from: Int, to: Int, isVideo: Bool)
            /// A stream of a codec and PID that the program did not have when it was opened.
            case appeared(String, Int)
            case vanished(String, Int)
            /// A stream that was there when the program was opened is there again.
            case returned(String, Int, isVideo: Bool)
        }

        /// The first byte after the change.
        package let position: Int64
        package let kind: Kind

        package init(position: Int64, kind: Kind) {
            self.position = position
            self.kind = kind
        }
    }

    /// In order.
    package var joints: [Joint] = []
    /// In order. The first `changeLimit`.
    package var changes: [Change] = []
    /// Bytes that came once more after a connection was lost, and were dropped.
    package var repeatedByteCount: Int64 = 0
    /// Packets whose counters do not continue those of the packet before.
    package var continuityErrors: UInt64 = 0
    /// Packets that their sender marked as damaged, and places where no packet was found.
    package var transportErrors: UInt64 = 0
    /// Whether a connection repeated the start of the stream, which means that the stream has ended.
    package var hasBegunAnew = false

    package init() {}

    /// How many changes are kept.
    package static let changeLimit = 1000

    /// The places where pictures do not continue those before, in order: bytes are missing, or another stream goes on.
    package var breaks: [Int64] {
        let moves = changes.filter(\.breaksPictures).map(\.position)
        return (gaps + moves).sorted()
    }

    /// The places before which bytes are missing.
    package var gaps: [Int64] { joints.filter { !$0.isSeamless }.map(\.position) }
}

extension StreamReception.Change {
    fileprivate var breaksPictures: Bool {
        switch kind {
        case .moved(_, _, _, let isVideo), .returned(_, _, let isVideo): isVideo
        case .appeared, .vanished: false
        }
    }
}
