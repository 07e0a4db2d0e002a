// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Reading

/// The kinds of stream that a feed delivers.
package enum FeedKind: Hashable, Sendable, CaseIterable { case video, audio }

/// A packet on its way to a decoder, with a time that orders it among the other packets.
typealias FeedPacket = PictureRun.Entry

/// The position at which a source was entered.
package struct FeedEntry: Hashable, Sendable {
    /// A number chosen by the caller. Requests with any other generation return nothing.
    package let generation: UInt64
    /// The time from which video and audio are wanted.
    package let time: MediaTime
    /// Whether the source is decoded from its very start and all of it is wanted.
    package var isStart: Bool { time <= .zero }
}

/// Packets of one stream in decoding order, many at a time.
struct PacketBatch: Sendable {
    let entry: FeedEntry
    let facts: DecodingFacts
    let packets: [FeedPacket]
    /// Codec private data that applies from the first packet on, where it differs from the stream's.
    let privateData: [UInt8]?
    /// Whether these are the last packets of the stream.
    let isLast: Bool
}

/// The result of decoding.
package enum Decoded<Element: Sendable>: Sendable {
    /// At least one, in presentation order.
    case some([Element])
    case ended
    /// The source has been entered again in the meantime, or the media are no longer wanted.
    case superseded
}
