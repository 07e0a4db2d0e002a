// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Packs the packets of one segment into fMP4, one body per track. Pure: the same material gives the same bytes.
enum SegmentMuxer {
    struct Built {
        /// The fMP4 bodies, by position in `OpenedSource.tracks`.
        var bodies: [Int: ByteBody] = [:]
        /// Packets that could not be made into samples.
        var droppedPackets = 0
        /// Audio packets that were left out because they do not have the configuration of this version of their track.
        var unknownAudioPackets = 0
        /// Whether the segment's first or last picture carries HDR10+ metadata, which the source's first pictures did
        /// not.
        var hasDynamicMetadata = false
        /// The caption channels in the pictures, as INSTREAM-ID values.
        var captionChannels: Set<String> = []
        /// The number of pictures of a Dolby Vision track that can only be shown as HDR10, because their metadata is
        /// damaged or missing.
        var picturesWithoutMetadata = 0
    }

    /// Packs one segment. If segments have parts, a body consists of one chunk for each part, and the body of a segment
    /// that is not announced yet ends with an unfinished chunk.
    ///
    /// - Parameters:
    ///   - bridged: the bridged tracks of the segment.
    ///   - ends: the ends of the tracks, by position in `OpenedSource.tracks`; `nil` where unknown.
    static func build(
        _ material: SegmentMaterial,
        _ bridged: BridgedTracks,
        of source: OpenedSource,
        by plan: SegmentPlan,
        ends: [MediaTime?]
    ) -> Built {
        var built = Built()
        let lead = source.track(0, version: plan.version(of: material.index), of: plan)
        built.captionChannels = captionChannels(of: material, lead.stream)
        for (place, part) in material.parts.enumerated() {
            guard let collected = part, source.tracks[place].isServed else { continue }
            let track = source.track(place, version: plan.version(of: material.index), of: plan)
            let carried = track.kind == .audio ? collected.carried { source.carries($0, place, as: track) } : collected
            if track.format != PlayedTrack.silence {
                built.unknownAudioPackets += collected.packets.count - carried.packets.count
            }
            let part = carried.timed(by: track, insteadOf: source.tracks[place])
            let end = ends[place].map { $0.ticks(in: track.track.timeBase) }
            var packets: [TimedPacket] = []
            var payloads: [any ByteRegion] = []
            let encoded = bridged.video[place]?.pictures.map { TimedPacket(packet: $0.packet, time: $0.time) }
            let read = encoded ?? (track.kind == .audio ? withoutOverlap(part.packets, track) : part.packets)
            let transform = track.videoBridge?.transform ?? track.transform
            let isRest = read.map { transform.isRest($0.packet) }
            for (index, packet) in read.enumerated() where index == 0 || !isRest[index] {
                do throws(PackagingError) {
                    let companion = (packet.packet.pts ?? packet.packet.dts).flatMap { part.companions[$0] }
                    let next = index + 1 < read.count ? read[index + 1].packet : encoded == nil ? part.following : nil
                    let sample = try transform.sample(
                        of: packet.packet,
                        in: PacketSurroundings(next: next, companion: companion?.packet, companionNext: companion?.next)
                    )
                    payloads.append(sample.payload)
                    if sample.lacksMetadata { built.picturesWithoutMetadata += 1 }
                    packets.append(packet)
                } catch {
                    built.droppedPackets += 1
                }
            }
            if track.videoBridge == nil {
                built.hasDynamicMetadata = built.hasDynamicMetadata || showsDynamicMetadata(part.packets, track)
            }
            let samples =
                if let audio = bridged.audio[place] {
                    frames(of: audio, track)
                } else if track.kind == .video {
                    video(packets, payloads, track, next: part.next ?? end, isWhole: plan.partLength == nil)
                } else {
                    audio(packets, payloads, track, next: part.next)
                }
            built.bodies[place] =
                if plan.partLength == nil {
                    MediaSegment.body(
                        sequenceNumber: UInt32(clamping: material.index + 1),
                        track: track.track,
                        samples: samples,
                        emptyAt: part.start + track.lead
                    )
                } else {
                    MediaSegment.body(
                        number: material.index,
                        track: track.track,
                        samples: samples,
                        dividedAt: plan.innerLines(of: material.index).map {
                            source.tracks[place].ticks(
                                TrackWindow.edge(at: $0, place, of: source.tracks),
                                as: track
                            ) + track.lead + part.delayOfParts
                        },
                        emptyAt: part.start + track.lead
                    )
                }
        }
        return built
    }

