// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The claims of a container's index, before they are verified.
struct ContainerIndex {
    /// If more bytes than this follow the last indexed keyframe, the index counts as ending before the source.
    static let tailByteLimit = 64 << 20
    /// The longest plausible distance between keyframes, unless four times the target duration is longer.
    private static let largestGap = MediaTime.seconds(30)
    /// The minimum number of boundaries that are verified before the other entries are trusted, of a plan that has so
    /// many. Fewer than twice as many are verified.
    private static let sampleCount = 96
    /// The number of keyframes that are verified in a remote source, where all of them are fetched at once.
    private static let remoteSampleCount = 4
    /// The number of bytes of a remote source that are fetched to verify an entry. In Matroska, packets of other
    /// streams may precede the packet of the entry.
    private static func remoteSampleByteCount(_ container: ContainerFormat) -> Int64 {
        container.isMatroska ? 12 << 10 : 8 << 10
    }

    struct Distrust: Error { let text: String }

    /// The last packet of a stream, in ticks of the stream. The duration is 0 when the container does not state it.
    struct LastPacket {
        var time: Int64
        var duration: Int64
    }

    private let container: ContainerFormat
    private let isRemote: Bool
    /// The length of the source.
    private let byteCount: Int64
    /// Entries of the leading stream, in file order.
    private let entries: [IndexEntry]
    /// MP4: presentation minus decode time of every sample. `nil` if it could not be read, and for other containers.
    private let offsets: CompositionOffsets?
    /// MP4: which configuration each sample uses. `nil` if that could not be read, and for other containers.
    private let descriptions: SampleDescriptions?
    /// The last packet of each stream, by stream index.
    private let lastPackets: [Int: LastPacket]
    /// Whether reading from the last indexed keyframe reached the end of the source. Always true for MP4, of which
    /// nothing is read.
    private let isTailComplete: Bool
    /// Whether the packets of the leading stream are stored compressed: their bytes in the file show nothing.
    private let isCompressed: Bool
    private let decodeShift: Int64
    /// The first entry that is presented. The ones before it, which an edit list hides, are needed for decoding.
    private let firstShown: Int

    init(
        container: ContainerFormat,
        isRemote: Bool = false,
        byteCount: Int64,
        entries: [IndexEntry],
        offsets: CompositionOffsets? = nil,
        descriptions: SampleDescriptions? = nil,
        lastPackets: [Int: LastPacket],
        isTailComplete: Bool = true,
        isCompressed: Bool = false
    ) {
        self.container = container
        self.isRemote = isRemote
        self.byteCount = byteCount
        self.entries = entries
        self.offsets = offsets
        self.descriptions = descriptions
        self.lastPackets = lastPackets
        self.isTailComplete = isTailComplete
        self.isCompressed = isCompressed
        decodeShift = offsets?.decodeShift ?? 0
        firstShown = entries.firstIndex { !$0.isDiscarded } ?? entries.endIndex
    }

    /// The end of a track on the timeline; `nil` if its last packet is unknown.
    func end(of track: PlayedTrack) -> MediaTime? {
        guard let last = lastPacket(of: track) else { return nil }
        return MediaTime(track.end(ofPacketAt: last.time, lasting: last.duration), in: track.track.timeBase)
    }

    /// The packet of a track that is presented last.
    private func lastPacket(of track: PlayedTrack) -> LastPacket? {
        guard let last = lastPackets[track.stream.index] else { return nil }
        guard track.kind == .video, container.isMP4, let offsets else { return last }
        guard let place = entries.lastIndex(where: { $0.lies(within: byteCount) && !$0.isDiscarded }) else {
            return nil
        }
        let recent = entries.indices[...place].suffix(64).filter { !entries[$0].isDiscarded }
        return recent.map { entries[$0].timestamp + decodeShift + offsets[$0] }.max()
            .map { LastPacket(time: $0, duration: last.duration) }
    }

