// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

// What the producer comes upon.
extension PlaybackSession {
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
        if let (channels, notice) = captions.news(in: report), let lead = media?.source.lead.stream.index {
            hub.update(id) { state in
                state.media?.streams[lead].video?.hasClosedCaptions = true
                state.media?.streams[lead].video?.captionChannels = channels
            }
            hub.notice(id, notice)
        }
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
