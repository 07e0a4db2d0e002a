// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// Decoded pictures between the decoder and the sinks: the one that is shown, and a few that come after it.
package struct PictureQueue: Sendable {
    package struct Entry: Sendable {
        package let picture: TimedPicture
        /// The round of a loop.
        package let lap: UInt64
        /// Rises by one with each picture.
        package let number: UInt64
    }

    /// So many are kept at least, whatever they weigh: the one shown and its successor.
    private static let fewest = 2
    private static let most = 32
    private static let span = MediaTime(microseconds: 350_000)
    private static let byteLimit = 160 << 20

    package private(set) var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    private var byteCount = 0

    package init() {}

    /// Whether another picture may be decoded.
    package var hasRoom: Bool {
        guard entries.count >= Self.fewest else { return true }
        guard entries.count < Self.most, byteCount < Self.byteLimit else { return false }
        // The length of what comes after the one that is shown; rounds of a loop follow each other.
        let ahead = entries.dropFirst().reduce(MediaTime.zero) { $0 + $1.picture.duration }
        return (MediaTime.zero..<Self.span).contains(ahead)
    }

    package mutating func append(_ picture: TimedPicture, lap: UInt64) {
        lastNumber += 1
        entries.append(Entry(picture: picture, lap: lap, number: lastNumber))
        byteCount += Self.byteCount(of: picture)
    }

    /// The first of `lap` that comes after the picture numbered `number`.
    package func next(after number: UInt64, lap: UInt64) -> Entry? {
        entries.first { $0.number > number && $0.lap == lap }
    }

    /// The one that is to be seen.
    package func current(at position: MediaTime, lap: UInt64) -> Entry? {
        entries.last { $0.lap == lap && $0.picture.time <= position }
    }

    /// When another picture is to be seen.
    package func nextChange(after position: MediaTime, lap: UInt64) -> MediaTime? {
        entries.first { $0.lap == lap && $0.picture.time > position }?.picture.time
    }

    package func contains(lap: UInt64) -> Bool { entries.contains { $0.lap == lap } }

    /// Forgets what is not seen any more. The last one that was seen stays until its successor has its time.
    package mutating func trim(to position: MediaTime, lap: UInt64) {
        while entries.count > 1 {
            let next = entries[1]
            guard next.lap < lap || (next.lap == lap && next.picture.time <= position) else { return }
            byteCount -= Self.byteCount(of: entries.removeFirst().picture)
        }
    }

    /// Only what belongs to round `lap` or an older one stays.
    package mutating func dropAll(after lap: UInt64) {
        for entry in entries where entry.lap > lap { byteCount -= Self.byteCount(of: entry.picture) }
        entries.removeAll { $0.lap > lap }
    }

    package mutating func removeAll() {
        entries = []
        byteCount = 0
    }

    /// What it weighs at most: no more than 10 bits, colour halved both ways, or the same with 8 bits and full colour.
    private static func byteCount(of picture: TimedPicture) -> Int {
        picture.frame.width * picture.frame.height * 3
    }
}