    /// The plan, or the reason for rejecting the index.
    ///
    /// - Parameters:
    ///   - firstPacket: the first packet of the track, if there is one.
    ///   - read: reads the source, to verify entries of the index.
    func plan(
        for track: PlayedTrack,
        limits: SegmentPlanner.Limits,
        firstPacket: Packet?,
        read: @escaping KeyframeBytes.ReadBytes
    ) -> Result<SegmentPlan, Distrust> {
        guard isTailComplete, let last = lastPacket(of: track) else {
            return .failure(Distrust(text: "the index ends long before the source"))
        }
        let end = track.endTime(ofPacketAt: last.time, lasting: last.duration)
        if container.isMP4, offsets == nil || !isWhole {
            return .failure(Distrust(text: "the composition times cannot be read"))
        }
        let listed = keyframes(of: track)
        guard let start = listed.first else { return .failure(Distrust(text: "the index contains no keyframe")) }
        if let packet = firstPacket, let time = track.timing == .presentation ? packet.pts : packet.dts,
            time != start.time
        {
            return .failure(Distrust(text: "the index does not start with the first keyframe"))
        }
        let all = track.withoutHiddenStart(listed)
        let first = all.first ?? start
        let gap = max(Self.largestGap.ticks(in: track.stream.timeBase), 4 * limits.target)
        if case .rejected(let reason) = judge(all, first.time, end, gap) { return .failure(Distrust(text: reason)) }
        func plan(from keyframes: [Keyframe], _ changes: [Keyframe: [UInt8]] = [:]) -> SegmentPlan {
            var plan = SegmentPlan(
                keyframes: keyframes,
                end: end,
                limits: limits,
                timeBase: track.stream.timeBase,
                origin: .index,
                configuration: { changes[$0] }
            )
            if track.kind == .audio { (plan.keyframes, plan.trickPlayKeyframes) = (KeyframeTimes(), []) }
            return plan
        }
        let bytes = KeyframeBytes(of: track, in: container, isCompressed: isCompressed, read: read)
        var trusted = all
        let chosen = plan(from: all)
        if !sample(of: chosen, among: all).allSatisfy(bytes.isRandomAccessPoint) {
            // Some entries are invalid: the others must still suffice for a plan.
            trusted = all.filter(bytes.isRandomAccessPoint)
            if case .rejected(let reason) = judge(trusted, first.time, end, gap) {
                return .failure(
                    Distrust(text: "some index entries are not random access points, and without them \(reason)")
                )
            }
        }
        var changes = configurations(of: track)
        if changes.isEmpty, track.isServed {
            let search = ChangeSearch(track: track, keyframes: trusted) { bytes.beginning(of: $0) }
            changes = search.changes(between: sample(of: plan(from: trusted), among: trusted))
        }
        var result = changes.isEmpty && trusted == all ? chosen : plan(from: trusted, changes)
        var refresh = RefreshWatch(lead: track)
        // In a remote source, inspect only the keyframes that were fetched to verify the index.
        for keyframe in isRemote ? sample(of: result, among: trusted) : trusted {
            refresh.note { bytes.isGradual(keyframe) }
        }
        result.hasGradualRefresh = refresh.isGradual
        return .success(result)
    }

    /// Whether the index lists every sample once. If an edit list has made libavformat repeat or reorder samples, the
    /// tables of the file do not describe its entries.
    private var isWhole: Bool {
        guard entries.contains(where: \.isDiscarded) else { return true }
        return zip(entries, entries.dropFirst()).allSatisfy { $0.position < $1.position }
    }

    /// MP4 with several sample entries: the configuration of each keyframe. Empty when there is only one entry, or when
    /// one of them cannot be parsed.
    private func configurations(of track: PlayedTrack) -> [Keyframe: [UInt8]] {
        guard track.kind == .video, track.isServed, let descriptions, descriptions.runs.count > 1,
            descriptions.runs.allSatisfy({ track.canChange(to: $0.record) })
        else { return [:] }
        var found: [Keyframe: [UInt8]] = [:]
        for index in entries.indices {
            guard let keyframe = keyframe(index, of: track) else { continue }
            found[keyframe] = descriptions.record(of: index)
        }
        return found
    }

    /// Enough evenly spread entries to detect an invalid index. Checking every entry of a long video would cost a slow
    /// disk a thousand seeks.
    private func sample(of plan: SegmentPlan, among keyframes: [Keyframe]) -> [Keyframe] {
        if isRemote { return Self.remoteSample(of: keyframes) }
        let step = max(1, plan.boundaries.count / Self.sampleCount)
        return stride(from: 0, to: plan.boundaries.count, by: step).map { plan.boundaries[$0] }
    }

    private static func remoteSample<Element>(of elements: [Element]) -> [Element] {
        let count = min(remoteSampleCount, elements.count)
        // Each sample lies one entry farther from the previous one than equal distances would put it. In an index that
        // lists every frame, equally spaced samples could all be keyframes and hide the error.
        let shift = elements.count > 4 * count ? 1 : 0
        return (0..<count).map { elements[$0 * elements.count / count + $0 * shift] }
    }

    /// The bytes of a remote source that are read to verify its index, as far as the entries reveal them.
    ///
    /// - Parameter keyframes: the entries of the leading stream's keyframes, in file order.
    static func expectedReads(_ keyframes: [IndexEntry], of container: ContainerFormat) -> [Range<Int64>] {
        let byteCount = remoteSampleByteCount(container)
        // Include the last keyframe, because the search for configuration changes extends up to it.
        return (remoteSample(of: keyframes) + keyframes.suffix(1)).map { $0.position..<$0.position + byteCount }
    }

    private func judge(_ keyframes: [Keyframe], _ start: Int64, _ end: Int64, _ gap: Int64) -> IndexTrust {
        IndexTrust.judge(times: keyframes.map(\.time), start: start, end: end, largestGap: gap)
    }

    /// Keyframes in presentation order, without those beyond the end of a truncated file.
    private func keyframes(of track: PlayedTrack) -> [Keyframe] {
        let found = entries.indices.compactMap { keyframe($0, of: track) }
        return found.sorted { ($0.time, $0.seekTimestamp) < ($1.time, $1.seekTimestamp) }
    }

    private func keyframe(_ index: Int, of track: PlayedTrack) -> Keyframe? {
        let entry = entries[index]
        guard entry.isKey || track.kind == .audio, entry.lies(within: byteCount),
            !entry.isDiscarded || index < firstShown
        else { return nil }
        let time =
            container.isMP4 ? entry.timestamp + decodeShift + (offsets?[index] ?? 0) : entry.timestamp
        return Keyframe(time: time, seekTimestamp: entry.timestamp, position: entry.position)
    }
}
