// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import Packaging
internal import Reading
internal import Subtitles

/// Notes the changes of a session in the journal. Belongs to the session's actor, so that changes are noted in the
/// order in which they happen.
final class SessionJournaling {
    /// The outcome of a note.
    struct Noted: Sendable {
        /// The number of the change, for `SessionJournal.settle`; `nil` if there is nothing to wait for.
        var number: UInt64?
        var isPlaying = false
    }

    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private let transport: SessionTransport
    private let filters: SessionFilters
    private let software: SoftwarePath
    private var crashes: CrashHistory
    private var activity = CrashHistory.Activity.resting
    private var written: PlayerRecord?

    init(_ parts: SessionParts, _ filters: SessionFilters, _ software: SoftwarePath, crashes: CrashHistory) {
        (setup, media, subtitles, transport) = (parts.setup, parts.media, parts.subtitles, parts.transport)
        (self.filters, self.software, self.crashes) = (filters, software, crashes)
    }

    /// Has the journal note everything that is needed to restore the session.
    func note() -> Noted {
        guard let journal = setup.journal else { return Noted() }
        notePlayer()
        let record = record
        return Noted(number: journal.note(record, stamp: journal.nextStamp()), isPlaying: record.isPlaying)
    }

    /// Writes the player into its slot, at once. Does nothing without a slot, or if nothing has changed.
    func notePlayer() {
        guard let slot = setup.slot, let journal = setup.journal else { return }
        let player = PlayerRecord(transport.player, at: transport.playhead)
        guard player != written else { return }
        written = player
        slot.write(player, stamp: journal.nextStamp())
        if activity != .opening { note(player.isPlaying ? .playing : .resting) }
    }

    /// Notes what the session is doing from now on, in case the process crashes meanwhile.
    func note(_ activity: CrashHistory.Activity) {
        guard activity != self.activity else { return }
        self.activity = activity
        setup.slot?.write(crashes, activity)
    }

    /// Notes that the source is open.
    func opened() {
        crashes.opened()
        activity = .resting
        setup.slot?.write(crashes, activity)
        written = nil
        notePlayer()
    }

    /// The request that loads another program of the same source into the same session, from the playhead. Tracks are
    /// selected again: in another program, their numbers may mean other streams.
    ///
    /// - Parameter state: the state of the session.
    /// - Returns: `nil` if the program is already playing.
    /// - Throws: `programNotFound`, or `unavailable` while the source is not open.
    func reload(playing selection: ProgramSelection, _ state: SessionState) throws(EngineError) -> LoadRequest? {
        guard let media = state.media else {
            throw EngineError(.unavailable, "the source of session \(state.id.rawValue) is not open")
        }
        guard try media.program(selection)?.number != media.program else { return nil }
        let record = record
        var request = record.request
        request.session = record.id
        request.requestID = ""
        request.startPosition = max(.zero, record.position)
        request.options.isAutoplay = record.isPlaying
        request.options.program = selection
        request.options.resumes = false
        request.options.soundLevels = nil
        // The video of the other program may have another size.
        request.options.measuredBridgeLines = nil
        request.options.audio = self.media.wantedAudio
        if case .stream = request.options.audio { request.options.audio = .automatic }
        if case .tracks = request.options.subtitles { request.options.subtitles = .automatic }
        request.sidecars = record.sidecars.filter { $0.foundBeneath == nil }.map(\.sidecar)
        return request
    }

    /// The record for making the session again after its source could not be opened. Contains the load request with the
    /// changes of `refresh`.
    ///
    /// - Returns: `nil` if the source is or was open, or is being opened, or if its failure is not recoverable.
    /// - Throws: `invalidArgument` for a file or an invalid URL; `sourceAccessDenied`.
    func revival(by refresh: SourceRefresh) throws(EngineError) -> SessionRecord? {
        guard media.isStopped, let interrupted = transport.player.machine.state.interrupted else { return nil }
        var record = record
        let request = try media.reopening(setup.request, by: refresh)
        (record.request.source, record.request.http) = (request.source, request.http)
        (record.isPlaying, record.rest, record.crashes) = (interrupted.thenPlay, interrupted.rest, crashes)
        return record
    }

    private var record: SessionRecord {
        var record = SessionRecord(id: setup.id, token: setup.token, request: media.refreshed(setup.request))
        (record.sidecars, record.request.options.subtitles) = subtitles.recorded
        let player = transport.player
        record.apply(PlayerRecord(player, at: transport.playhead))
        record.loopPoints = player.machine.loopPoints
        record.delays = player.controls.delays
        record.treatment = filters.sharedTreatment.treatment
        record.audio = media.wantedAudio == setup.request.options.audio ? nil : media.wantedAudio
        record.path = software.wantedPath
        let (opened, earlier) = (media.opened, setup.record)
        // After a restart, the audio is as loud as it was, whatever has been measured in the meantime, and encoded video has
        // the same size.
        if let opened {
            record.request.options.soundLevels = opened.source.soundLevels
            record.request.options.measuredBridgeLines = opened.source.videoBridgeLines
        }
        record.announcedSegments = opened?.plan.segmentCount ?? earlier?.announcedSegments ?? 0
        record.sealedTargetDuration = opened.map(\.sealedTargetDuration) ?? earlier?.sealedTargetDuration
        record.sourceVersion = if let opened { opened.source.file.version } else { earlier?.sourceVersion }
        let state = setup.hub.state(of: setup.id)
        record.revision = state?.revision ?? earlier?.revision ?? 1
        if let recording = state?.recording {
            record.recordingPath = recording.phase == .running ? recording.earlierPaths.first ?? recording.path : nil
        } else {
            record.recordingPath = earlier?.recordingPath
        }
        return record
    }
}

extension PlayerRecord {
    fileprivate init(_ player: SessionPlayer, at playhead: MediaTime) {
        self.init(
            position: playhead,
            rate: player.machine.requestedRate,
            volume: player.controls.volume,
            isMuted: player.controls.isMuted,
            isLooping: player.machine.isLooping,
            isPlaying: player.machine.wantsToPlay,
            rest: player.machine.rest
        )
    }
}
