// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Reads the packets of one list, segment after segment, as packets of the whole source: with the source's stream numbers,
/// on its clock, and with places in the list as positions.
///
/// Not thread-safe: owned by one reader.
final class SegmentWalk {
    /// The segment that is being read.
    private struct Current {
        let segment: OpenSegment
        let listed: SegmentList.Segment
        /// Its number in its group.
        let number: Int
        /// The clock of the segment's group.
        let clock: ListClock
        /// As in `ListClock.tolerance`.
        let isExact: Bool
        var placer: PacketPlacer
        /// `Packet.format` of the packets of each stream; 0 for streams that are not in here.
        var formats: [Int: Int] = [:]
        /// The variant whose segment it is, and the codec private data of its video. `nil` if it is of the list itself.
        var other: (variant: Int, configuration: [UInt8])?
    }

    /// What the configuration of a packet depends on.
    private struct Configured: Hashable {
        let group: Int
        let variant: Int?
    }

    /// At most this many packets of each audio stream reveal its format.
    private static let sampledPackets = 16

    /// How many times a missing segment that was listed a moment ago is requested, and the interval in nanoseconds.
    private static let attempts = 8
    private static let attemptInterval: Int64 = 500_000_000

    /// The number of the list in its source.
    private let number: Int
    private let source: SegmentListSource
    private let interrupt: InterruptFlag
    private var streams: ListStreams
    private var course = SegmentCourse()
    private var open: Current?
    /// The configuration that the previous packet had; `nil` after a jump.
    private var configured: Configured?
    /// Chooses the variants of segments. `nil`: all are of the list itself.
    private var variants: VariantCourse?
    /// Up to where a growing list of text is needed: readers do not wait long for text after this time. `nil` if unlimited.
    private var limit: MediaTime?
    /// The next packet, if it was read already.
    private var pending: Packet?
    /// Whether the segment that is not complete is read too, as far as it has arrived. Reading then never waits. Takes effect
    /// with the next jump.
    private(set) var readsArriving = false

    init(_ number: Int, of source: SegmentListSource, _ known: [StreamInfo], _ interrupt: InterruptFlag) {
        self.number = number
        self.source = source
        self.interrupt = interrupt
        streams = ListStreams(known)
        source.audio.register(known.map(\.index), of: number)
        if number == 0 { source.groups.register(streams.video) }
    }

    private var list: SegmentList { readsArriving ? source.arriving(number) : source.parts[number].list }
    private var isText: Bool { source.parts[number].kind == .text }

    /// The number of the segment that is being read, or is read next.
    var segment: Int { open?.segment.index ?? course.next }

    var reads: Bool { streams.isRead }

    /// `nil` if the stream is not of this list.
    func timeBase(of stream: Int) -> TimeBase? { streams.timeBase(of: stream) }

    func keep(only streams: Set<Int>) {
        self.streams.keep(only: streams)
        if let pending, !self.streams.keeps(pending.streamIndex) { self.pending = nil }
        selectStreams()
    }

    /// Decides whether segments that are not complete are read too. Takes effect with the next jump.
    func reads(arriving: Bool) { readsArriving = arriving }

    /// From now on, segments of the variants that are chosen replace those of the list.
    func follow(_ variants: VariantCourse) { self.variants = variants }

    /// Goes to the start of a segment.
    ///
    /// - Parameter last: the last segment to read; reading ends after it.
    func enter(_ segment: Int, upTo last: Int = .max) {
        open = nil
        pending = nil
        configured = nil
        course = SegmentCourse(from: segment, upTo: last)
    }

    /// Goes to the segment that contains a time, according to the durations in the playlist.
    ///
    /// - Parameter time: counted from the start of the list.
    func enter(at time: MediaTime) {
        let segment = list.segment(at: time)
        // Without dates, the place of a sliding text list on the timeline is known only roughly.
        enter(isText && list.slides ? segment - 1 : segment)
    }

    /// Makes reading of a growing list of text end once no more text before `time` can follow.
    ///
    /// - Parameter time: counted from the start of the list.
    func limitText(to time: MediaTime) { if isText { limit = time } }

    /// The next packet, without consuming it. `nil` at the end.
    func peek() throws(EngineError) -> Packet? {
        if pending == nil { pending = try readOn() }
        return pending
    }

