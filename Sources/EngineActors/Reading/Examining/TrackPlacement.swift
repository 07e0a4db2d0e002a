// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The placement of a track on the timeline, derived from its first packets: its timing, audio grid and delay.
struct TrackPlacement {
    let timing: PlayedTrack.Timing
    /// In ticks of the stream.
    let origin: Int64
    /// With its media time offset and frame rate.
    let track: Track
    let bridge: BridgePlan?
    /// As in `PlayedTrack`.
    let lead: Int64
    let delay: Int64
    let nominalDuration: Int64
    let grid: AudioGrid
    /// As in `PlayedTrack`.
    let leastBitRate: Double

    /// - Parameters:
    ///   - packets: the stream's first packets, in file order.
    ///   - origin: the start of the source's timeline.
    ///   - startsMidTimeline: whether other packets of the stream come before them on the timeline.
    init(
        _ draft: TrackDraft,
        _ packets: [Packet],
        in container: ContainerFormat,
        origin: TimelineOrigin,
        startsMidTimeline: Bool
    ) {
        let info = draft.info
        let base = draft.setup.track.timeBase
        let ticks = origin.ticks(in: info.timeBase)
        self.origin = ticks
        let times = packets.compactMap { $0.pts ?? $0.dts }
        timing = Self.timing(of: info, packets, in: container)
        bridge = draft.bridge?.plan(
            origin: ticks,
            first: timing == .counted ? 0 : times.first ?? ticks
        )
        leastBitRate = info.kind == .audio ? Self.constantBitRate(of: packets, info.timeBase) : 0
        let usual = Self.usualFrame(of: draft, packets, isCounted: container.isElementary)
        nominalDuration = draft.bridge?.input.packetTicks ?? usual.duration
        let frameLength = draft.setup.ticksPerFrame.map(Int64.init).flatMap { length in
            draft.bridge != nil || container.isElementary || Self.isPlausible(length, of: draft, times) ? length : nil
        }
        let first = bridge.map { max(ticks, $0.firstTime) } ?? times.first ?? ticks
        grid = AudioGrid(
            source: info.timeBase,
            sampleRate: Int64(draft.setup.track.timescale),
            origin: ticks,
            firstTime: first,
            frameLength: bridge?.frameLength ?? frameLength,
            isBounded: !startsMidTimeline
        )
        // Of video that is encoded, only the pictures that are shown are served.
        let served = draft.videoBridge == nil ? packets : packets.filter { !$0.isDiscarded }
        let earliest = (info.kind == .video ? Self.shownOrNeeded(served, from: ticks).min() : times.first) ?? ticks
        let start =
            info.kind == .audio
            ? grid.samples(at: earliest) : info.timeBase.rescale(earliest &- ticks, to: base)
        lead = bridge == nil ? max(0, -start) : 0
        // One frame more than the stream declares: timestamps are rounded, and frame lengths may vary.
        let frame = max(1, info.timeBase.rescale(nominalDuration, to: base, rounding: .up))
        let seen = zip(times.sorted(), times).map { info.timeBase.rescale($0 - $1, to: base) }.max() ?? 0
        let depth = draft.setup.reorderDepth
        delay = info.kind == .video && depth > 0 ? max(Int64(depth + 1) * frame, seen + frame) : 0
        var track = draft.setup.track
        track.mediaTimeOffset = lead + delay
        if let rate = usual.rate { track.video?.frameRate = rate }
        if let rate = track.video?.frameRate, let original = Self.originalRate(rate, draft, packets) {
            track.video?.frameRate = original
        }
        if let rate = track.video?.frameRate { track.video?.frameRate = FrameRate.snapped(rate) }
        self.track = track
    }

    /// The times of the pictures from the last keyframe at or before the start of the timeline on, where decoding
    /// begins. All times if there is no such keyframe.
    private static func shownOrNeeded(_ packets: [Packet], from origin: Int64) -> [Int64] {
        let start = packets.lastIndex { packet in
            packet.isKey && (packet.pts ?? packet.dts).map { $0 <= origin } == true
        }
        return packets[(start ?? packets.startIndex)...].compactMap { $0.pts ?? $0.dts }
    }

    /// The original frame rate of a video whose fields are repeated to reach its declared rate. `nil` for any other
    /// video.
    private static func originalRate(_ rate: Ratio, _ draft: TrackDraft, _ packets: [Packet]) -> Ratio? {
        guard draft.info.codec.rawValue == "mpeg2video" else { return nil }
        let fields = packets.compactMap { $0.withBytes { MPEG2Picture.fieldCount($0) } }
        return fields.count == packets.count ? MPEG2Picture.originalRate(rate, fields: fields) : nil
    }

