// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading
internal import Segments
internal import Subtitles

// Reports of the segment producer, and findings that clients are told once.
extension PlaybackSession {
    func take(_ report: SegmentProducer.Report) async {
        publish(ledger.entries(for: report, of: leadVideo))
        counters.take(report)
        publishStatisticsSoon()
        let buffered = bufferedRanges()
        hub.update(id) { state in
            if let buffered { state.buffered = buffered }
            state.production.segmentsProduced = report.segmentsProduced
            state.production.segmentsEvicted = report.segmentsEvicted
            state.production.cachedBytes = report.cachedBytes
            state.production.bytesProduced = report.bytesProduced
        }
    }

    /// - Parameter channels: all caption channels that pictures have carried so far.
    func noteCaptions(_ channels: Set<String>) {
        publish([ledger.entry(forCaptions: channels, of: leadVideo)].compactMap(\.self))
    }

    /// Reports the versions of the video configuration that have been announced since the last call.
    func noteVersions() {
        guard let media = media.opened else { return }
        publish([ledger.entry(forVersionsOf: media.source, by: media.plan)].compactMap(\.self))
    }

    func noteCues(_ window: SubtitleDecoder.Window) {
        publish(ledger.entries(forCues: window.trouble, isCut: window.isCut))
    }

    /// The video's description when the source was opened.
    private var leadVideo: VideoProperties? {
        media.opened.flatMap { $0.source.media.streams[$0.source.lead.stream.index].video }
    }

    private func publish(_ entries: [SessionLedger.Entry]) {
        for entry in entries {
            if let change = entry.change, let source = media.opened?.source {
                let lead = source.lead.stream.index
                hub.update(id) { $0.apply(change, toStream: lead) }
            }
            hub.notice(id, entry.notice)
            guard case .captions(let new, _)? = entry.change else { continue }
            Task { await self.admit(captions: new) }
        }
    }

    /// Lists captions that were found late as subtitle tracks. The selection does not change. The decoder lists them
    /// first, so that clients can request the cues of every track they see.
    private func admit(captions channels: Set<String>) async {
        guard let source = media.opened?.source else { return }
        let tracks = source.media.streams[source.lead.stream.index].captionTracks(channels)
        await subtitles.decoder?.list(tracks)
        guard !isStopped else { return }
        subtitles.add(tracks)
        publishSubtitles()
    }
}