    /// The next packet of a kept stream; `nil` at the end.
    func read() throws(EngineError) -> Packet? {
        defer { pending = nil }
        return try peek()
    }

    /// When the next packet is decoded: the earliest possible time if the packet states none; `nil` at the end.
    func nextTime() throws(EngineError) -> MediaTime? {
        guard let packet = try peek() else { return nil }
        guard let base = timeBase(of: packet.streamIndex), let time = packet.dts ?? packet.pts else {
            return MediaTime(microseconds: .min)
        }
        return MediaTime(time, in: base)
    }

    /// When the first segment of the leading list is presented, on the source's clock.
    func origin() throws(EngineError) -> MediaTime { try clock(ofGroup: source.lead.reference, of: 0).origin }

    private func readOn() throws(EngineError) -> Packet? {
        while true {
            if open == nil {
                let step = course.step(in: list, skipsOld: isText)
                guard reads else { return nil }
                switch step {
                case .end: return nil
                case .grow(let next):
                    guard !readsArriving else { return nil }
                    guard try source.grows(beyond: next, list: number, upTo: limit, interrupt) else { return nil }
                    continue
                case .open(let next): guard try begin(next) else { continue }
                }
            }
            guard let segment = open?.segment else { return nil }
            guard let packet = try segment.nextPacket(of: source.path) else {
                course.pass(segment.index)
                open = nil
                continue
            }
            if let placed = try placed(packet, in: segment) { return placed }
        }
    }

    /// Begins to read a segment.
    ///
    /// - Returns: whether the segment can be read. If not, it is skipped from now on.
    private func begin(_ index: Int) throws(EngineError) -> Bool {
        let list = list
        guard list.segments.indices.contains(index) else {
            throw EngineError(.sourceNotReadable, "segment \(index) of \(source.path) is no longer listed")
        }
        if let other = try variants?.segment(index, matching: streams, interrupt) {
            if try begin(other, insteadOf: index, of: list) { return true }
            variants?.refuse(index, of: other)
        }
        guard let segment = try opened(index, of: number) else { return false }
        let listed = list.segments[index]
        let clock = try clock(ofGroup: listed.group, of: number)
        open = Current(
            segment: segment,
            listed: listed,
            number: index - list.groups[listed.group],
            clock: clock,
            isExact: list.hasExactDurations(inGroup: listed.group),
            placer: PacketPlacer(clock)
        )
        do throws(ListStreams.OtherVideo) {
            try match(segment, in: listed.group)
        } catch {
            throw EngineError(
                .segmentFailed,
                "segment \(index) of \(source.path) has \(error.found.rawValue) video, which cannot follow "
                    + "\(error.expected.rawValue)"
            )
        }
        try learnAudio(ofGroup: listed.group)
        noteFormats(in: listed.group, of: number)
        return true
    }

    /// Assigns the streams of the open segment, and notes the format of its video.
    private func match(_ segment: OpenSegment, in group: Int) throws(ListStreams.OtherVideo) {
        defer { selectStreams() }
        try streams.match(segment.context.streamInfos())
        guard number == 0, let video = streams.video else { return }
        let other = source.video(ofVersion: group)
        try streams.checkVideo(of: other?.stream.codec)
        open?.formats[video.index] = other?.number
    }

    /// Begins to read a segment of another variant.
    ///
    /// - Returns: whether the video of the segment has the codec of the group's video. If not, no segment is open.
    private func begin(
        _ other: VariantCourse.Segment,
        insteadOf index: Int,
        of list: SegmentList
    ) throws(EngineError) -> Bool {
        let listed = list.segments[index]
        let number = index - list.groups[listed.group]
        let leading = try clock(ofGroup: listed.group, of: 0)
        let own = other.anchor.map { leading.replaced(by: $0, at: listed.start, number: number) }
        let clock = own ?? leading
        open = Current(
            segment: other.open,
            listed: listed,
            number: own == nil ? number : 0,
            clock: clock,
            isExact: list.hasExactDurations(inGroup: listed.group),
            placer: PacketPlacer(clock)
        )
        open?.other = (other.variant, other.configuration)
        do throws(ListStreams.OtherVideo) { try match(other.open, in: listed.group) } catch {
            open = nil
            return false
        }
        // The audio of a variant has formats of its own, as if it were another list.
        let place = ListAudio.place(ofVariant: other.variant)
        if !streams.audio.isEmpty, !source.audio.isKnown(listed.group, of: place) {
            let segment = try OpenSegment.identified(index, of: other.list, interrupt)
            source.audio.note(try formats(in: segment, listed.start, clock), in: listed.group, of: place)
        }
        noteFormats(in: listed.group, of: place)
        return true
    }

