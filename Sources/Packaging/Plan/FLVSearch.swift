// SPDX-License-Identifier: Apache-2.0

/// Finds keyframes of an FLV file by the timestamps of its tags, reading only around the wanted time (Adobe Flash Video
/// File Format 10.1, annex E).
///
/// A tag in the middle of the file is recognized by its header, the PreviousTagSize field after it and the header of
/// the next tag.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the
/// file. Times are in milliseconds and are those that libavformat gives as decode times.
///
/// Finds nothing if the clock falls, as in joined recordings, because a time then does not identify one frame. Falls
/// are noticed between tags at even distances in the file, and between tags that are visited. If a fall is not noticed,
/// because it is small compared to those distances, the keyframe that is found may not be the one that reading from the
/// start would find: the same time occurs in both recordings.
package struct FLVSearch {
    package struct Keyframe: Hashable, Sendable {
        package var time: Int64
        /// The file offset of its tag.
        package var position: Int64
    }

    /// A tag with a video frame or audio.
    private struct Media {
        var tag: FLVTag
        var time: Int64
        var position: Int64 { tag.position }
    }

    private struct Window {
        var start: Int64 = 0
        var bytes: [UInt8] = []

        func bytes(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
            guard position >= start, position + Int64(count) <= start + Int64(bytes.count) else { return nil }
            let place = Int(position - start)
            return bytes[place..<place + count]
        }
    }

    /// The length of reads that go from tag to tag: the next read is near. Longer reads are far from each other.
    package static let stepByteCount = 256
    /// The length of reads of a tag after which the next read may be far away.
    private static let hopByteCount = 8 << 10
    /// The number of bytes that are searched for a tag at once; at first the smaller one.
    private static let windows = 32 << 10...512 << 10
    /// The largest number of bytes that are searched for a tag if none begins at the expected position, and that are
    /// searched for the first frame at the beginning of the file.
    private static let reach: Int64 = 4 << 20
    /// The number of bytes after a probed position that are searched for a tag. The position may be inside a long tag.
    private static let probeReach: Int64 = 1 << 20
    /// The search for a tag ends after this many places at which a tag seems to begin, but does not.
    private static let candidateLimit = 64
    /// In bytes. Within this distance, tags are visited one after the other.
    private static let nearness: Int64 = 256 << 10
    /// The same in milliseconds. Also the length of the first step back if there is no keyframe; each further step is
    /// twice as long.
    private static let closeness: Int64 = 1000
    /// In milliseconds. If the time of a frame is below that of the frame before it by more than this, the clock has
    /// restarted.
    private static let tolerance: Int64 = 1000
    /// The largest difference, in milliseconds, between the times of audio and video that are stored side by side.
    private static let interleaving: Int64 = 10_000
    private static let sampleCount: Int64 = 16
    /// libavformat takes a first timestamp that is less than a minute before the largest one for a negative time.
    private static let firstNegative = UInt32.max - 59_999

    /// The length of the file.
    private let byteCount: Int64
    /// The first video frame, and tags at even distances in the file, in file order. Empty if the file cannot be
    /// searched; `nil` until it has been read.
    private var samples: [Media]?
    /// The timestamp of the first video frame, from which times are counted.
    private var origin: (timestamp: UInt32, time: Int64)?
    /// The bytes searched for a tag last.
    private var searched = Window()
    /// The bytes read last for a tag at a known position.
    private var visited = Window()

    package init(byteCount: Int64) { self.byteCount = byteCount }

    /// Whether `prepare` has succeeded.
    package var isPrepared: Bool { samples != nil }

    /// What `prepare` reads besides the start of the file, if tags are short.
    package var samplingReads: [Range<Int64>] {
        samplePlaces.map { $0..<min(byteCount, $0 + Int64(Self.windows.lowerBound)) }
    }

    /// Reads tags at even distances in the file.
    package mutating func prepare<Failure: Error>(
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        if samples == nil { samples = try sampled(read) }
    }

    /// The last keyframe of the video at or before a time. `nil` if there is none, or the file cannot be searched.
    package mutating func keyframe<Failure: Error>(
        atOrBefore time: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Keyframe? {
        try prepare(read: read)
        guard let first = samples?.first, first.time <= time else { return nil }
        var end = (position: byteCount, time: Int64?.none)
        var limit = time
        var step = Self.closeness
        // Each round visits the frames before those of the round before it, and `limit` reaches the first frame.
        while true {
            guard let begin = try media(atOrBefore: limit, before: end, read) else { return nil }
            let found = try lastKeyframe(from: begin, upTo: end.position, atOrBefore: time, read)
            if found != nil || begin.position <= first.position || samples?.isEmpty != false { return found }
            end = (begin.position, begin.time)
            limit = max(first.time, begin.time - step)
            if step < 1 << 40 { step *= 2 }
        }
    }

    /// - Parameter begin: a tag at or before the time.
    private mutating func lastKeyframe<Failure: Error>(
        from begin: Media,
        upTo end: Int64,
        atOrBefore time: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Keyframe? {
        var found: Keyframe?
        var next = try frame(from: begin.position, upTo: end, until: time, by: Self.stepByteCount, read)
        var reached = next?.time ?? 0
        while let frame = next, frame.time <= time {
            guard frame.time >= reached - Self.tolerance else { return giveUp() }
            reached = frame.time
            if frame.tag.isKey { found = Keyframe(time: frame.time, position: frame.position) }
            next = try self.frame(from: frame.tag.end, upTo: end, until: time, by: Self.stepByteCount, read)
        }
        return found
    }

    /// Marks the file as one that cannot be searched, because its clock falls. Returns `nil`.
    private mutating func giveUp<Value>() -> Value? {
        samples = []
        return nil
    }

    // MARK: Tags by time

    private var samplePlaces: [Int64] {
        let count = max(1, min(Self.sampleCount, byteCount / Self.nearness))
        return (1..<count).map { byteCount / count * $0 }
    }

    private mutating func sampled<Failure: Error>(
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [Media] {
        let head = try bytes(at: 0, count: 9, by: Self.hopByteCount, read)
        guard head.count == 9, head.starts(with: [0x46, 0x4C, 0x56]) else { return [] }
        // PreviousTagSize0 lies between the header and the first tag.
        let start = Int64(head.span.bigEndian32(at: 5)) + Int64(FLVTag.trailerByteCount)
        guard let first = try frame(from: start, upTo: min(byteCount, start + Self.reach), by: Self.hopByteCount, read)
        else { return [] }
        var found = [first]
        for place in samplePlaces {
            guard let media = try probe(from: place, upTo: byteCount, read), let last = found.last,
                media.position > last.position
            else { continue }
            guard media.time >= last.time - Self.interleaving else { return [] }
            found.append(media)
        }
        return found
    }

    /// A tag with media at or before a time and not far before it. `nil` if the clock falls, or if no such tag is
    /// known.
    private mutating func media<Failure: Error>(
        atOrBefore time: Int64,
        before end: (position: Int64, time: Int64?),
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Media? {
        let known = (samples ?? []).filter { $0.position < end.position }
        guard let place = known.lastIndex(where: { $0.time <= time }) else { return nil }
        var low = known[place]
        var high = end
        if place + 1 < known.count { high = (known[place + 1].position, known[place + 1].time) }
        var range = TimeBisection(of: time, from: (low.position, low.time), upTo: high, nearness: Self.nearness)
        while !range.isNear, time - low.time > Self.closeness {
            let place = range.probe()
            let found = try probe(from: place, upTo: range.high.position, read)
            if let found, found.time <= time {
                guard found.time >= low.time - Self.interleaving else { return giveUp() }
                low = found
                range.advance(to: found.position, time: found.time)
            } else {
                if let found, let limit = range.high.time, found.time > limit + Self.interleaving { return giveUp() }
                range.limit(to: place, time: found?.time)
            }
        }
        return low
    }

    /// The first tag with media in a byte range, wherever the range begins. Audio counts too, because there may be no
    /// video for a long time.
    private mutating func probe<Failure: Error>(
        from offset: Int64,
        upTo limit: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Media? {
        let limit = min(limit, offset + Self.probeReach)
        guard var at = try search(from: offset, upTo: limit, read) else { return nil }
        while at < limit, let tag = try tag(at: at, by: Self.hopByteCount, read) {
            if tag.isMedia { return Media(tag: tag, time: time(of: tag.timestamp)) }
            at = tag.end
        }
        return nil
    }

    // MARK: Tags

    /// The first video frame in the tags from a position on. Where no tag begins, the next one is searched for.
    ///
    /// - Parameters:
    ///   - end: the wanted time. The search ends at media so much later that no frame at or before `end` can follow.
    ///   - length: the number of bytes that are read for each tag, or for several short ones.
    private mutating func frame<Failure: Error>(
        from position: Int64,
        upTo limit: Int64,
        until end: Int64? = nil,
        by length: Int,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Media? {
        var at = position
        while at < limit {
            guard let tag = try tag(at: at, by: length, read) else {
                guard let next = try search(from: at + 1, upTo: limit, read) else { return nil }
                at = next
                continue
            }
            if tag.isFrame { return Media(tag: tag, time: time(of: tag.timestamp)) }
            if let end, tag.isMedia, time(of: tag.timestamp) > end + Self.interleaving { return nil }
            at = tag.end
        }
        return nil
    }

    /// The time of a timestamp, which is modulo 2³², near the time of the first frame.
    private mutating func time(of timestamp: UInt32) -> Int64 {
        guard let origin else {
            let time = timestamp >= Self.firstNegative ? Int64(timestamp) - 1 << 32 : Int64(timestamp)
            origin = (timestamp, time)
            return time
        }
        return origin.time + Int64(Int32(truncatingIfNeeded: timestamp &- origin.timestamp))
    }

    /// The position of the first tag that begins in a byte range. Any byte may be inside the data of a tag.
    private mutating func search<Failure: Error>(
        from offset: Int64,
        upTo limit: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Int64? {
        let limit = min(limit, offset + Self.reach, byteCount)
        var at = offset
        var length = Self.windows.lowerBound
        var candidates = 0
        while at < limit {
            let bytes = try read(at, Int(min(Int64(length), byteCount - at)))
            searched = Window(start: at, bytes: bytes)
            guard bytes.count >= FLVTag.headByteCount else { return nil }
            for place in 0...bytes.count - FLVTag.headByteCount
            where at + Int64(place) < limit && FLVTag.mayBegin(bytes.span, place) {
                if try isConfirmed(at: at + Int64(place), read) { return at + Int64(place) }
                candidates += 1
                if candidates == Self.candidateLimit { return nil }
            }
            at += Int64(bytes.count - FLVTag.headByteCount + 1)
            length = min(2 * length, Self.windows.upperBound)
        }
        return nil
    }

    /// Whether a tag begins at a position, and another one, or nothing, follows it.
    private mutating func isConfirmed<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        guard let tag = try tag(at: position, by: Self.hopByteCount, read) else { return false }
        let next = try bytes(at: tag.end, count: FLVTag.headerByteCount, by: Self.hopByteCount, read)
        return next.count < FLVTag.headerByteCount || FLVTag.mayBegin(next.span, 0)
    }

    /// The tag at a position. `nil` if none begins there, or if the file ends inside it.
    private mutating func tag<Failure: Error>(
        at position: Int64,
        by length: Int,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> FLVTag? {
        let head = try bytes(at: position, count: FLVTag.headByteCount, by: length, read)
        guard let tag = FLVTag(head.span, at: position), tag.end <= byteCount else { return nil }
        let trailer = try bytes(
            at: tag.end - Int64(FLVTag.trailerByteCount),
            count: FLVTag.trailerByteCount,
            by: length,
            read
        )
        let size = trailer.reduce(0) { $0 << 8 | UInt32($1) }
        return size == tag.size ? tag : nil
    }

    /// Bytes of the file, from a window that was read before if it contains them. Fewer than `count` at the end of the
    /// file.
    private mutating func bytes<Failure: Error>(
        at position: Int64,
        count: Int,
        by length: Int,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> ArraySlice<UInt8> {
        if let known = visited.bytes(at: position, count: count) ?? searched.bytes(at: position, count: count) {
            return known
        }
        guard position < byteCount else { return [] }
        visited = Window(start: position, bytes: try read(position, Int(min(Int64(length), byteCount - position))))
        return visited.bytes[...].prefix(count)
    }
}