    /// The bit rate of a stream whose packets have one size. 0 for any other stream.
    private static func constantBitRate(of packets: [Packet], _ base: TimeBase) -> Double {
        let times = packets.compactMap { $0.pts ?? $0.dts }
        guard times.count == packets.count, let first = packets.first, let start = times.first, let end = times.last,
            end > start, packets.allSatisfy({ $0.byteCount == first.byteCount })
        else { return 0 }
        // Times are rounded: the packets last at most two ticks longer than they say.
        return Double(first.byteCount * 8 * (packets.count - 1)) / base.seconds(end &- start &+ 2)
    }

    private static func timing(
        of info: StreamInfo,
        _ packets: [Packet],
        in container: ContainerFormat
    ) -> PlayedTrack.Timing {
        if container.isElementary { return .counted }
        guard info.kind == .video, container.isAVI || packets.contains(where: { $0.pts == nil }) else {
            return .presentation
        }
        return packets.allSatisfy { $0.dts != nil } ? .decodeOrder : .counted
    }

    /// Whether the container's packet spacing agrees with the duration in the bitstream. If not, the container takes
    /// precedence.
    private static func isPlausible(_ frameLength: Int64, of draft: TrackDraft, _ times: [Int64]) -> Bool {
        guard times.count > 1, let first = times.first, let last = times.last else { return true }
        let base = draft.info.timeBase
        let spaced = base.rescale(last - first, to: draft.setup.track.timeBase)
        let expected = frameLength * Int64(times.count - 1)
        return abs(spaced - expected)
            <= max(frameLength / 2, base.rescale(2, to: draft.setup.track.timeBase, rounding: .up))
    }

    /// Frames per second above which a declared rate is considered wrong.
    private static let highestRate = 1000.0

    /// More than this many evenly spaced frames disprove a declared frame rate.
    private static let provingFrameCount = 12

    /// The usual length of a frame in ticks of the stream: from the declared frame rate, or from the first packets if
    /// they disprove it or no rate is declared. `rate` is `nil` unless it was measured.
    ///
    /// Packets disprove a rate if they are evenly spaced at another one, or if their spacing differs greatly from it. For
    /// a fragmented MP4 file, libavformat derives the declared rate from the fragments that it has read.
    private static func usualFrame(
        of draft: TrackDraft,
        _ packets: [Packet],
        isCounted: Bool
    ) -> (duration: Int64, rate: Ratio?) {
        let base = draft.info.timeBase
        let stated = max(1, packets.first?.duration ?? 1)
        if draft.info.kind == .audio { return (stated, nil) }
        let times = isCounted ? [] : packets.compactMap { $0.pts ?? $0.dts }.sorted()
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
        let measured = gaps.isEmpty ? nil : gaps[gaps.count / 2]
        // Frames that are presented between the last ones may not have been read yet.
        let complete = times.dropLast(draft.setup.reorderDepth + 1)
        let uneven = zip(complete, complete.dropFirst()).filter { $1 - $0 != measured }.count
        // Muxers may stretch the first frame.
        let isEven = complete.count > provingFrameCount && uneven <= 1
        if let rate = draft.setup.track.video?.frameRate, rate.numerator > 0, rate.denominator > 0,
            rate.value <= highestRate
        {
            let frame = TimeBase(Int64(rate.denominator), Int64(rate.numerator))
            let declared = max(1, frame.rescale(1, to: base))
            guard let measured, isEven && declared != measured || declared * 2 < measured || declared > measured * 4
            else { return (declared, nil) }
        }
        // A single gap, as after a first fragment without pictures, does not change the distance of the other packets.
        if isEven, let measured {
            // The times of a damaged file may have any value.
            let (length, isOver) = base.numerator.multipliedReportingOverflow(by: measured)
            if !isOver { return (measured, Ratio(Int(base.denominator), Int(length))) }
        }
        guard let measured, let first = times.first, let last = times.last else {
            // libavformat gives a lone frame a duration of one tick.
            guard base.seconds(packets.first?.duration ?? 0) * highestRate < 1 else { return (stated, nil) }
            return (max(1, TimeBase(1, 25).rescale(1, to: base)), nil)
        }
        let seconds = base.seconds(last - first) / Double(times.count - 1)
        return (measured, Ratio(Int((1000 / seconds).rounded()), 1000))
    }
}
