// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel

/// The packets that are needed to decode the picture shown at a target time. Pure: receives packets in file order, and
/// keeps those from the last random access point at or before the target.
package struct PictureRun {
    /// Whether the search needs more packets.
    package enum Step: Hashable {
        case more
        /// No later packet is shown at or before the target.
        case complete
    }

    /// A packet and its time: when it is shown, or when it is decoded if nothing states when it is shown. In ticks of
    /// the stream.
    package struct Entry {
        package var packet: Packet
        package let time: Int64
        /// Whether its picture may be shown later than `time`, because the container does not state its presentation
        /// time.
        package var isGuess = false
        /// When its picture is decoded, if `time` is when it is shown.
        var decodeTime: Int64?
        /// When its picture is shown, if `time` is when it is decoded and the container states both.
        package var shownTime: Int64?

        package init(
            packet: Packet,
            time: Int64,
            isGuess: Bool = false,
            decodeTime: Int64? = nil,
            shownTime: Int64? = nil
        ) {
            self.packet = packet
            self.time = time
            self.isGuess = isGuess
            self.decodeTime = decodeTime
            self.shownTime = shownTime
        }
    }

    /// The number of packets after the target that are searched for a random access point, if there is none before it.
    private static let patience = 4000

    /// When the wanted picture is shown, in ticks of the stream.
    package let target: Int64
    /// The number of packets that may be decoded before the picture of one of them is shown.
    private let reorderLimit: Int
    /// Whether to keep the packets before the first random access point too, because there is nothing earlier.
    private let keepsAll: Bool
    /// Random access points at or after this time do not count: decoding from them did not lead to the picture.
    private let keyLimit: Int64
    /// The maximum number of packets that are kept, from the random access point on.
    private let entryLimit: Int
    /// In decode order, from the random access point on; if there is none and `keepsAll`, from the first packet on.
    package private(set) var entries: [Entry] = []
    /// The last random access point at or before the target that counts.
    package private(set) var key: Entry?
    /// The first random access point after the target.
    package private(set) var nextKey: Entry?
    package private(set) var byteCount = 0
    /// Codec private data of packets that were dropped. It applies to the entries.
    package private(set) var privateData: [UInt8]?
    private var packetsAfterTarget = 0
    /// `Packet.format` of the packet from which `privateData` was taken.
    private var privateDataFormat = 0

    package init(target: Int64, reorderLimit: Int, keepsAll: Bool, keyLimit: Int64 = .max, entryLimit: Int = .max) {
        self.keyLimit = keyLimit
        self.entryLimit = entryLimit
        self.target = target
        self.reorderLimit = reorderLimit
        self.keepsAll = keepsAll
    }

    package mutating func add(_ entry: Entry) -> Step {
        let (packet, time) = (entry.packet, entry.time)
        if packet.isKey, time <= target, time < keyLimit {
            start(at: entry)
            return .more
        }
        if packet.isKey, time > target, nextKey == nil {
            nextKey = entry
            // This may be the picture that is shown next. The packets after it determine for how long.
            if key == nil { packetsAfterTarget = 0 }
        }
        if key != nil || keepsAll {
            append(entry)
        } else if let data = packet.newPrivateData {
            (privateData, privateDataFormat) = (data, packet.format)
        }
        guard time > target else { return .more }
        packetsAfterTarget += 1
        // Without a random access point at or before the target, the next one provides the first picture that can be
        // shown.
        if keepsAll, key == nil, nextKey == nil, packetsAfterTarget < Self.patience { return .more }
        // No picture is shown before it is decoded.
        if key != nil, let decoded = entry.decodeTime, decoded > target { return .complete }
        return packetsAfterTarget > reorderLimit ? .complete : .more
    }

    private mutating func start(at entry: Entry) {
        if let last = entries.last(where: { $0.packet.newPrivateData != nil })?.packet {
            (privateData, privateDataFormat) = (last.newPrivateData, last.format)
        }
        // Data in the packet itself is newer, and data of packets of another format is for another decoder.
        if entry.packet.newPrivateData != nil || entry.packet.format != privateDataFormat { privateData = nil }
        key = entry
        entries = []
        byteCount = 0
        append(entry)
    }

    private mutating func append(_ entry: Entry) {
        guard entries.count < entryLimit else { return }
        entries.append(entry)
        byteCount += entry.packet.byteCount
    }

    /// Removes and returns all but the newest `count` entries, for a run that has become too long to keep.
    package mutating func takeAll(but count: Int) -> [Entry] {
        let taken = Array(entries.dropLast(count))
        entries.removeFirst(taken.count)
        byteCount = entries.reduce(0) { $0 + $1.packet.byteCount }
        return taken
    }
}

extension PictureRun {
    /// The time of the wanted picture, unless its packet turns out to show nothing. `nil` if times are uncertain, or if
    /// no picture is at or before the target.
    package var expectedTime: Int64? {
        guard !hasGuesses else { return nil }
        return entries.lazy.filter { $0.time <= target && !$0.packet.isDiscarded }.map(\.time).max()
    }

    private var hasGuesses: Bool { entries.contains(where: \.isGuess) }

    /// The entries up to the last one that is not after the target. All entries if there is no such entry, if no random
    /// access point was found, or if times are uncertain.
    package var needed: ArraySlice<Entry> {
        guard key != nil, !hasGuesses, let last = entries.lastIndex(where: { $0.time <= target }) else {
            return entries[...]
        }
        return entries[...last]
    }

    /// Whether the demuxer flagged the packet at `time` as corrupt.
    package func isCorrupt(at time: Int64) -> Bool { entries.contains { $0.time == time && $0.packet.isCorrupt } }

    /// When the picture after the one at `time` is shown.
    package func time(after time: Int64) -> Int64? {
        entries.lazy.filter { $0.time > time && !$0.isGuess && !$0.packet.isDiscarded }.map(\.time).min()
    }
}
