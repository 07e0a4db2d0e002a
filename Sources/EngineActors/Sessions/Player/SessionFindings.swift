// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// Publishes findings about a source during playback, each one once.
///
/// Belongs to the session's actor.
final class SessionFindings {
    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private var ledger = SessionLedger()

    init(_ setup: SessionSetup, _ media: SessionMedia, _ subtitles: SessionSubtitles) {
        self.setup = setup
        self.media = media
        self.subtitles = subtitles
    }

    /// Caption channels first seen after playlists without them were published, named as in the INSTREAM-ID attribute.
    var lateCaptions: Set<String> { ledger.lateCaptions }

    func note(_ report: SegmentProducer.Report) {
        publish(ledger.entries(for: report, of: leadVideo, losesCaptions: losesCaptions))
    }

    /// - Parameter channels: all caption channels that pictures have carried so far.
    func note(captions channels: Set<String>) {
        publish([ledger.entry(forCaptions: channels, of: leadVideo, areLost: losesCaptions)].compactMap(\.self))
    }

    /// - Parameter audio: all audio that the software path could not decode so far.
    func note(undecoded audio: [UndecodedAudio.Subject: UndecodedAudio]) {
        publish(ledger.entries(forUndecoded: audio))
    }

    /// Reports the versions of the video configuration that have been announced since the last call.
    func noteVersions() {
        guard let media = media.opened else { return }
        publish([ledger.entry(forVersionsOf: media.source, by: media.plan)].compactMap(\.self))
    }

    func note(_ window: CueWindow) {
        publish(ledger.entries(forCues: window.failures, isCut: window.isCut))
    }

    /// The video's description when the source was opened.
    private var leadVideo: VideoProperties? {
        media.opened.flatMap { $0.source.media.streams[$0.source.lead.stream.index].video }
    }

    private var losesCaptions: Bool { media.opened?.source.losesCaptions ?? false }

    private func publish(_ entries: [SessionLedger.Entry]) {
        for entry in entries {
            if let change = entry.change, let source = media.opened?.source {
                let lead = source.lead.stream.index
                setup.publish { $0.apply(change, toStream: lead) }
            }
            setup.publish(entry.notice)
            if case .captions(let new, _)? = entry.change { subtitles.add(captions: new) }
        }
    }
}
