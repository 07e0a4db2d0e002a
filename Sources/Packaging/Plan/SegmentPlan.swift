// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A random access point of the leading track: where a segment may start.
package struct Keyframe: Hashable, Sendable {
    /// Presentation time in ticks of the leading track, on the source's own clock.
    package var time: Int64
    /// The timestamp for the demuxer's seek: a decode time in MP4, a presentation time in Matroska.
    package var seekTimestamp: Int64
    /// The file position of the packet itself, or of the cluster that contains it.
    package var position: Int64

    package init(time: Int64, seekTimestamp: Int64, position: Int64) {
        self.time = time
        self.seekTimestamp = seekTimestamp
        self.position = position
    }
}

/// A point where the decoder configuration changes, so that a new init segment is needed.
package struct ConfigurationChange: Hashable, Sendable {
    /// The segment that starts at the change.
    package var firstSegment: Int
    /// Codec private data in any form that `TrackSetup` reads.
    package var privateData: [UInt8]

    package init(firstSegment: Int, privateData: [UInt8]) {
        self.firstSegment = firstSegment
        self.privateData = privateData
    }
}

/// A point where the source's clock restarts, for example where two recordings were joined.
///
/// File positions decide which side a packet belongs to, because times cannot.
package struct ClockJump: Hashable, Sendable {
    /// The segment that starts at the first random access point after the jump.
    package var firstSegment: Int
    /// Packets at or after this byte use the new clock.
    package var position: Int64
    /// Added to a time of the new clock to get the plan's time, in ticks of the leading track.
    package var offset: Int64
    /// The start of the part after the jump on the plan's clock, in ticks of the leading track.
    package var start: Int64
    /// Before this byte, some packets of streams other than the video still use the old clock. At most `position` if
    /// there are none.
    package var lastChange: Int64

    package init(firstSegment: Int, position: Int64, offset: Int64, start: Int64, lastChange: Int64 = 0) {
        self.firstSegment = firstSegment
        self.position = position
        self.offset = offset
        self.start = start
        self.lastChange = lastChange
    }
}

