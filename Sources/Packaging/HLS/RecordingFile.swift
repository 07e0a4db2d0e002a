// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The parts of a recording: an MP4 file in fragments with all tracks of a session, made of the segments that players
/// receive (ISO/IEC 14496-12 §8.8).
///
/// Its tracks have the ids 1, 2, … in the order in which they are given. The file begins with a header, which has room
/// for an index. The index is written when the recording ends; without it, players can read the file but not seek in
/// it.
package enum RecordingFile {
    /// A recorded segment of the source: the fragments of all its tracks.
    package struct Entry: Hashable, Sendable {
        /// The duration of the leading track's fragment, in the timescale of that track.
        package var duration: Int64
        package var byteCount: Int64

        package init(duration: Int64, byteCount: Int64) {
            self.duration = duration
            self.byteCount = byteCount
        }
    }

    /// The number of bytes at the end of the header that the index replaces: room for more than a thousand entries.
    private static let indexByteCount = 16 << 10
    private static let boxHeaderByteCount = 8
    /// The size of a `sidx` box of version 1 without its entries.
    private static let indexHeadByteCount = 40
    private static let entryByteCount = 12
    /// The size field of a reference in `sidx` has 31 bits.
    private static let sizeLimit: Int64 = 1 << 31

    /// `ftyp`, `moov`, and a `free` box that reserves space for the index.
    package static func header(_ tracks: [Track]) -> [UInt8] {
        var writer = BoxWriter(capacity: 2048 + indexByteCount)
        writer.box("ftyp") { box in
            box.type("iso6")
            box.uint32(0)
            for brand: BoxType in ["iso6", "mp41"] { box.type(brand) }
            for brand in tracks.compactMap(\.dolbyVision).flatMap(\.brands) { box.type(brand) }
        }
        let ids = tracks.indices.map { UInt32($0 + 1) }
        writer.box("moov") { box in
            InitSegment.movieHeader(timescale: 1000, nextID: UInt32(tracks.count + 1), &box)
            for (track, id) in zip(tracks, ids) { InitSegment.track(track, id, &box) }
            box.box("mvex") { box in
                for id in ids { InitSegment.extends(id, &box) }
            }
        }
        free(indexByteCount, &writer)
        return writer.bytes
    }

    /// The bytes that replace the end of `header`: an index of all entries (`sidx`, §8.16.3), and a `free` box.
    ///
    /// If there are too many entries, neighbours share a reference. There is no index if a reference would be too
    /// large.
    package static func index(_ entries: [Entry], _ lead: Track) -> [UInt8] {
        let room = (indexByteCount - indexHeadByteCount - boxHeaderByteCount) / entryByteCount
        var writer = BoxWriter(capacity: indexByteCount)
        if let shared = joined(entries, atMost: room) {
            let size = indexHeadByteCount + shared.count * entryByteCount
            writer.fullBox("sidx", version: 1) { box in
                box.uint32(1)
                box.uint32(lead.timescale)
                box.uint64(0)
                box.uint64(UInt64(clamping: indexByteCount - size))
                box.uint16(0)
                box.uint16(UInt16(clamping: shared.count))
                for entry in shared {
                    box.uint32(UInt32(clamping: entry.byteCount))
                    box.uint32(UInt32(clamping: entry.duration))
                    // The entry starts with a stream access point (SAP) of type 1.
                    box.uint32(0x9000_0000)
                }
            }
        }
        free(indexByteCount - writer.bytes.count, &writer)
        return writer.bytes
    }

    /// Joins neighbours until there are at most `limit` entries. `nil` if an entry would be too large for a reference.
    private static func joined(_ entries: [Entry], atMost limit: Int) -> [Entry]? {
        var result = entries
        while result.count > limit {
            result = stride(from: 0, to: result.count, by: 2).map { place in
                result[place..<min(place + 2, result.count)].reduce(Entry(duration: 0, byteCount: 0)) {
                    Entry(duration: $0.duration + $1.duration, byteCount: $0.byteCount + $1.byteCount)
                }
            }
        }
        return result.allSatisfy { $0.byteCount < sizeLimit } ? result : nil
    }

    private static func free(_ byteCount: Int, _ writer: inout BoxWriter) {
        writer.box("free") { $0.zeros(byteCount - boxHeaderByteCount) }
    }

    /// The boxes of a segment before its payload, with another track id and earlier times. `styp` is left out.
    ///
    /// - Parameters:
    ///   - sequenceNumber: the number of the fragment in the file.
    ///   - ticks: subtracted from the decode time, which stays at or above 0.
    /// - Returns: the boxes, and the offset of the payload in `body`.
    /// - Throws: `truncated` for bytes that `MediaSegment` has not written.
    package static func fragment(
        _ body: ByteBody,
        id: UInt32,
        sequenceNumber: UInt32,
        earlierBy ticks: Int64
    ) throws(PackagingError) -> (head: [UInt8], payload: Int) {
        let (movie, payload) = try PackedSegment.head(of: body)
        var writer = BoxWriter()
        writer.append(body.bytes(movie.lowerBound..<payload))
        // Positions in the head: `moof` contains `mfhd` and `traf`, which contains `tfhd` and `tfdt`.
        var place = boxHeaderByteCount
        while place + 20 <= movie.count {
            let (size, type) = (writer.uint32(at: place), writer.uint32(at: place + 4))
            switch type {
            case ("mfhd" as BoxType).code: writer.patch(sequenceNumber, at: place + 12)
            case ("traf" as BoxType).code:
                place += boxHeaderByteCount
                continue
            case ("tfhd" as BoxType).code: writer.patch(id, at: place + 12)
            case ("tfdt" as BoxType).code:
                let time = UInt64(writer.uint32(at: place + 12)) << 32 | UInt64(writer.uint32(at: place + 16))
                let earlier = UInt64(clamping: max(0, Int64(clamping: time) &- ticks))
                writer.patch(UInt32(truncatingIfNeeded: earlier >> 32), at: place + 12)
                writer.patch(UInt32(truncatingIfNeeded: earlier), at: place + 16)
            default: break
            }
            place += max(boxHeaderByteCount, Int(size))
        }
        return (writer.bytes, payload)
    }
}
