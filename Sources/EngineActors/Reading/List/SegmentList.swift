// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
package import Transfers

/// A resource that a list names: all of it, or a range of its bytes.
package struct ListedResource: Hashable, Sendable {
    /// The parameters for decrypting a resource that is encrypted as a whole.
    package struct Cipher: Hashable, Sendable {
        /// Whether keys have 256 bits instead of 128.
        package let isLong: Bool
        package let keyURL: String
        package let iv: [UInt8]

        package init(isLong: Bool = false, keyURL: String, iv: [UInt8]) {
            self.isLong = isLong
            self.keyURL = keyURL
            self.iv = iv
        }

        /// The plaintext of the resource.
        func plaintext(of bytes: [UInt8], key: [UInt8]) throws(CipherError) -> [UInt8] {
            try Decryption.plaintext(of: bytes, isLong ? .aes256CBC : .aes128CBC, key: key, iv: iv, isPadded: true)
        }
    }

    /// An absolute `http:`, `https:` or `file:` URL.
    package let url: String
    package let range: Range<Int64>?
    /// `nil` if the resource is not encrypted as a whole.
    package let cipher: Cipher?
    /// Whether it is part of a segment that may not be complete yet: it may not exist yet, and a file that contains it may
    /// grow.
    package let isPart: Bool
    /// What is reported to its server. Makes no difference to the bytes, and so none between two resources.
    private(set) var object: RequestedObject

    package init(
        url: String,
        range: Range<Int64>? = nil,
        cipher: Cipher? = nil,
        isPart: Bool = false,
        as kind: RequestedObject.Kind = .media
    ) {
        self.url = url
        self.range = range
        self.cipher = cipher
        self.isPart = isPart
        object = RequestedObject(kind)
    }

    /// The same resource, reported as media of a list.
    ///
    /// - Parameter duration: `nil` if the known one applies.
    func reported(as kind: RequestedObject.Kind, lasting duration: MediaTime? = nil) -> Self {
        var resource = self
        resource.object = RequestedObject(kind, lasting: duration ?? object.duration)
        return resource
    }

    package static func == (one: Self, other: Self) -> Bool {
        (one.url, one.range, one.cipher, one.isPart) == (other.url, other.range, other.cipher, other.isPart)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(range)
        hasher.combine(cipher)
        hasher.combine(isPart)
    }
}

/// The encryption of a segment whose samples are encrypted one by one. All keys have 128 bits.
package struct SampleCipher: Hashable, Sendable {
    package let keyURL: String
    /// The IV for MPEG-TS and packed audio. fMP4 states its own IVs.
    package let iv: [UInt8]
    /// Whether samples are encrypted in counter mode (SAMPLE-AES-CTR), which is defined for fMP4 only.
    package let isCounter: Bool

    package init(keyURL: String, iv: [UInt8], isCounter: Bool = false) {
        self.keyURL = keyURL
        self.iv = iv
        self.isCounter = isCounter
    }
}

