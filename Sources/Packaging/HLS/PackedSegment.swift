// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Reads a chunk of a segment written by `MediaSegment`: the timing of its samples, and the offset of their payloads.
package struct PackedSegment {
    /// A sample without its payload.
    private struct Entry {
        var decodeTime: Int64
        var compositionOffset: Int32
        var duration: UInt32
        var isSync: Bool
        var byteCount: Int
    }

    private let body: ByteBody
    private var sequenceNumber: UInt32 = 1
    private var decodeTime: Int64 = 0
    private var entries: [Entry] = []
    /// The offset of the first payload in `body`.
    private var payload = 0

    /// - Throws: `truncated` for bytes that `MediaSegment` has not written.
    package init(_ body: ByteBody) throws(PackagingError) {
        self.body = body
        var position = 0
        while position < body.byteCount {
            let (type, header, size) = try Self.box(at: position, of: body)
            if type == ("moof" as BoxType).code {
                try read(moof: body.bytes(position + header..<min(position + size, body.byteCount)))
            }
            if type == ("mdat" as BoxType).code { payload = position + header }
            position += size
        }
    }

    /// The presentation time of each sample in ticks of media time, ascending.
    package var times: [Int64] { entries.map { $0.decodeTime &+ Int64($0.compositionOffset) }.sorted() }

    /// The segment with its samples moved by `ticks`, which may be negative. Samples that would be decoded before time
    /// 0 are left out. Copies the payloads.
    package func moved(by ticks: Int64, _ track: Track) -> ByteBody {
        let bytes = body.bytes(payload..<body.byteCount)
        var place = 0
        var samples: [Sample] = []
        for entry in entries {
            let end = min(place + entry.byteCount, bytes.count)
            defer { place = end }
            guard entry.decodeTime &+ ticks >= 0 else { continue }
            samples.append(
                Sample(
                    decodeTime: entry.decodeTime &+ ticks,
                    compositionOffset: entry.compositionOffset,
                    duration: entry.duration,
                    isSync: entry.isSync,
                    payload: ArrayRegion(Array(bytes[place..<end]))
                )
            )
        }
        return MediaSegment.body(
            sequenceNumber: sequenceNumber,
            track: track,
            samples: samples,
            emptyAt: max(0, decodeTime &+ ticks)
        )
    }

    // MARK: Boxes

    /// The chunks of a segment, each with a `styp`, in order.
    ///
    /// - Throws: `truncated` for bytes that `MediaSegment` has not written.
    package static func chunks(of body: ByteBody) throws(PackagingError) -> [ByteBody] {
        var starts: [Int] = []
        var position = 0
        while position < body.byteCount {
            let (type, _, size) = try box(at: position, of: body)
            if type == ("styp" as BoxType).code { starts.append(position) }
            position += size
        }
        return zip(starts, starts.dropFirst() + [body.byteCount]).map { ByteBody(body.slice($0..<$1)) }
    }

    /// Where `moof` is, and where the payload begins.
    ///
    /// - Throws: `truncated` for bytes that `MediaSegment` has not written.
    static func head(of body: ByteBody) throws(PackagingError) -> (movie: Range<Int>, payload: Int) {
        var movie: Range<Int>?
        var position = 0
        while position < body.byteCount {
            let (type, header, size) = try box(at: position, of: body)
            if type == ("moof" as BoxType).code { movie = position..<position + size }
            if type == ("mdat" as BoxType).code, let movie { return (movie, position + header) }
            position += size
        }
        throw PackagingError(.truncated, "a segment of \(body.byteCount) bytes without moof and mdat")
    }

    /// - Returns: the type of the box at `position`, the size of its header, and the size of the whole box.
    private static func box(
        at position: Int,
        of body: ByteBody
    ) throws(PackagingError) -> (type: UInt32, header: Int, size: Int) {
        var reader = ByteReader(
            body.bytes(position..<min(position + 16, body.byteCount)),
            subject: "the box at byte \(position)"
        )
        let short = Int(try reader.uint32())
        let type = try reader.uint32()
        let size = short == 1 ? Int(clamping: try reader.number(byteCount: 8)) : short
        let header = short == 1 ? 16 : 8
        guard size >= header, size <= body.byteCount - position else {
            throw PackagingError(.truncated, "the box at byte \(position) of \(body.byteCount) claims \(size) bytes")
        }
        return (type, header, size)
    }

    private mutating func read(moof bytes: [UInt8]) throws(PackagingError) {
        var (duration, size, flags) = (UInt32(0), UInt32(0), UInt32(0))
        var reader = ByteReader(bytes, subject: "moof")
        while !reader.isAtEnd {
            let boxSize = Int(try reader.uint32())
            let type = try reader.uint32()
            // The boxes of a track fragment follow its header.
            if type == ("traf" as BoxType).code { continue }
            guard boxSize >= 12 else { throw PackagingError(.truncated, "a box in moof claims \(boxSize) bytes") }
            var box = ByteReader(try reader.take(boxSize - 8), subject: "a box in moof")
            let present = try box.uint32()
            switch type {
            case ("mfhd" as BoxType).code: sequenceNumber = try box.uint32()
            case ("tfhd" as BoxType).code:
                try box.skip(4)
                if present & 0x8 != 0 { duration = try box.uint32() }
                if present & 0x10 != 0 { size = try box.uint32() }
                if present & 0x20 != 0 { flags = try box.uint32() }
            case ("tfdt" as BoxType).code: decodeTime = Int64(clamping: try box.number(byteCount: 8))
            case ("trun" as BoxType).code: try read(run: &box, present, (duration, size, flags))
            default: break
            }
        }
    }

    private mutating func read(
        run box: inout ByteReader,
        _ present: UInt32,
        _ defaults: (duration: UInt32, size: UInt32, flags: UInt32)
    ) throws(PackagingError) {
        let count = Int(try box.uint32())
        try box.skip(4)
        let first = present & 0x4 != 0 ? try box.uint32() : nil
        var time = decodeTime
        for index in 0..<count {
            let duration = present & 0x100 != 0 ? try box.uint32() : defaults.duration
            let size = present & 0x200 != 0 ? try box.uint32() : defaults.size
            let flags = present & 0x400 != 0 ? try box.uint32() : index == 0 ? first ?? defaults.flags : defaults.flags
            let offset = present & 0x800 != 0 ? try box.uint32() : 0
            // If all values are defaults, a sample takes no bytes of the run, so the data does not limit `count`.
            guard Int(size) <= body.byteCount, index <= body.byteCount else {
                throw PackagingError(.truncated, "sample \(index) of \(count) claims \(size) bytes")
            }
            entries.append(
                Entry(
                    decodeTime: time,
                    compositionOffset: Int32(bitPattern: offset),
                    duration: duration,
                    isSync: flags & 0x1_0000 == 0,
                    byteCount: Int(size)
                )
            )
            time &+= Int64(duration)
        }
    }
}

extension ByteBody {
    /// Copies the bytes in `range`.
    ///
    /// - Precondition: `range` lies within the body.
    package func bytes(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "bytes beyond the end of a body")
        var copy: [UInt8] = []
        copy.reserveCapacity(range.count)
        var start = 0
        for region in regions where start < range.upperBound {
            let end = start + region.byteCount
            let part = range.clamped(to: start..<end)
            if !part.isEmpty {
                region.withBytes { span in
                    for index in (part.lowerBound - start)..<(part.upperBound - start) { copy.append(span[index]) }
                }
            }
            start = end
        }
        return copy
    }
}