    /// - Parameter place: the list whose formats the audio of the open segment has.
    private func noteFormats(in group: Int, of place: Int) {
        for target in streams.audio.values {
            guard let codec = streams.codec(of: target.stream) else { continue }
            open?.formats[target.stream] = source.audio.format(
                of: target.stream,
                codec,
                target.otherCodec,
                in: group,
                of: place
            )
        }
    }

    /// Reads the formats of the audio of a group from its first segment that has media and is still listed. They may
    /// differ from those of the group that was read first.
    func learnAudio(ofGroup group: Int) throws(EngineError) {
        let list = source.parts[number].list
        guard group != list.reference, list.groups.indices.contains(group), !isText, !streams.audioStreams.isEmpty,
            !source.audio.isKnown(group, of: number)
        else { return }
        let head = list.head(ofGroup: group)
        guard let segment = try opened(head, of: number) else { return }
        let clock = try clock(ofGroup: group, of: number)
        source.audio.note(try formats(in: segment, list.segments[head].start, clock), in: group, of: number)
    }

    /// Reads the configuration and the codec that the video has in a group of the leading list, unless they are known.
    func learnVideo(ofGroup group: Int) throws(EngineError) {
        guard source.lead.groups.indices.contains(group) else { return }
        _ = try clock(ofGroup: group, of: 0)
    }

    /// The formats of the audio streams of a segment, from the first packets of each.
    ///
    /// - Parameter start: where the segment begins, counted from the start of the list.
    private func formats(
        in segment: OpenSegment,
        _ start: MediaTime,
        _ clock: ListClock
    ) throws(EngineError) -> [Int: ListedAudio] {
        var match = streams
        let infos = segment.context.streamInfos()
        do throws(ListStreams.OtherVideo) { try match.match(infos) } catch { return [:] }
        let described = segment.context.describe(source: source.path).streams
        let targets = match.audio
        var packets: [Int: [Packet]] = [:]
        var open = Set(targets.keys)
        while !open.isEmpty, let packet = try segment.nextPacket(of: source.path) {
            let index = packet.streamIndex
            guard open.contains(index), let target = targets[index], let time = packet.pts ?? packet.dts else {
                continue
            }
            let shift = segment.shift(near: start, by: clock).ticks(in: target.ownBase)
            let placed = clock.placed(
                time &+ shift,
                in: target.ownBase,
                near: start,
                wraps: segment.wraps,
                target: target.base
            )
            let duration = target.ownBase.rescale(packet.duration, to: target.base)
            packets[index, default: []].append(
                packet.listed(stream: target.stream, pts: placed, dts: placed, duration: duration, position: nil)
            )
            if packets[index]?.count == Self.sampledPackets { open.remove(index) }
        }
        var found: [Int: ListedAudio] = [:]
        for info in infos {
            guard let target = targets[info.index], let first = packets[info.index]?.first, let time = first.pts else {
                continue
            }
            let description = described.first { $0.index == info.index }
            found[target.stream] = ListedAudio(
                info.codec,
                info.extradata,
                first.bytes,
                description?.audio,
                time,
                sample: try segment.sample(of: info, description, packets[info.index] ?? [], target, source.path)
            )
        }
        return found
    }

    /// The time by which the list is later on the timeline than its playlist implies, according to the times in its
    /// segments. `nil` if they have no times. A list that does not slide is placed by its playlist if its times are far from that
    /// place (`PacketPlacer`).
    func distance() throws(EngineError) -> MediaTime? {
        let head = list.head
        guard let segment = try opened(head, of: number), segment.statesTimes else { return nil }
        let (listed, base) = (list.segments[head], TimeBase(1, 90_000))
        let clock = try clock(ofGroup: listed.group, of: number)
        let stated = try segment.beginning(of: source.path).time.ticks(in: base)
        let place = clock.placed(stated, in: base, near: listed.start, wraps: segment.wraps, target: base)
        let time = MediaTime(place, in: base)
        let first = head - list.groups[listed.group]
        let correction = list.slides ? .zero : clock.deviation(of: time, number: first, near: listed.start)
        return time + correction - clock.origin - listed.start
    }