    /// A segment with only the picture that opens segment `material.index`. It lasts until that segment ends.
    ///
    /// - Throws: the reason why the picture cannot be packed.
    /// - Returns: `nil` if the segment has no picture, or its end is unknown. In a list, a segment without a picture is
    ///   empty.
    static func keyframe(
        _ material: SegmentMaterial,
        of source: OpenedSource,
        by plan: SegmentPlan,
        ends: [MediaTime?]
    ) throws(PackagingError) -> ByteBody? {
        guard let part = material.parts.first ?? nil, let end = plan.endTime(of: material.index) else { return nil }
        let track = source.track(0, version: plan.version(of: material.index), of: plan)
        guard let first = part.packets.first else {
            // A gap, or a break that has only audio.
            guard source.container == .segmentList else { return nil }
            return MediaSegment.body(
                sequenceNumber: UInt32(clamping: material.index + 1),
                track: track.track,
                samples: [],
                emptyAt: part.start + track.lead
            )
        }
        let companion = (first.packet.pts ?? first.packet.dts).flatMap { part.companions[$0] }
        let surroundings = PacketSurroundings(
            next: part.packets.dropFirst().first?.packet ?? part.following,
            companion: companion?.packet,
            companionNext: companion?.next
        )
        let sample = try track.transform.sample(of: first.packet, in: surroundings)
        let isLast = material.index + 1 == plan.boundaries.count
        let own = isLast ? ends[0].map { $0.ticks(in: track.track.timeBase) } : nil
        let next = max(own ?? track.timelineTicks(end), first.time + 1)
        let slots = VideoTiming.slots(
            times: [first.time],
            next: next,
            lead: track.lead,
            delay: track.delay,
            isWhole: true
        )
        return MediaSegment.body(
            sequenceNumber: UInt32(clamping: material.index + 1),
            track: track.track,
            samples: slots.map { slot in
                Sample(
                    decodeTime: slot.decodeTime,
                    compositionOffset: slot.compositionOffset,
                    duration: slot.duration,
                    isSync: true,
                    payload: sample.payload
                )
            }
        )
    }

    /// Whether a segment's first or last picture shows that the video is HDR10+, although it was classified as HDR10.
    private static func showsDynamicMetadata(_ packets: [TimedPacket], _ track: PlayedTrack) -> Bool {
        guard track.track.mayShowDynamicMetadata, let first = packets.first, let last = packets.last else {
            return false
        }
        return [first, last].contains { timed in
            timed.packet.withBytes { track.track.showsDynamicMetadata($0, track.transform) }
        }
    }

    private static func captionChannels(of material: SegmentMaterial, _ lead: StreamInfo) -> Set<String> {
        var survey = CaptionSurvey(codec: lead.codec, extradata: lead.extradata)
        if let captions = material.captions {
            for packet in captions { survey.note(triplets: packet.bytes) }
        } else {
            for timed in (material.parts.first ?? nil)?.packets ?? [] {
                timed.packet.withBytes { survey.note(picture: $0) }
            }
        }
        return survey.channels
    }

    /// After the clock of an audio stream has stepped back, for example where two recordings were joined, drops packets
    /// until the previous time is reached again.
    private static func withoutOverlap(_ packets: [TimedPacket], _ track: PlayedTrack) -> [TimedPacket] {
        guard zip(packets, packets.dropFirst()).contains(where: { $1.time < $0.time }) else { return packets }
        var kept: [TimedPacket] = []
        var isBehind = false
        for packet in packets {
            if let last = kept.last {
                let frame = track.grid.frameLength ?? 0
                if packet.time < last.time { isBehind = true }
                if isBehind, packet.time < last.time + max(1, frame / 2) { continue }
            }
            isBehind = false
            kept.append(packet)
        }
        return kept
    }

