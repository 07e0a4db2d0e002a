// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Audio that cannot be decoded, because a list continues in another format after a discontinuity.
package struct UndecodedAudio: Hashable, Sendable {
    /// What a report is about. Each subject is reported once.
    package struct Subject: Hashable, Sendable {
        package let stream: Int
        /// `nil` if the format of the packets is not known.
        package let codec: CodecID?

        package init(stream: Int, codec: CodecID?) {
            self.stream = stream
            self.codec = codec
        }
    }

    package let subject: Subject
    /// Where it begins on the timeline. `nil` if its packets state no times.
    package let time: MediaTime?
    package let reason: String

    package init(_ subject: Subject, at time: MediaTime?, because reason: String) {
        self.subject = subject
        self.time = time
        self.reason = reason
    }
}

/// Determines whether a decoder that was opened for a format decodes it, from what its packets yield. Pure.
struct FormatTrial {
    /// After this many packets without a frame, a format counts as one that cannot be decoded.
    static let limit = 16

    /// The time of the first of the packets that have yielded nothing so far.
    private var start: MediaTime?
    private var silent = 0
    private var isOver = false

    /// - Parameters:
    ///   - time: when the packet is presented.
    ///   - frames: how many frames the decoder has output for it.
    /// - Returns: for the packet that reaches the limit, the time of the first packet without a frame, and their number. `nil` for
    ///   any other packet.
    mutating func note(at time: MediaTime?, yielding frames: Int) -> (start: MediaTime?, packets: Int)? {
        if frames > 0 { isOver = true }
        guard !isOver else { return nil }
        if silent == 0 { start = time }
        silent += 1
        guard silent == Self.limit else { return nil }
        isOver = true
        return (start, silent)
    }

    /// The next packet does not follow the previous one.
    mutating func flush() { silent = 0 }
}
