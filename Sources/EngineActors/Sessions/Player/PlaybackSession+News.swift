// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading
internal import Segments
internal import Subtitles

// Reports of the segment producer, and captions that are found late.
extension PlaybackSession {
    /// Lists captions that are found late as subtitle tracks. The selection does not change.
    ///
    /// - Parameter channels: all caption channels that pictures have carried so far.
    func noteCaptions(_ channels: Set<String>) {
        guard let lead = media?.source.lead.stream.index, let stream = media?.source.media.streams[lead],
            let video = stream.video
        else { return }
        let new = captions.news(in: channels, of: video)
        guard !new.isEmpty else { return }
        let all = captions.found.union(video.captionChannels).sorted()
        hub.update(id) { state in
            state.media?.streams[lead].video?.hasClosedCaptions = true
            state.media?.streams[lead].video?.captionChannels = all
        }
        hub.notice(id, CaptionNews.notice(of: new))
        Task { await self.admit(stream.captionTracks(new)) }
    }

    /// Lists the tracks with the decoder first, so that clients can request the cues of every track they see.
    private func admit(_ tracks: [SubtitleTrack]) async {
        await subtitles?.decoder.list(tracks)
        guard !isStopped else { return }
        subtitles?.add(tracks)
        publishSubtitles()
    }

    func take(_ report: SegmentProducer.Report) async {
        if report.droppedPackets > droppedPackets {
            let count = report.droppedPackets - droppedPackets
            droppedPackets = report.droppedPackets
            let text = "\(count) packets are broken and were left out of their segments"
            hub.notice(id, Notice(.warning, "segment.packets_dropped", text))
        }
        if report.hasDynamicMetadata, !isFormatChanged, let lead = media?.source.lead.stream.index {
            isFormatChanged = true
            hub.update(id) { state in
                state.media?.streams[lead].noteDynamicMetadata()
                state.videoFormat = state.media?.videoFormat
                state.sourceVideoFormat = state.media?.sourceVideoFormat
            }
            let text = "pictures after the first ones carry dynamic metadata: the video is HDR10+"
            hub.notice(id, Notice(.info, "video.format_changed", text))
        }
        noteCaptions(report.captionChannels)
        if report.picturesWithoutMetadata > 0, !isMetadataLost {
            isMetadataLost = true
            let text =
                "Dolby Vision metadata is damaged or missing; \(report.picturesWithoutMetadata) pictures so far are HDR10"
            hub.notice(id, Notice(.warning, "video.rpu_dropped", text))
        }
        counters.take(report)
        publishStatisticsSoon()
        for notice in bridgeTrouble.news(in: report) { hub.notice(id, notice) }
        let buffered = bufferedRanges()
        hub.update(id) { state in
            if let buffered { state.buffered = buffered }
            state.production.segmentsProduced = report.segmentsProduced
            state.production.segmentsEvicted = report.segmentsEvicted
            state.production.cachedBytes = report.cachedBytes
            state.production.bytesProduced = report.bytesProduced
        }
    }
}
