// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What a feed gives to decoders.
package enum FeedKind: Hashable, Sendable, CaseIterable { case video, audio }

/// A packet on its way to a decoder, with the time by which its place among the others is known.
typealias FeedPacket = PictureRun.Entry

/// Where a film was entered.
package struct FeedEntry: Hashable, Sendable {
    /// A number of the caller's: what was asked for under another is not given any more.
    package let generation: UInt64
    /// From where on pictures and sound are wanted.
    package let time: MediaTime
    /// Whether the film is decoded from its very start and all of it is wanted.
    package var isStart: Bool { time <= .zero }
}

/// Packets of one stream in decoding order, many at a time.
struct PacketBatch: Sendable {
    let entry: FeedEntry
    let facts: FilmFacts
    let packets: [FeedPacket]
    /// Codec private data that holds from the first packet on, where it is not the stream's.
    let privateData: [UInt8]?
    /// Whether nothing follows them.
    let isLast: Bool
}

/// What comes out of a decoder.
package enum Decoded<Element: Sendable>: Sendable {
    /// In order of presentation. At least one.
    case some([Element])
    case ended
    /// The film was entered anew meanwhile.
    case superseded
}