/// The boundaries of a source's segments: the single list used by playlists, the producer and seeking.
///
/// Segment *k* extends from boundary *k* to boundary *k + 1*, the last one to `end`. While a scan is running, the last
/// boundary starts a segment that is not announced yet. Announced segments never change.
package struct SegmentPlan: Hashable, Sendable {
    /// Ticks of the leading track: the video, or the first audio track if there is no video.
    package var timeBase: TimeBase
    package var boundaries: [Keyframe]
    /// The end of the leading track. Set once the plan is complete.
    package var end: Int64?
    package var origin: PlanOrigin
    /// The changes of the leading track's configuration, in order. Usually empty.
    package var changes: [ConfigurationChange]
    /// The restarts of the source's clock, in order. The plan's times are continuous across jumps. Usually empty.
    package var jumps: [ClockJump]
    /// Segments at whose start the configuration of the leading track may change, in order: those that a playlist marks
    /// as discontinuous. The new configuration is known only once they are read. Each starts a new version of the init
    /// segment.
    package var restarts: [Int]
    /// Known keyframes, including boundaries and those beyond the announced segments. Empty if audio leads. Used
    /// only for seeking to a keyframe; unrelated to segments.
    package var keyframes: KeyframeTimes
    /// Keyframes for trick play, each at least `trickPlayInterval` after the previous one, whether or not it starts a
    /// segment. Empty if audio leads.
    package var trickPlayKeyframes: [Keyframe]
    /// Bits per second, if the positions of boundaries do not reveal the number of bytes between them. Otherwise `nil`.
    package var bitRate: Int64?
    /// Whether the video is refreshed gradually instead of having keyframes, so that pictures are complete only some
    /// time after decoding starts at a boundary.
    package var hasGradualRefresh: Bool
    /// The length of the parts into which segments are divided for low latency, in ticks. `nil`: segments have no
    /// parts.
    package var partLength: Int64?
    /// The time before which everything in the segment after the announced ones is known, and before which it does not
    /// end. `nil` if no part of that segment may be announced.
    package var settled: Int64?

    package init(
        timeBase: TimeBase,
        boundaries: [Keyframe] = [],
        end: Int64? = nil,
        origin: PlanOrigin,
        changes: [ConfigurationChange] = [],
        jumps: [ClockJump] = [],
        restarts: [Int] = [],
        keyframes: KeyframeTimes = KeyframeTimes(),
        trickPlayKeyframes: [Keyframe] = [],
        bitRate: Int64? = nil,
        hasGradualRefresh: Bool = false,
        partLength: Int64? = nil,
        settled: Int64? = nil
    ) {
        self.timeBase = timeBase
        self.boundaries = boundaries
        self.end = end
        self.origin = origin
        self.changes = changes
        self.jumps = jumps
        self.restarts = restarts
        self.keyframes = keyframes
        self.trickPlayKeyframes = trickPlayKeyframes
        self.bitRate = bitRate
        self.hasGradualRefresh = hasGradualRefresh
        self.partLength = partLength
        self.settled = settled
    }

    /// The init segment version of a segment: 0 up to the first change, 1 after it, and so on.
    package func version(of index: Int) -> Int {
        changes.prefix { $0.firstSegment <= index }.count + restarts.prefix { $0 <= index }.count
    }

    /// The number of versions after the first one within the announced segments.
    package var announcedVersionCount: Int { segmentCount > 0 ? version(of: segmentCount - 1) : 0 }

    /// The changes within the announced segments.
    package var announcedChanges: ArraySlice<ConfigurationChange> {
        changes.prefix { $0.firstSegment < segmentCount }
    }

    /// Announced segments that are not continuous with the previous one, in order: after a configuration change, a
    /// clock jump, or a restart.
    package var announcedDiscontinuities: [Int] {
        let all = Set(changes.map(\.firstSegment) + jumps.map(\.firstSegment) + restarts)
        return all.filter { $0 < segmentCount }.sorted()
    }

    package var isComplete: Bool { end != nil }

    /// Segments that may be announced and fetched.
    package var segmentCount: Int { isComplete ? boundaries.count : max(0, boundaries.count - 1) }

    /// Where the last byte of a segment is expected. Audio that precedes the next keyframe in time may be stored after
    /// it.
    ///
    /// - Parameter bytes: from the segment's keyframe to the next one.
    package static func expectedEnd(of bytes: Range<Int64>) -> Int64 {
        bytes.upperBound + min(Int64(bytes.count) / 8, 128 << 10)
    }

    /// The byte range to read for the segments, judging by the positions of boundaries. `nil` if the positions do not
    /// reveal it, or if the range is too large to fetch at once.
    package func bytes(ofSegments segments: ClosedRange<Int>) -> Range<Int64>? {
        guard bitRate == nil, segments.upperBound + 1 < boundaries.count else { return nil }
        let start = boundaries[segments.lowerBound].position
        let end = boundaries[segments.upperBound + 1].position
        guard start >= 0, start < end, end - start <= 16 << 20 else { return nil }
        return start..<Self.expectedEnd(of: start..<end)
    }

    /// The byte range of the segment that contains a time, in ticks. `nil` if it is not planned yet, and as above.
    package func bytes(at time: Int64) -> Range<Int64>? {
        guard let segment = segment(at: time), let end = endTime(of: segment), isComplete || time < end else {
            return nil
        }
        return bytes(ofSegments: segment...segment)
    }

    /// The end of segment `index`, in ticks; `nil` if it is not announced.
    package func endTime(of index: Int) -> Int64? {
        guard index >= 0, index < segmentCount else { return nil }
        return index + 1 < boundaries.count ? boundaries[index + 1].time : end
    }

    /// The announced segment that contains `time`, clamped to the first and last one. `nil` if there is none.
    package func segment(at time: Int64) -> Int? {
        guard segmentCount > 0 else { return nil }
        var low = 0
        var high = segmentCount
        while high - low > 1 {
            let middle = (low + high) / 2
            if boundaries[middle].time <= time { low = middle } else { high = middle }
        }
        return low
    }

    /// Bytes in the file between the start of segment `index` and the next; `nil` if the positions are not ascending.
    /// With a `bitRate`, an estimate from the segment's duration.
    package func byteCount(of index: Int, fileSize: Int64) -> Int64? {
        guard index >= 0, index < segmentCount else { return nil }
        if let bitRate {
            guard let end = endTime(of: index) else { return nil }
            return Int64(timeBase.seconds(end - boundaries[index].time) * Double(bitRate) / 8)
        }
        let next = index + 1 < boundaries.count ? boundaries[index + 1].position : fileSize
        let count = next - boundaries[index].position
        return count > 0 ? count : nil
    }
}
