// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Reading

/// The immutable settings of a session, and the means to publish its state and notices.
struct SessionSetup: Sendable {
    let id: SessionID
    /// The part of the session's URLs that no one can guess.
    let token: String
    let request: LoadRequest
    /// The settings of the engine, overridden by those of the request.
    let settings: PlayerSettings
    /// The record of an earlier process, or of the session that this one revives; otherwise `nil`.
    let record: SessionRecord?
    /// Whether the session replaced another one with the same id.
    let isReplacement: Bool
    let hub: EventHub
    let channel = EventHub.Channel()
    /// `nil`: the session does not outlive its process.
    let journal: SessionJournal?
    /// The slot in which the journal keeps the session's player. `nil` if the player is kept in the session's record
    /// only.
    let slot: PlayerSlot?

    /// Identifies the session to `CrashTag`; 0 without a slot.
    var tag: UInt32 { slot?.tag ?? 0 }

    init(
        _ record: SessionRecord,
        _ origin: SessionOrigin,
        _ settings: PlayerSettings,
        _ hub: EventHub,
        _ journal: SessionJournal?
    ) {
        id = record.id
        token = record.token
        request = record.request
        self.settings = settings.overridden(by: record.request.options)
        self.hub = hub
        self.journal = journal
        slot = journal?.begin(record)
        switch origin {
        case .new: (self.record, isReplacement) = (nil, false)
        case .restored(let left): (self.record, isReplacement) = (left, false)
        case .replacing: (self.record, isReplacement) = (nil, true)
        case .reviving: (self.record, isReplacement) = (record, true)
        }
    }

    /// The player's actions once the source is open, unless commands change them in the meantime.
    var opening: PlayerOpening {
        guard let record else { return PlayerOpening(thenPlay: request.options.isAutoplay) }
        return PlayerOpening(thenPlay: record.isPlaying, rest: record.rest)
    }

    /// Publishes the fields of the session's state that `change` changes. Does nothing once another source has been
    /// loaded into the session.
    func publish(_ change: @Sendable (inout SessionState) -> Void) { hub.update(id, from: channel, change) }

    /// - Parameter source: the source that the software path reads.
    func publish(_ report: VariantCourse.Report, of source: OpenedSource) {
        switch report {
        case .begins: publishVariants(of: source)
        case .changes(let variant, let notice):
            publish { $0.media?.play(variant) }
            publish(notice)
        case .fails(let notice): publish(notice)
        }
    }

    /// Describes the variants as when the source was opened. Called when the software path, which may read other
    /// variants, begins or has ended.
    func publishVariants(of source: OpenedSource) {
        let variants = source.media.variants
        // If the window of a source moves, the engine switches variants on both paths.
        guard !variants.isEmpty, !source.file.slides else { return }
        publish { $0.media?.variants = variants }
    }

    func publish(_ notice: Notice?) {
        if let notice { hub.notice(id, from: channel, notice) }
    }

    /// Tells a source the bit rate of its media. From now on, reports to its servers (CMCD), if enabled, describe this
    /// session's playback.
    func report(to source: any ByteSource, playing media: MediaDescription) {
        if media.bitRate > 0 { source.expectPlayback(at: Double(media.bitRate) / 8) }
        source.report { [weak hub, id] in
            hub?.state(of: id).map { PlaybackReport($0, now: monotonicNanoseconds()) }
        }
    }

    /// Calls `body`. A crash on a thread that works for `body` is attributed to the session.
    func attributed<Value>(
        _ body: () async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        try await CrashTag.attribute(to: tag, body)
    }
}