/// The segments of one media playlist, in order, and the place of each on the timeline according to the playlist.
/// Segments can be appended; the index of a segment never changes. Pure.
package struct SegmentList: Hashable, Sendable {
    package struct Segment: Hashable, Sendable {
        /// Its URL is empty once the server no longer lists the segment.
        package fileprivate(set) var resource: ListedResource
        /// The init segment of fMP4, which precedes the segment's bytes.
        package fileprivate(set) var map: ListedResource?
        /// `nil` if its samples are in the clear.
        package fileprivate(set) var samples: SampleCipher?
        /// Its start on the timeline of the leading list.
        package fileprivate(set) var start: MediaTime
        package let duration: MediaTime
        /// Whether the playlist states the duration without a fraction of a second.
        let isDurationRounded: Bool
        /// When it was recorded, as stated or implied by the playlist.
        package let date: WallTime?
        /// The number of the group of segments that share a clock and a configuration: it rises with each discontinuity.
        package let group: Int
        /// Whether its media is missing, and is not to be fetched.
        package fileprivate(set) var isGap: Bool
        /// The parts of which it consists, in order. Empty if the server lists none.
        package fileprivate(set) var pieces: [ListedResource]
        /// Whether the server has only the pieces, because the segment is not complete, or never will be.
        package let isOpen: Bool

        package var end: MediaTime { start + duration }

        /// Its first bytes. `nil` if they mean nothing without the others, because the segment is encrypted; if the
        /// segment is known not to be longer; or if it is open or no longer listed.
        var head: ListedResource? {
            let first = resource.range?.lowerBound ?? 0
            guard resource.cipher == nil, samples == nil, !resource.url.isEmpty, !isOpen,
                resource.range.map({ $0.count > SegmentList.headByteCount }) ?? true
            else { return nil }
            let head = ListedResource(url: resource.url, range: first..<first + SegmentList.headByteCount)
            return head.reported(as: resource.object.kind)
        }
    }

    private static let headByteCount: Int64 = 64 << 10

    /// The properties of one segment in a playlist.
    package struct Entry: Hashable, Sendable {
        package var resource: ListedResource
        package var map: ListedResource?
        package var samples: SampleCipher?
        package var duration: MediaTime
        /// As in `Segment`.
        package var isDurationRounded = false
        /// Whether its clock and its configuration may differ from those of the segment before it.
        package var isDiscontinuous: Bool
        /// Whether it is discontinuous only because another variant begins: the clock continues.
        package var continuesClock = false
        /// Whether its media is missing, and is not to be fetched.
        package var isGap: Bool
        /// When it was recorded. `nil` if unknown.
        package var date: WallTime?
        /// As in `Segment`.
        package var pieces: [ListedResource] = []
        package var isOpen = false

        package init(
            resource: ListedResource,
            map: ListedResource? = nil,
            samples: SampleCipher? = nil,
            duration: MediaTime,
            isDiscontinuous: Bool = false,
            isGap: Bool = false,
            date: WallTime? = nil
        ) {
            self.resource = resource
            self.map = map
            self.samples = samples
            self.duration = duration
            self.isDiscontinuous = isDiscontinuous
            self.isGap = isGap
            self.date = date
        }
    }

    package private(set) var segments: [Segment] = []
    /// The first segment of each group.
    package private(set) var groups: [Int] = []
    /// The groups that continue the clock of the group before them: those with which another variant begins.
    package private(set) var continuations: Set<Int> = []
    /// What the segments hold, as far as the playlists say.
    let content: RequestedObject.Kind
    /// Whether the oldest segments are dropped while others follow.
    package let slides: Bool
    /// The oldest segment that the server still lists. 0 unless the list slides.
    package private(set) var oldest = 0
    /// The segment that is read first. Its tracks and its clock apply to the whole list. Above 0 in a list that slides,
    /// whose first segments may be gone before they can be fetched, and where the first group lacks video or audio that
    /// a later one has (`ListEntrance`).
    package private(set) var entrance: Int
    /// The start of the next segment.
    private var end: MediaTime

    /// - Parameters:
    ///   - start: where the first segment begins on the timeline of the leading list.
    ///   - entrance: an index in `entries`.
    package init(
        _ entries: [Entry],
        holding content: RequestedObject.Kind = .media,
        startingAt start: MediaTime = .zero,
        entrance: Int = 0,
        slides: Bool = false
    ) {
        self.content = content
        self.entrance = entrance
        self.slides = slides
        end = start
        segments.reserveCapacity(entries.count)
        for entry in entries { append(entry) }
    }

    package mutating func append(_ entry: Entry) {
        if entry.isDiscontinuous || groups.isEmpty {
            if entry.continuesClock, !groups.isEmpty { continuations.insert(groups.count) }
            groups.append(segments.count)
        }
        segments.append(
            Segment(
                resource: entry.resource.reported(as: content, lasting: entry.duration),
                map: entry.map,
                samples: entry.samples,
                start: end,
                duration: entry.duration,
                isDurationRounded: entry.isDurationRounded,
                date: entry.date,
                group: groups.count - 1,
                isGap: entry.isGap,
                pieces: entry.pieces.map { $0.reported(as: content) },
                isOpen: entry.isOpen
            )
        )
        end = end + entry.duration
    }

    /// Drops the URLs of the segments before `index`, which the server no longer lists. The segment that is read first keeps
    /// its URL.
    mutating func forget(before index: Int) {
        let (first, head) = (min(max(oldest, index), segments.count), head)
        for place in oldest..<first where place != head {
            segments[place].resource = ListedResource(url: "")
            (segments[place].map, segments[place].samples, segments[place].pieces) = (nil, nil, [])
        }
        oldest = first
    }

    /// Replaces the resources of a segment with those of another load. The segment that is read first keeps its own, which stay
    /// cached.
    mutating func rename(_ index: Int, _ entry: Entry) {
        guard segments.indices.contains(index), index != head else { return }
        segments[index].resource = entry.resource.reported(as: content, lasting: entry.duration)
        (segments[index].map, segments[index].samples, segments[index].pieces) = (
            entry.map, entry.samples, entry.pieces
        )
    }

    /// This list preceded by `count` gaps that represent the segments of an earlier process. The gaps have already left the
    /// window. Each is a discontinuity, because the earlier process may have announced that many.
    func following(_ count: Int, of duration: MediaTime) -> Self {
        let gap = Entry(
            resource: ListedResource(url: ""),
            duration: duration,
            isDiscontinuous: true,
            isGap: true
        )
        var list = SegmentList(
            Array(repeating: gap, count: count),
            holding: content,
            startingAt: segments.first?.start ?? .zero,
            entrance: entrance + count,
            slides: slides
        )
        for segment in segments {
            var entry = Entry(
                resource: segment.resource,
                map: segment.map,
                samples: segment.samples,
                duration: segment.duration,
                isDiscontinuous: list.segments.count - count == groups[segment.group],
                isGap: segment.isGap,
                date: segment.date
            )
            entry.continuesClock = continuations.contains(segment.group)
            (entry.pieces, entry.isOpen) = (segment.pieces, segment.isOpen)
            entry.isDurationRounded = segment.isDurationRounded
            list.append(entry)
        }
        list.forget(before: count + oldest)
        return list
    }

    /// This list followed by the segment that is not complete yet. Unchanged if `index` is not the next one.
    func including(_ entry: Entry, as index: Int) -> Self {
        guard index == segments.count else { return self }
        var list = self
        list.append(entry)
        return list
    }

    /// Makes reading enter the list at a segment.
    mutating func enter(at index: Int) { if segments.indices.contains(index) { entrance = index } }

    /// Moves the segments from `first` on to a later time.
    mutating func move(from first: Int = 0, by distance: MediaTime) {
        for index in segments.indices.dropFirst(first) { segments[index].start = segments[index].start + distance }
        end = end + distance
    }

    /// Marks the media of a segment as missing.
    mutating func lose(_ index: Int) { if segments.indices.contains(index) { segments[index].isGap = true } }

    /// The end of the last segment.
    package var duration: MediaTime { segments.last?.end ?? .zero }

    /// The time from the start of `lead` to the start of the list, according to the dates in both. `nil` if one of them
    /// has no dates, or if the lists would not overlap, so that their dates come from different clocks.
    package func offset(from lead: SegmentList) -> MediaTime? {
        guard let own = segments.first?.date, let other = lead.segments.first?.date else { return nil }
        let offset = own - other
        let length = segments.reduce(MediaTime.zero) { $0 + $1.duration }
        return offset < lead.duration && offset + length > .zero ? offset : nil
    }

    /// The first of the groups that share the clock of `group` and follow each other.
    func firstGroup(onClockOf group: Int) -> Int {
        var first = group
        while continuations.contains(first) { first -= 1 }
        return first
    }

    /// The group whose clock is that of the whole source.
    var reference: Int { segments[entrance].group }

    /// The first segment of a group that has media and is still listed. If there is none, the first segment of the group. In
    /// the group that is read first, the search begins at the entrance.
    func head(ofGroup group: Int) -> Int {
        let first = groups[group]
        let end = group + 1 < groups.count ? groups[group + 1] : segments.count
        if group == reference { return (entrance..<end).first { !segments[$0].isGap } ?? entrance }
        return (max(first, min(oldest, end))..<end).first { !segments[$0].isGap } ?? first
    }

    /// The first segment with media, from the entrance on.
    var head: Int { segments[entrance...].firstIndex { !$0.isGap } ?? entrance }

    /// The segment that reveals whether segments begin with keyframes. `nil` if there is none, as in fMP4.
    var alignmentSample: Int? {
        (entrance..<min(entrance + 2, segments.count)).first { index in
            let segment = segments[index]
            return index > groups[reference] && segment.group == reference && segment.map == nil && !segment.isGap
        }
    }

    /// The segments with media that follow `index` in its group, at most `count`.
    func following(_ index: Int, count: Int) -> [Int] {
        let group = segments[index].group
        let rest = segments.indices.dropFirst(index + 1).lazy.prefix { segments[$0].group == group }
        return Array(rest.filter { !segments[$0].isGap }.prefix(count))
    }

    /// Whether the durations of a group are stated more precisely than to the second, as its first segment shows. `false`
    /// for a list that slides, which may have lost that segment.
    func hasExactDurations(inGroup group: Int) -> Bool { !slides && !segments[groups[group]].isDurationRounded }

    /// The segment that contains `time` according to the durations in the playlist, clamped to the first and the last one.
    ///
    /// - Precondition: the list is not empty.
    package func segment(at time: MediaTime) -> Int {
        var (low, high) = (0, segments.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].start <= time { low = middle } else { high = middle }
        }
        return low
    }
}

/// A position in a list, encoded as an offset in a sparse file. Each segment has a fixed range of offsets, far larger than the
/// segment, so that offsets ascend through the list and reveal the segment that they belong to.
package struct ListPlace: Hashable, Sendable {
    /// 2³² offsets for each segment, far more than its maximum length, and 2²⁴ segments for each list.
    private static let segmentBits: Int64 = 32

    /// The number of the list in its source.
    package let list: Int
    package let segment: Int
    /// Counted from the start of the init segment, which precedes the segment.
    package let offset: Int64

    package init(list: Int = 0, segment: Int, offset: Int64 = 0) {
        self.list = list
        self.segment = segment
        self.offset = min(max(0, offset), (1 << Self.segmentBits) - 1)
    }

    /// - Parameter position: not negative.
    package init(position: Int64) {
        list = Int(position >> 56)
        segment = Int((position >> Self.segmentBits) & 0xFF_FFFF)
        offset = position & ((1 << Self.segmentBits) - 1)
    }

    package var position: Int64 { Int64(list) << 56 | Int64(segment) << Self.segmentBits | offset }
}
