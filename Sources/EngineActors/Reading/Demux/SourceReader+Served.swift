// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// Makes a track of a stream, with its times, grid and delay taken from its first packets.
    func servedTrack(
        _ info: StreamInfo,
        _ setup: TrackSetup,
        _ description: StreamDescription,
        _ companion: StreamInfo?,
        _ head: Head,
        _ origin: MediaTime,
        _ draft: BridgeDraft?
    ) -> ServedTrack {
        var track = setup.track
        let packets = head.packets[info.index] ?? []
        let originTicks = origin.ticks(in: info.timeBase)
        let times = packets.compactMap { $0.pts ?? $0.dts }
        let timing: ServedTrack.Timing =
            context.container.isElementary
            ? .counted
            : info.kind == .video && (context.container.isAVI || packets.contains { $0.pts == nil })
                ? packets.allSatisfy { $0.dts != nil } ? .decodeOrder : .counted : .presentation
        let bridge = draft?.plan(origin: originTicks, first: timing == .counted ? 0 : times.first ?? originTicks)
        let nominal = draft?.packetTicks ?? nominalDuration(info, &track, packets)
        let frameLength = setup.ticksPerFrame.map(Int64.init).flatMap { length in
            bridge != nil || isPlausible(length, of: track, info, times) ? length : nil
        }
        let grid = AudioGrid(
            source: info.timeBase,
            sampleRate: Int64(track.timescale),
            origin: originTicks,
            firstTime: bridge.map { max(originTicks, $0.firstTime) } ?? times.first ?? originTicks,
            frameLength: bridge?.frameLength ?? frameLength
        )
        let earliest = (info.kind == .video ? times.min() : times.first) ?? originTicks
        let start =
            info.kind == .audio
            ? grid.samples(at: earliest) : info.timeBase.rescale(earliest &- originTicks, to: track.timeBase)
        let lead = bridge == nil ? max(0, -start) : 0
        // One frame more than the stream declares: timestamps are rounded, and frame lengths may vary.
        let frame = max(1, info.timeBase.rescale(nominal, to: track.timeBase, rounding: .up))
        let seen = zip(times.sorted(), times).map { info.timeBase.rescale($0 - $1, to: track.timeBase) }.max() ?? 0
        let delay =
            info.kind == .video && setup.reorderDepth > 0
            ? max(Int64(setup.reorderDepth + 1) * frame, seen + frame) : 0
        track.mediaTimeOffset = lead + delay
        if let rate = track.video?.frameRate { track.video?.frameRate = FrameRate.snapped(rate) }
        return ServedTrack(
            stream: info,
            kind: info.kind == .audio ? .audio : .video,
            isServed: description.route.isServed,
            timing: timing,
            track: track,
            transform: setup.transform,
            origin: originTicks,
            lead: lead,
            delay: delay,
            nominalDuration: nominal,
            grid: grid,
            bridge: bridge,
            language: description.language,
            name: description.title,
            isDefault: description.has(disposition: "default"),
            bitRate: description.bitRate,
            companion: timing == .presentation ? companion : nil
        )
    }

    /// Whether the container's packet spacing agrees with the duration in the bitstream. If not, the container is
    /// believed.
    private func isPlausible(_ frameLength: Int64, of track: Track, _ info: StreamInfo, _ times: [Int64]) -> Bool {
        guard !context.container.isElementary, times.count > 1, let first = times.first, let last = times.last else {
            return true
        }
        let spaced = info.timeBase.rescale(last - first, to: track.timeBase)
        let expected = frameLength * Int64(times.count - 1)
        return abs(spaced - expected)
            <= max(frameLength / 2, info.timeBase.rescale(2, to: track.timeBase, rounding: .up))
    }

    /// The usual length of a frame in ticks of the stream: from the frame rate, or from the first packets if the
    /// container gives no rate or one that differs greatly from them.
    private func nominalDuration(_ info: StreamInfo, _ track: inout Track, _ packets: [Packet]) -> Int64 {
        if info.kind == .audio { return max(1, packets.first?.duration ?? 1) }
        let times = context.container.isElementary ? [] : packets.compactMap { $0.pts ?? $0.dts }.sorted()
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
        let measured = gaps.isEmpty ? nil : gaps[gaps.count / 2]
        if let rate = track.video?.frameRate, rate.numerator > 0, rate.denominator > 0 {
            let frame = TimeBase(Int64(rate.denominator), Int64(rate.numerator))
            let declared = max(1, frame.rescale(1, to: info.timeBase))
            guard let measured, declared * 2 < measured || declared > measured * 4 else { return declared }
        }
        guard let measured, let first = times.first, let last = times.last else {
            return max(1, packets.first?.duration ?? 1)
        }
        let seconds = info.timeBase.seconds(last - first) / Double(times.count - 1)
        track.video?.frameRate = Ratio(Int((1000 / seconds).rounded()), 1000)
        return measured
    }
}
