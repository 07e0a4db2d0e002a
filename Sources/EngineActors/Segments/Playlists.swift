// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging
package import Reading

/// The playlists of one source, made from its plan. Pure.
package struct Playlists {
    let source: OpenedSource
    package var plan: SegmentPlan
    let trackEnds: [MediaTime?]
    /// The EXT-X-TARGETDURATION that was announced before the plan was complete, and must not change afterwards. `nil`
    /// if none was announced.
    let sealedTargetDuration: Int?
    /// The position at which a player should start.
    let startPosition: MediaTime
    /// `ByteSource.oldest` of a source that drops its oldest media while it grows: segments that begin before it are
    /// not listed. `nil` for any other source.
    var oldest: Int64?
    /// The text tracks.
    var subtitles: [SubtitleTrack] = []
    /// The id of the text track that is shown unless the user chooses another.
    var defaultSubtitles: Int?
    /// Caption channels found in the video, but not in its first pictures.
    var lateCaptions: Set<String> = []

    package init(
        source: OpenedSource,
        plan: SegmentPlan,
        trackEnds: [MediaTime?],
        sealedTargetDuration: Int?,
        startPosition: MediaTime,
        oldest: Int64? = nil,
        subtitles: [SubtitleTrack] = [],
        defaultSubtitles: Int? = nil,
        lateCaptions: Set<String> = []
    ) {
        self.source = source
        self.plan = plan
        self.trackEnds = trackEnds
        self.sealedTargetDuration = sealedTargetDuration
        self.startPosition = startPosition
        self.oldest = oldest
        self.subtitles = subtitles
        self.defaultSubtitles = defaultSubtitles
        self.lateCaptions = lateCaptions
    }

    static let variantPrefix = "variant-"
    static let subtitlePrefix = "subtitles-"
    static let keyframesName = "keyframes.m3u8"
    static let keyframePrefix = "keyframe-"
    package static let storyboardName = "storyboard.vtt"
    package static let sheetPrefix = "storyboard/"
    /// Added to the listed end of the audio of a segment list. The exact end is known only once the last segment is
    /// read, and mostly lies slightly after the end of the playlist. Chromium fails at a frame that begins after the
    /// listed end.
    private static let overhang = MediaTime(microseconds: 250_000)
    /// Bits per second assumed for subtitles.
    private static let subtitleRate: UInt64 = 64_000

    /// A target duration in seconds that segments not scanned yet are likely to fit.
    ///
    /// - Parameter promised: the target duration in the source's own playlist, if the source is a segment list.
    package static func targetDurationOfGrowingPlan(
        _ plan: SegmentPlan,
        target: MediaTime,
        promised: MediaTime? = nil
    ) -> Int {
        let known = zip(plan.boundaries, plan.boundaries.dropFirst()).map { plan.timeBase.seconds($1.time - $0.time) }
            .max()
        if let promised { return max(1, Int(promised.seconds.rounded()), Int((known ?? 0).rounded())) }
        return max(10, Int((2 * target.seconds).rounded(.up)), Int((known ?? 0).rounded(.up)))
    }

    static func name(ofTrack place: Int, in source: OpenedSource) -> String {
        source.tracks[place].kind == .video ? "video" : "audio-\(place)"
    }

    static func initName(version: Int) -> String { version == 0 ? "init.mp4" : "init-\(version).mp4" }

    /// - Parameter audio: the position of the default audio track in `OpenedSource.tracks`.
    package func master(audio: Int?, delayedBy delays: Delays) -> [UInt8] {
        var master = MasterPlaylist()
        master.isIndependent = !plan.hasGradualRefresh || source.lead.videoBridge != nil
        for (place, track) in source.tracks.enumerated() where track.isServed {
            let delay = source.canDelay(place) ? delays.audio : .zero
            let uri = "\(Self.name(ofTrack: place, in: source))\(RenditionDelay.suffix(delay)).m3u8"
            if track.kind == .video {
                master.video = source.lead.track.covering(source.announcedVersions(of: plan))
                if !source.losesCaptions {
                    let captions = lateCaptions.union(master.video?.video?.captionChannels ?? [])
                    master.video?.video?.captionChannels = captions.sorted()
                }
                master.videoURI = uri
                master.laterVideoCodecs = source.laterVideoCodecs
                master.keyframesURI = hasKeyframes ? Self.keyframesName : nil
            } else {
                master.renditions.append(
                    .init(
                        track: track.track,
                        uri: uri,
                        name: track.name,
                        isDefault: place == audio,
                        characteristics: Characteristics.ofAudio(
                            source.media.streams[track.stream.index].dispositions
                        ),
                        laterCodecs: source.laterCodecs(of: place)
                    )
                )
            }
        }
        let rates = bandwidth()
        master.subtitles = subtitles.map { track in
            SubtitleRendition(
                track: track,
                uri: "\(Self.subtitlePrefix)\(track.id)\(RenditionDelay.suffix(delays.subtitles)).m3u8",
                isDefault: track.id == defaultSubtitles
            )
        }
        let text = subtitles.isEmpty ? 0 : Self.subtitleRate
        master.bandwidth = rates.peak + text
        master.variants = source.siblings.map { variant($0, in: master, text: text) }
        master.variants += source.ladder.compactMap { variant($0, in: master, text: text) }
        // Bit rates are measured over at least half a target duration, and the keyframes within that span come from at
        // most two segments.
        master.keyframesBandwidth = plan.trickPlayKeyframes.isEmpty ? nil : 4 * rates.peak
        master.averageBandwidth = plan.isComplete && source.lead.videoBridge == nil ? rates.average + text / 8 : nil
        // In a sliding window, TIME-OFFSET would count from the oldest listed segment.
        master.startOffset = startPosition > .zero && oldest == nil ? startPosition : nil
        return master.bytes
    }

    /// The playlist entry of a sibling, as the source's master playlist states it: none of the sibling's media is open
    /// yet.
    private func variant(
        _ sibling: ListSibling,
        in master: MasterPlaylist,
        text: UInt64
    ) -> MasterPlaylist.Variant {
        let index = sibling.variant.index
        let prefix = "\(Self.variantPrefix)\(index)/"
        let mean = UInt64(clamping: sibling.variant.bandwidth)
        let (peak, _) = Self.packed(peak: Double(mean), mean: Double(mean), bridged: bridgedBitRate)
        var variant = MasterPlaylist.Variant(uri: prefix + master.videoURI, number: index, bandwidth: peak + text)
        // Each codec is served under only one sample entry name.
        let entries = ["avc3": "avc1", "hev1": "hvc1", "dvhe": "dvh1"]
        variant.codecs = sibling.videoCodecs.map { codec in
            let family = String(codec.prefix { $0 != "." })
            return (entries[family] ?? family) + codec.dropFirst(family.count)
        }
        variant.supplementalCodecs = sibling.supplementalCodecs
        (variant.width, variant.height) = (sibling.variant.width, sibling.variant.height)
        variant.frameRate = sibling.variant.frameRate
        variant.videoRange = sibling.variant.videoRange
        variant.audioPrefix = sibling.hasOwnAudio ? prefix : nil
        return variant
    }

    /// The playlist entry of a rung of the ladder.
    private func variant(
        _ rung: LadderRung,
        in master: MasterPlaylist,
        text: UInt64
    ) -> MasterPlaylist.Variant? {
        guard let bridge = rung.track.videoBridge else { return nil }
        let described = rung.variant
        var variant = MasterPlaylist.Variant(
            uri: "\(Self.variantPrefix)\(described.index)/\(master.videoURI)",
            number: described.index,
            bandwidth: peak(of: bridge) + text
        )
        variant.codecs = described.codecs
        (variant.width, variant.height) = (described.width, described.height)
        variant.frameRate = described.frameRate
        variant.videoRange = described.videoRange
        return variant
    }

    /// The EXT-X-TARGETDURATION of the leading track's media playlist.
    package var targetDuration: Int {
        sealedTargetDuration ?? MediaPlaylist.targetDuration(for: boundaries(ofTrack: 0))
    }

    /// The media playlist of one track: EVENT until the plan is complete, and VOD from then on. If the source drops its
    /// oldest media, the playlist is a sliding window, which ends when the plan is complete.
    ///
    /// - Parameters:
    ///   - delay: shifts every segment along the timeline.
    ///   - skipsOlder: whether older segments may be left out. Has no effect unless parts are listed.
    package func media(track place: Int, delayedBy delay: MediaTime, skipsOlder: Bool = false) -> [UInt8] {
        var playlist = playlist(ofTrack: place)
        guard delay != .zero else { return skipsOlder ? playlist.deltaUpdate : playlist.bytes }
        playlist.parts = nil
        playlist.dates = []
        // A sliding window does not start at the beginning of the timeline.
        if oldest == nil { playlist.move(by: delay) }
        playlist.segmentPrefix = "\(Self.name(ofTrack: place, in: source))\(RenditionDelay.suffix(delay))/"
        return playlist.bytes
    }

    /// The I-frame playlist (RFC 8216 §4.3.3.6), for trick play. `nil` if keyframes are not served alone
    /// (`hasKeyframes`).
    package func keyframes() -> [UInt8]? {
        guard hasKeyframes else { return nil }
        var playlist = trickPlay.playlist(ofTrack: 0)
        // All playlists of a source have the same target duration, however close its keyframes are.
        playlist.targetDuration = targetDuration
        playlist.isKeyframesOnly = true
        playlist.parts = nil
        playlist.dates = []
        playlist.segmentPrefix += Self.keyframePrefix
        return playlist.bytes
    }

    /// Whether the source's keyframes are served alone: neither those of bridged video nor those of video that is
    /// refreshed gradually, which do not decode independently.
    private var hasKeyframes: Bool { !plan.hasGradualRefresh && source.lead.videoBridge == nil }

    /// The same playlists, with a boundary at every keyframe used for trick play.
    private var trickPlay: Playlists {
        var playlists = self
        playlists.plan = plan.trickPlayPlan
        return playlists
    }

    /// The storyboard of the whole source. `nil` when there is none, or while the end of the source is unknown.
    package func storyboard() -> Storyboard? {
        guard plan.isComplete, let video = source.lead.track.video else { return nil }
        return Storyboard(boundaries: trickPlay.boundaries(ofTrack: 0), video: video)
    }

    /// The media playlist of a text track: WebVTT segments with the boundaries of the leading track.
    package func subtitles(track id: Int, delayedBy delay: MediaTime) -> [UInt8] {
        var playlist = playlist(ofTrack: 0)
        playlist.initURI = nil
        playlist.parts = nil
        playlist.discontinuities = playlist.discontinuities.map { .init(segment: $0.segment, initURI: nil) }
        playlist.segmentPrefix = "\(Self.subtitlePrefix)\(id)\(RenditionDelay.suffix(delay))/"
        playlist.segmentSuffix = ".vtt"
        return playlist.bytes
    }

    private func playlist(ofTrack place: Int) -> MediaPlaylist {
        let kind: MediaPlaylist.Kind =
            oldest == nil
            ? plan.isComplete ? .vod : .event(hasEnded: false)
            : .window(hasEnded: plan.isComplete)
        var playlist = MediaPlaylist(kind: kind, boundaries: boundaries(ofTrack: place))
        playlist.targetDuration = sealedTargetDuration
        playlist.startOffset = startPosition
        playlist.isIndependent = !plan.hasGradualRefresh
        playlist.dates = dates(ofTrack: place, beginningAt: playlist.boundaries)
        let name = Self.name(ofTrack: place, in: source)
        playlist.initURI = "\(name)/\(Self.initName(version: 0))"
        playlist.segmentPrefix = "\(name)/"
        playlist.parts = parts(ofTrack: place)
        playlist.discontinuities = plan.announcedDiscontinuities.map { segment in
            let version = source.hasVersions(place) ? plan.version(of: segment) : 0
            return .init(segment: segment, initURI: "\(name)/\(Self.initName(version: version))")
        }
        if let oldest {
            let first = plan.boundaries.firstIndex { $0.position >= oldest } ?? plan.segmentCount
            playlist.slide(to: min(first, plan.segmentCount - 1))
        }
        return playlist
    }

    /// The parts of the newest segments. `nil` if segments have no parts, if no part will be added, or if the plan does
    /// not know where the next segment begins.
    private func parts(ofTrack place: Int) -> PlaylistParts? {
        guard plan.partLength != nil, !plan.isComplete else { return nil }
        let open = plan.segmentCount
        guard plan.boundaries.indices.contains(open) else { return nil }
        // All renditions have the hold-back that the longest parts need (draft-pantos-hls-rfc8216bis §4.4.3.8).
        let longest = source.tracks.filter(\.isServed).map(partTarget(of:)).max() ?? PartGrid.target
        let holdBack = max(source.partHoldBack ?? .zero, MediaTime(microseconds: 3 * longest.microseconds))
        let track = source.tracks[place]
        var parts = PlaylistParts(target: partTarget(of: track), holdBack: holdBack)
        parts.areIndependent = track.kind == .audio
        // Parts further from the end than three target durations should not be listed (§4.4.4.9).
        let oldest = plan.boundaries[open].time - MediaTime.seconds(3 * Double(targetDuration)).ticks(in: plan.timeBase)
        for segment in (0...open).reversed() {
            guard plan.boundaries[segment].time > oldest else { break }
            let lines = plan.parts(of: segment)
            guard !lines.isEmpty else { continue }
            var times = lines.map { edge($0, track, source.lead) }
            // The first segment begins with the timeline, see `boundaries(ofTrack:)`.
            if segment == 0 { times[0] = .zero }
            parts.boundaries[segment] = times
        }
        // All tracks are divided at the same times, so their last parts have the same numbers.
        let count = plan.partCount(of: open)
        let segment = count > 0 ? open : open - 1
        let last = plan.partCount(of: segment) - 1
        guard last >= 0 else { return parts }
        for other in source.tracks.indices where other != place && source.tracks[other].isServed {
            let uri = "\(Self.name(ofTrack: other, in: source)).m3u8"
            parts.reports.append(.init(uri: uri, lastSegment: segment, lastPart: last))
        }
        return parts
    }

    /// The longest part of a track. Audio may exceed the target by a frame, because frames may cross the line between
    /// two parts.
    private func partTarget(of track: PlayedTrack) -> MediaTime {
        guard track.kind == .audio else { return PartGrid.target }
        return PartGrid.target + MediaTime(track.grid.frameLength ?? 0, in: track.track.timeBase)
    }

    /// How to answer a request for a media playlist that names a part.
    package func answer(to reload: PlaylistReload) -> BlockingReload.Answer {
        let open = plan.segmentCount
        return BlockingReload(
            lastSegment: open - 1,
            partsOfLast: plan.partCount(of: open - 1),
            partsOfNext: plan.partCount(of: open),
            hasEnded: plan.isComplete,
            partTarget: PartGrid.target
        ).answer(segment: reload.segment, part: reload.part)
    }

    /// The positions on the timeline at which the track's segments begin, and the position at which the last one ends.
    /// An audio segment begins with the first frame that starts at or after the boundary.
    func boundaries(ofTrack place: Int) -> [MediaTime] {
        let track = source.tracks[place]
        let lead = source.lead
        var times: [MediaTime] = [.zero]
        times.reserveCapacity(plan.segmentCount + 1)
        for index in 1..<max(1, plan.segmentCount) {
            times.append(edge(plan.boundaries[index].time, track, lead))
        }
        if plan.segmentCount > 0, let end = plan.endTime(of: plan.segmentCount - 1) {
            let own = plan.isComplete ? trackEnds[place] : nil
            // No overhang in a playlist that grows or slides: there the next segment begins where this one ends.
            let isLast = plan.isComplete && oldest == nil
            let overhang = source.container == .segmentList && place > 0 && isLast ? Self.overhang : .zero
            // Audio with a list of its own may last longer than the video.
            let listed = isLast && sealedTargetDuration == nil ? source.listedEnd(of: place) : nil
            times.append(own ?? max(edge(end, track, lead), listed ?? .zero) + overhang)
        }
        // A track that ends early has fewer segments than the plan.
        if plan.isComplete, let own = trackEnds[place] {
            while times.count > 2, times[times.count - 2] >= own { times.removeLast() }
            times[times.count - 1] = max(own, times[max(0, times.count - 2)])
        }
        // A track without media on the timeline is listed with one segment as long as a frame, not with a
        // duration of 0.
        if plan.isComplete, times.count == 2, times[1] <= times[0] {
            times[1] = times[0] + MediaTime(max(1, track.nominalDuration), in: track.stream.timeBase)
        }
        return times
    }

    /// The times at which the segments of a track were recorded, as far as the source states them.
    ///
    /// - Parameter times: the positions at which they begin. Audio begins up to a frame later than the leading track.
    private func dates(ofTrack place: Int, beginningAt times: [MediaTime]) -> [WallTime?] {
        let dates = source.dates
        guard !dates.isEmpty else { return [] }
        let leading = place == 0 ? times : boundaries(ofTrack: 0)
        return zip(zip(times, leading), dates).map { place, date in date.map { $0 + (place.0 - place.1) } }
    }

    private func edge(_ time: Int64, _ track: PlayedTrack, _ lead: PlayedTrack) -> MediaTime {
        MediaTime(track.edge(at: time, cutBy: lead), in: track.track.timeBase)
    }

    /// For each segment in which a track ends: how long the track lasts in that segment, in seconds, but at least half
    /// the target duration of its playlist, the shortest span over which bit rates are measured (RFC 8216 §4.3.4.2).
    private func shortestDurations() -> [Int: Double] {
        guard plan.isComplete else { return [:] }
        var found: [Int: Double] = [:]
        for place in source.tracks.indices where source.tracks[place].isServed {
            let times = boundaries(ofTrack: place)
            guard times.count > 1 else { continue }
            let target = sealedTargetDuration ?? MediaPlaylist.targetDuration(for: times)
            let length = max((times[times.count - 1] - times[times.count - 2]).seconds, Double(target) / 2)
            found[times.count - 2] = min(found[times.count - 2] ?? length, length)
        }
        return found
    }

    /// Bits per second of the busiest segment and of all segments, computed from the boundaries' positions in the file;
    /// of bridged video, both are the peak of its plan. Includes the packaging overhead and bridged audio.
    private func bandwidth() -> (peak: UInt64, average: UInt64) {
        if let video = source.lead.videoBridge {
            return (peak(of: video), peak(of: video))
        }
        var peak = 0.0
        var bytes: Int64 = 0
        var seconds = 0.0
        let shortest = shortestDurations()
        for index in 0..<plan.segmentCount {
            guard let end = plan.endTime(of: index),
                let count = plan.byteCount(of: index, fileSize: source.file.byteCount)
            else { continue }
            let start = index == 0 ? source.lead.origin : plan.boundaries[index].time
            let length = plan.timeBase.seconds(end - start)
            guard length > 0 else { continue }
            let idle = Int64(min(Double(count), idleBitRate(until: end) * length / 8))
            bytes += count - idle
            seconds += length
            // If a track ends within the segment, its bytes are sent within that part of the segment.
            peak = max(peak, Double((count - idle) * 8) / min(length, shortest[index] ?? length))
        }
        let average = seconds > 0 ? Double(bytes * 8) / seconds : Double(source.media.bitRate)
        return Self.packed(peak: peak, mean: average, bridged: bridgedBitRate)
    }

    /// The bits per second of the busiest segment of bridged video, with audio.
    private func peak(of video: VideoBridgePlan) -> UInt64 {
        // The decoder's buffer holds one second of media at the maximum bit rate. A segment of 4 s, the default, may use
        // all of it in addition, which makes 1.25 times that rate.
        let peak = 1.25 * Double(video.maximumBitRate) + remuxedAudioBitRate
        return Self.packed(peak: peak, mean: peak, bridged: bridgedBitRate).peak
    }

    /// The bit rate of bridged audio, of which only one rendition is played at a time.
    private var bridgedBitRate: Double { Double(source.tracks.compactMap { $0.bridge?.bitRate }.max() ?? 0) }

    /// The bit rate of the source's audio that is not played along with the leading track: what bridges replace, and all
    /// but one of the remuxed renditions. Only as much as every segment has at least, so that none exceeds the rest.
    ///
    /// - Parameter end: of the segment, in ticks of the plan. Tracks that end before it do not count.
    private func idleBitRate(until end: Int64) -> Double {
        guard plan.bitRate == nil, source.container != .segmentList else { return 0 }
        let audio = source.tracks.indices.filter { place in
            source.tracks[place].kind == .audio
                && trackEnds[place].map { $0 >= MediaTime(end - source.lead.origin, in: plan.timeBase) } ?? true
        }.map { source.tracks[$0] }
        let remuxed = audio.filter { $0.isServed && $0.bridge == nil }.map(\.leastBitRate).max() ?? 0
        return audio.reduce(0) { $0 + $1.leastBitRate } - remuxed
    }

    /// The largest bit rate of audio that is remuxed, as far as the container states it.
    private var remuxedAudioBitRate: Double {
        Double(source.tracks.filter { $0.kind == .audio && $0.bridge == nil }.map(\.bitRate).max() ?? 0)
    }

    /// The bit rates of media as served: with packaging overhead and bridged audio.
    private static func packed(peak: Double, mean: Double, bridged: Double) -> (peak: UInt64, average: UInt64) {
        let overhead = 1.03
        let mean = mean * overhead + bridged + 16_000
        // An interleaved file mixes the data of adjacent segments around their boundary.
        return (UInt64(max(mean, peak * overhead * 1.05 + bridged + 64_000)), UInt64(mean))
    }
}
