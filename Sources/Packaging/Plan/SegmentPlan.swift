// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A random access point of the leading track: where a segment may start.
package struct Keyframe: Hashable, Sendable {
    /// Presentation time in ticks of the leading track, on the source's own clock.
    package var time: Int64
    /// What the demuxer's seek wants for it: a decode time in MP4, a presentation time in Matroska.
    package var seekTimestamp: Int64
    /// Where it lies in the file: the packet itself, or the cluster that holds it.
    package var position: Int64

    package init(time: Int64, seekTimestamp: Int64, position: Int64) {
        self.time = time
        self.seekTimestamp = seekTimestamp
        self.position = position
    }
}

/// A place where what the decoder must be told changes, so that a new init segment is needed.
package struct ConfigurationChange: Hashable, Sendable {
    /// The segment that begins with it.
    package var firstSegment: Int
    /// Codec private data in any form that `TrackSetup` reads.
    package var privateData: [UInt8]

    package init(firstSegment: Int, privateData: [UInt8]) {
        self.firstSegment = firstSegment
        self.privateData = privateData
    }
}

/// A place where the source's own clock starts again, as where two recordings are joined.
///
/// Positions decide what belongs to which side, because times cannot.
package struct ClockJump: Hashable, Sendable {
    /// The segment that begins with the first random access point behind it.
    package var firstSegment: Int
    /// What begins at or after this byte has the new clock.
    package var position: Int64
    /// What takes a time of the new clock to the plan's, in ticks of the leading track.
    package var offset: Int64
    /// Where the new side begins on the plan's clock, in ticks of the leading track.
    package var start: Int64

    package init(firstSegment: Int, position: Int64, offset: Int64, start: Int64) {
        self.firstSegment = firstSegment
        self.position = position
        self.offset = offset
        self.start = start
    }
}

/// Where a source is cut: the one list that playlist, producer and seeking all read.
///
/// Segment *k* runs from boundary *k* to boundary *k + 1*, the last one to `end`. While a scan still goes on, the last
/// boundary opens a segment that is not announced yet. What is announced never changes.
package struct SegmentPlan: Hashable, Sendable {
    /// Ticks of the leading track: the video, or the first audio track where there is none.
    package var timeBase: TimeBase
    package var boundaries: [Keyframe]
    /// Where the leading track ends. Set once the plan is complete.
    package var end: Int64?
    package var origin: PlanOrigin
    /// Where the configuration of the leading track changes, in order. Empty as a rule.
    package var changes: [ConfigurationChange]
    /// Where the source's clock starts again, in order. Times of the plan run on over them. Empty as a rule.
    package var jumps: [ClockJump]
    /// Where pictures can be entered, boundaries among them, also beyond what is announced. Empty where sound leads.
    /// Says nothing about segments: seeking to a keyframe is all that it is for.
    package var keyframes: KeyframeTimes
    /// Keyframes by which a player can wind, each `windingInterval` or more behind the last; some of them open segments. Says nothing
    /// about segments either. Empty where sound leads.
    package var windings: [Keyframe]

    package init(
        timeBase: TimeBase,
        boundaries: [Keyframe] = [],
        end: Int64? = nil,
        origin: PlanOrigin,
        changes: [ConfigurationChange] = [],
        jumps: [ClockJump] = [],
        keyframes: KeyframeTimes = KeyframeTimes(),
        windings: [Keyframe] = []
    ) {
        self.timeBase = timeBase
        self.boundaries = boundaries
        self.end = end
        self.origin = origin
        self.changes = changes
        self.jumps = jumps
        self.keyframes = keyframes
        self.windings = windings
    }

    /// Which version of the init segment belongs to a segment: 0 up to the first change, 1 from there on, and so on.
    package func version(of index: Int) -> Int { changes.prefix { $0.firstSegment <= index }.count }

    /// The changes that announced segments have seen.
    package var announcedChanges: ArraySlice<ConfigurationChange> {
        changes.prefix { $0.firstSegment < segmentCount }
    }

    /// Announced segments that what goes before does not run on into, in order: a change, a new clock, or both.
    package var announcedBreaks: [Int] {
        let all = Set(changes.map(\.firstSegment) + jumps.map(\.firstSegment))
        return all.filter { $0 < segmentCount }.sorted()
    }

    package var isComplete: Bool { end != nil }

    /// Segments that may be announced and fetched.
    package var segmentCount: Int { isComplete ? boundaries.count : max(0, boundaries.count - 1) }

    /// Where segment `index` ends, in ticks; `nil` for one that is not announced.
    package func endTime(of index: Int) -> Int64? {
        guard index >= 0, index < segmentCount else { return nil }
        return index + 1 < boundaries.count ? boundaries[index + 1].time : end
    }

    /// The announced segment that holds `time`, clamped to the first and the last one. `nil` when there is none.
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

    /// Bytes of the file between the start of segment `index` and the next one; `nil` when the positions do not tell.
    package func byteCount(of index: Int, fileSize: Int64) -> Int64? {
        guard index >= 0, index < segmentCount else { return nil }
        let next = index + 1 < boundaries.count ? boundaries[index + 1].position : fileSize
        let count = next - boundaries[index].position
        return count > 0 ? count : nil
    }
}