    /// Opens a segment. Returns `nil` if it is lost and counts as a gap from now on, or if it is text that has left the
    /// window.
    private func opened(_ index: Int, of list: Int) throws(EngineError) -> OpenSegment? {
        for attempt in 1...Self.attempts {
            do throws(EngineError) {
                let segment = try OpenSegment(index, of: list, in: source, interrupt)
                try segment.identifyStreams(of: source, measuresRates: false)
                return segment
            } catch {
                switch source.loss(of: index, in: list, because: error) {
                case .none:
                    if isText, index < source.parts[list].list.oldest { return nil }
                    throw error
                case .early where attempt < Self.attempts: interrupt.wait(atMost: Self.attemptInterval)
                case .early, .lost:
                    source.lose(index, of: list, because: error)
                    return nil
                }
            }
        }
        return nil
    }

    /// The codec private data that applies from the next packet on; `nil` if it cannot have changed.
    private func newConfiguration(_ target: ListStreams.Target, _ open: Current) -> [UInt8]? {
        let place = Configured(group: open.listed.group, variant: open.other?.variant)
        guard number == 0, configured != place, target.isVideo, variants != nil || source.lead.groups.count > 1 else {
            return nil
        }
        configured = place
        let data = open.other?.configuration ?? source.configuration(ofGroup: place.group) ?? []
        return data.isEmpty ? nil : data
    }

    private func selectStreams() { open?.segment.keep(only: streams.wanted) }

    private func placed(_ packet: Packet, in segment: OpenSegment) throws(EngineError) -> Packet? {
        guard let target = streams.target(of: packet.streamIndex), let open else { return nil }
        let (listed, clock) = (open.listed, open.clock)
        let place = PacketPlacer.Segment(
            start: listed.start,
            number: open.number,
            isExact: open.isExact,
            wraps: segment.wraps,
            isSparse: segment.isSparse,
            shift: segment.shift(near: listed.start, by: clock),
            // In a list that slides, the earlier segment may be gone.
            repeatsCues: segment.repeatsCues && segment.index > 0 && !source.parts[number].list.slides,
            endsAtOrigin: number > 0 && listed.start < .zero
        )
        let stated = PacketPlacer.Times(pts: packet.pts, dts: packet.dts)
        var placer = open.placer
        let times = try placer.place(stated, of: place, from: target.ownBase, to: target.base) {
            (deviation) throws(EngineError) in
            guard open.other == nil else { return deviation }
            let search = RestartSearch(source: source, list: list, number: number, clock: clock, interrupt: interrupt)
            return try search.correction(of: segment.index, deviation: deviation)
        }
        self.open?.placer = placer
        guard let times else { return nil }
        return packet.listed(
            stream: target.stream,
            pts: times.pts,
            dts: times.dts,
            duration: target.ownBase.rescale(packet.duration, to: target.base),
            // Only places in the leading list reveal which segment of the plan a packet belongs to.
            position: number == 0 ? ListPlace(segment: segment.index, offset: packet.position ?? 0).position : nil,
            newPrivateData: newConfiguration(target, open),
            format: open.formats[target.stream] ?? 0
        )
    }

    // MARK: The clock

    private func clock(ofGroup group: Int, of list: Int) throws(EngineError) -> ListClock {
        try source.clock(ofGroup: group, in: list) { group throws(EngineError) in
            while true {
                let head = source.lead.head(ofGroup: group)
                // Opened separately, so that the read position of this walk does not change.
                if let segment = try opened(head, of: 0) {
                    return try ListGroups.Found(segment, in: source) { index throws(EngineError) in
                        try opened(index, of: 0)
                    }
                }
                if source.lead.head(ofGroup: group) == head {
                    throw EngineError(
                        .segmentFailed,
                        "no segment of \(source.path) between two discontinuities can be read"
                    )
                }
            }
        }
    }
}
