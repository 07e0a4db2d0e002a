// SPDX-License-Identifier: Apache-2.0

/// Finds keyframes of a Matroska file without Cues by the timestamps of its clusters (RFC 9559 §5.1.3), reading only
/// around the wanted time.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the
/// file. Times are in segment ticks.
package struct MatroskaSearch {
    package struct Keyframe: Hashable, Sendable {
        package var time: Int64
        /// The file offset of the cluster that contains it.
        package var cluster: Int64
    }

    private struct Cluster {
        var position: Int64
        var content: Int64
        /// `nil` for a cluster of unknown size.
        var end: Int64?
        var time: Int64
    }

    private static let windowByteCount = 32 << 10
    /// In bytes. Within this distance, clusters are visited one after the other.
    private static let nearness: Int64 = 1 << 20
    /// The length of the first step back if the clusters before the wanted time have no keyframe, in ticks. Each
    /// further step is twice as long.
    private static let firstStep: Int64 = 1000
    private static let blockLimit = 1 << 16

    /// The length of the file.
    private let byteCount: Int64
    /// Track numbers by stream index.
    private let tracks: [Int: UInt64]
    private var first: Cluster?
    /// The bytes read last, and their file offset.
    private var window: (start: Int64, bytes: [UInt8]) = (0, [])

    /// - Parameter head: the beginning of the file, including its track entries.
    package init(byteCount: Int64, head: [UInt8]) {
        self.byteCount = byteCount
        tracks = MatroskaTracks.numbers(inHead: head)
    }

    /// The last keyframe of a stream at or before a time. `nil` if there is none, or the file has no clusters.
    package mutating func keyframe<Failure: Error>(
        of stream: Int,
        atOrBefore time: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Keyframe? {
        if first == nil { first = try cluster(from: 0, upTo: byteCount, read) }
        guard let track = tracks[stream], let first, first.time <= time else { return nil }
        var searched = Int64.max
        var limit = time
        var step = Self.firstStep
        while true {
            // The timestamps of a damaged file may be arbitrary; the search still ends at the first cluster.
            let start = limit <= first.time ? first : try cluster(atOrBefore: limit, after: first, read)
            var found: Keyframe?
            var next: Cluster? = start
            while let cluster = next, cluster.position < searched, cluster.time <= time {
                found = try keyframe(of: track, in: cluster, atOrBefore: time, read) ?? found
                next = try self.cluster(after: cluster, read)
            }
            if found != nil || start.position == first.position { return found }
            searched = start.position
            limit = max(first.time, start.time - step)
            if step < 1 << 60 { step *= 2 }
        }
    }

    // MARK: Clusters

    private mutating func cluster<Failure: Error>(
        atOrBefore time: Int64,
        after first: Cluster,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Cluster {
        var low = first
        var range = TimeBisection(
            of: time,
            from: (first.position, first.time),
            upTo: (byteCount, nil),
            nearness: Self.nearness
        )
        while !range.isNear {
            let place = range.probe()
            let found = try cluster(from: place, upTo: range.high.position, read)
            if let found, found.time <= time {
                low = found
                range.advance(to: found.position, time: found.time)
            } else {
                range.limit(to: place, time: found?.time)
            }
        }
        while let next = try cluster(after: low, read), next.time <= time { low = next }
        return low
    }

    /// The first cluster that begins in a byte range.
    private mutating func cluster<Failure: Error>(
        from offset: Int64,
        upTo limit: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Cluster? {
        var at = offset
        while at < limit {
            let bytes = try read(at, Self.windowByteCount)
            guard bytes.count >= 4 else { return nil }
            for place in 0...(bytes.count - 4)
            where bytes[place] == 0x1F && bytes[place + 1] == 0x43 && bytes[place + 2] == 0xB6
                && bytes[place + 3] == 0x75 && at + Int64(place) < limit
            {
                if let found = try cluster(at: at + Int64(place), read) { return found }
            }
            at += Int64(bytes.count - 3)
        }
        return nil
    }

    private mutating func cluster<Failure: Error>(
        after cluster: Cluster,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Cluster? {
        if let end = cluster.end, let next = try self.cluster(at: end, read) { return next }
        return try self.cluster(from: cluster.end ?? cluster.content, upTo: byteCount, read)
    }

    /// The cluster at `position`. `nil` if no cluster with a timestamp begins there.
    private mutating func cluster<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Cluster? {
        guard let element = try element(at: position, read), element.id == MatroskaID.cluster else { return nil }
        var at = element.content
        for _ in 0...MatroskaID.beforeBlocks.count {
            guard let child = try self.element(at: at, read), let end = child.end else { return nil }
            if child.id == MatroskaID.timestamp {
                guard let time = MatroskaElements.unsigned(try bytes(at: child.content, upTo: end, read)),
                    time < 1 << 62
                else { return nil }
                return Cluster(
                    position: position,
                    content: element.content,
                    end: element.end,
                    time: Int64(time)
                )
            }
            guard MatroskaID.beforeBlocks.contains(child.id) else { return nil }
            at = end
        }
        return nil
    }

    // MARK: Blocks

    private mutating func keyframe<Failure: Error>(
        of track: UInt64,
        in cluster: Cluster,
        atOrBefore time: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Keyframe? {
        var found: Keyframe?
        var at = cluster.content
        for _ in 0..<Self.blockLimit where at < cluster.end ?? byteCount {
            guard let child = try element(at: at, read), !MatroskaID.ofSegment.contains(child.id), let end = child.end
            else {
                return found
            }
            if child.id == MatroskaID.simpleBlock || child.id == MatroskaID.blockGroup,
                let block = try block(child, read),
                block.track == track, block.isKey, cluster.time + block.time <= time
            {
                found = Keyframe(time: cluster.time + block.time, cluster: cluster.position)
            }
            at = end
        }
        return found
    }

    private typealias Block = (track: UInt64, time: Int64, isKey: Bool)

    /// A BlockGroup without a ReferenceBlock is a keyframe.
    private mutating func block<Failure: Error>(
        _ element: MatroskaElement,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Block? {
        guard element.id == MatroskaID.blockGroup else { return try block(at: element.content, read) }
        var at = element.content
        var found: Block?
        for _ in 0..<16 where at < element.end ?? at {
            guard let child = try self.element(at: at, read), let end = child.end else { break }
            if child.id == MatroskaID.referenceBlock { return found.map { ($0.track, $0.time, false) } }
            if child.id == MatroskaID.block {
                found = try block(at: child.content, read).map { ($0.track, $0.time, true) }
            }
            at = end
        }
        return found
    }

    private mutating func block<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Block? {
        let head = try bytes(at: position, upTo: position + 12, read)
        guard let track = MatroskaElements.number(head, 0, head.count, keepsMarker: false),
            head.count >= track.length + 3
        else { return nil }
        let time = Int16(bitPattern: UInt16(head[track.length]) << 8 | UInt16(head[track.length + 1]))
        return (track.value, Int64(time), head[track.length + 2] & 0x80 != 0)
    }

    // MARK: Bytes

    private mutating func element<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> MatroskaElement? {
        guard position >= 0, position < byteCount else { return nil }
        let head = try bytes(at: position, upTo: position + Int64(MatroskaElement.headByteCount), read)
        return MatroskaElement(head, at: position)
    }

    /// At most 16 bytes, from the window if it holds them; fewer at the end of the file.
    private mutating func bytes<Failure: Error>(
        at position: Int64,
        upTo end: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        let count = Int(min(end - position, 16))
        guard count > 0 else { return [] }
        let isHeld = window.start <= position && position + Int64(count) <= window.start + Int64(window.bytes.count)
        if !isHeld { window = (position, try read(position, 256)) }
        let start = Int(position - window.start)
        return Array(window.bytes[start..<min(start + count, window.bytes.count)])
    }
}
