// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Packs the packets of one segment into fMP4, a body a track. Pure: the same material gives the same bytes.
enum SegmentBuilder {
    struct Built {
        /// By position in `OpenedSource.tracks`.
        var bodies: [Int: ByteBody] = [:]
        /// Packets that could not be made into samples.
        var droppedPackets = 0
    }

    /// - Parameter sounds: what bridges made of the material, by position in `OpenedSource.tracks`.
    static func build(
        _ material: SegmentMaterial,
        _ sounds: [Int: BridgedSound],
        of source: OpenedSource,
        ends: [MediaTime?]
    ) -> Built {
        var built = Built()
        for (place, part) in material.parts.enumerated() {
            guard let part else { continue }
            let track = source.tracks[place]
            let end = ends[place].map { $0.ticks(in: track.track.timeBase) }
            var packets: [TimedPacket] = []
            var payloads: [any ByteRegion] = []
            for packet in part.packets {
                do throws(PackagingError) {
                    payloads.append(try track.transform.apply(packet.packet))
                    packets.append(packet)
                } catch {
                    built.droppedPackets += 1
                }
            }
            let samples =
                if let sound = sounds[place] {
                    bridged(sound, track)
                } else if track.kind == .video {
                    video(packets, payloads, track, next: part.next ?? end)
                } else {
                    audio(packets, payloads, track, next: part.next)
                }
            built.bodies[place] = MediaSegment.body(
                sequenceNumber: UInt32(clamping: material.index + 1),
                track: track.track,
                samples: samples,
                emptyAt: part.start + track.lead
            )
        }
        return built
    }

    private static func video(
        _ packets: [TimedPacket],
        _ payloads: [any ByteRegion],
        _ track: ServedTrack,
        next: Int64?
    ) -> [Sample] {
        let times = packets.map(\.time)
        let frame = track.stream.timeBase.rescale(track.nominalDuration, to: track.track.timeBase)
        let after = next ?? (times.max() ?? 0) + frame
        let slots = VideoTiming.slots(times: times, next: after, lead: track.lead, delay: track.delay)
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

    /// Each frame lasts until the next: where the source was silent for long, none was made.
    private static func bridged(_ sound: BridgedSound, _ track: ServedTrack) -> [Sample] {
        sound.frames.indices.map { index in
            let frame = sound.frames[index]
            let next = index + 1 < sound.frames.count ? sound.frames[index + 1].time : frame.time + frame.duration
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
        _ track: ServedTrack,
        next: Int64?
    ) -> [Sample] {
        packets.indices.map { index in
            let time = packets[index].time
            let own =
                track.grid.frameLength
                ?? max(1, track.stream.timeBase.rescale(packets[index].packet.duration, to: track.track.timeBase))
            let isLast = index + 1 == packets.count
            let gap = (isLast ? next : packets[index + 1].time).map { $0 - time } ?? own
            // A hole at the end of the segment is not stretched over: its last frame keeps its own length. One within it
            // is, because in a run of samples each begins where the one before ends.
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