    private static func video(
        _ packets: [TimedPacket],
        _ payloads: [any ByteRegion],
        _ track: PlayedTrack,
        next: Int64?,
        isWhole: Bool
    ) -> [Sample] {
        let times = packets.map(\.time)
        let frame = track.stream.timeBase.rescale(track.nominalDuration, to: track.track.timeBase)
        let after = next ?? (times.max() ?? 0) + frame
        let slots = VideoTiming.slots(times: times, next: after, lead: track.lead, delay: track.delay, isWhole: isWhole)
        return packets.indices.map { index in
            Sample(
                decodeTime: slots[index].decodeTime,
                compositionOffset: slots[index].compositionOffset,
                duration: slots[index].duration,
                isSync: packets[index].packet.isKey || index == 0,
                payload: payloads[index]
            )
        }
    }

    /// Each frame lasts until the next one, because bridges encode no frames for long silences in the source.
    private static func frames(of audio: BridgedAudio, _ track: PlayedTrack) -> [Sample] {
        audio.frames.indices.map { index in
            let frame = audio.frames[index]
            let next = index + 1 < audio.frames.count ? audio.frames[index + 1].time : frame.time + frame.duration
            return Sample(
                decodeTime: max(0, frame.time + track.lead),
                compositionOffset: 0,
                duration: UInt32(clamping: next - frame.time),
                isSync: true,
                payload: frame.payload
            )
        }
    }

    private static func audio(
        _ packets: [TimedPacket],
        _ payloads: [any ByteRegion],
        _ track: PlayedTrack,
        next: Int64?
    ) -> [Sample] {
        packets.indices.map { index in
            let time = packets[index].time
            let own =
                track.frameLength(lasting: packets[index].packet.duration)
                ?? max(1, track.stream.timeBase.rescale(packets[index].packet.duration, to: track.track.timeBase))
            let isLast = index + 1 == packets.count
            let gap = (isLast ? next : packets[index + 1].time).map { $0 - time } ?? own
            // A long gap at the end of the segment is not filled: the last frame keeps its own duration. A gap within
            // the segment is filled by stretching the frame before it, because in a track run each sample begins where
            // the previous one ends.
            let longest = isLast ? max(4 * own, Int64(track.track.timescale) / 2) : .max
            return Sample(
                decodeTime: max(0, time + track.lead),
                compositionOffset: 0,
                duration: UInt32(clamping: gap > 0 && gap <= longest ? gap : own),
                isSync: true,
                payload: payloads[index]
            )
        }
    }
}

extension PlayedTrack {
    /// Converts a time from ticks of this version of a track to ticks of another version.
    fileprivate func ticks(_ time: Int64, as other: PlayedTrack) -> Int64 {
        track.timescale == other.track.timescale ? time : track.timeBase.rescale(time, to: other.track.timeBase)
    }
}

extension SegmentMaterial.Part {
    /// Only the packets whose format satisfies `carries`.
    fileprivate func carried(by carries: (Int) -> Bool) -> Self {
        let found = Set(packets.map(\.packet.format))
        let formats = found.filter(carries)
        guard formats != found else { return self }
        var part = self
        part.packets = packets.filter { formats.contains($0.packet.format) }
        return part
    }

    /// The same packets with times on the grid of another version of an audio track.
    ///
    /// - Parameter first: the version whose grid the times are on now.
    fileprivate func timed(by track: PlayedTrack, insteadOf first: PlayedTrack) -> Self {
        guard track.kind == .audio, track.bridge == nil, track.grid != first.grid else { return self }
        var part = self
        part.packets = packets.map { timed in
            let time = (timed.packet.pts ?? timed.packet.dts).map(track.timelineTicks)
            return TimedPacket(packet: timed.packet, time: time ?? first.ticks(timed.time, as: track))
        }
        part.start = first.ticks(start, as: track)
        part.next = next.map { first.ticks($0, as: track) }
        part.delayOfParts = first.ticks(delayOfParts, as: track)
        return part
    }
}
