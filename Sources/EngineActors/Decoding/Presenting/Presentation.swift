// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Playback without its source and without waiting: takes decoded media, and gives sinks the media that are due.
/// `PresentationStateMachine` and `PresentationMoment` make the decisions.
///
/// Every function returns at once; `now` is in nanoseconds of the monotonic clock. The renderer calls `settle` after
/// each change.
struct Presentation {
    /// The next step for audio.
    enum AudioStep {
        /// No audio can be given until something changes.
        case wait
        case process([AudioQueue.Entry], AudioSettings, for: AudioPresentation.Attached)
        /// All audio was given, and the filters must be drained.
        case finish(AudioSettings, of: AudioPresentation.Attached)
    }

    private(set) var machine = PresentationStateMachine()
    private(set) var passes = DecodingPasses()
    private(set) var video = VideoPresentation()
    private(set) var audio = AudioPresentation()

    /// The kinds of media that the attached sinks need.
    var required: RequiredMedia { RequiredMedia(video: !video.isEmpty, audio: audio.active != nil) }

    /// The state on which all decisions depend.
    func moment(at now: Int64) -> PresentationMoment {
        let (position, lap) = (machine.playhead(at: now), machine.lap)
        return PresentationMoment(
            machine: machine,
            passes: passes,
            video: video.stock(lap: lap),
            audio: audio.stock(at: position, lap: lap),
            now: now
        )
    }

    // MARK: Commands

    mutating func setLooping(_ isLooping: Bool, at now: Int64) {
        machine.setLooping(isLooping)
        if !isLooping { forgetNextLap(at: now) }
    }

    mutating func setDuration(_ duration: MediaTime?) { machine.setDuration(duration) }

    mutating func obey(_ action: RendererCommand.Action, at now: Int64) {
        if moment(at: now).pace == nil { machine.listen(audio.place(at: now), at: now) }
        switch action {
        case .load(_, let position): machine.load(at: position, now: now)
        case .play: machine.play(at: now)
        case .pause: machine.pause(at: now)
        case .seek(let id, let position): machine.seek(id, to: position, at: now)
        case .rate(let rate): if machine.setRate(rate, at: now) { giveAudioAgain(at: now) }
        case .volume(let volume): if audio.setVolume(volume) { giveAudioAgain(at: now) }
        case .muted(let isMuted): if audio.setMuted(isMuted) { giveAudioAgain(at: now) }
        case .stop: break
        }
        applyEffects(at: now)
    }

    /// Stops playback, and detaches all sinks.
    mutating func close(at now: Int64) {
        machine.stop(at: now)
        applyEffects(at: now)
        audio.removeAll()
        for id in video.ids { detach(id, at: now) }
    }

    // MARK: Changes

    /// Applies all consequences of a change or of the passing of time.
    ///
    /// - Returns: the moment after these changes, for further decisions.
    mutating func settle(at now: Int64) -> PresentationMoment {
        machine.advance(moment(at: now).stock, heard: audio.place(at: now), at: now)
        applyEffects(at: now)
        let position = machine.playhead(at: now)
        passes.trim(to: machine.lap)
        video.trim(to: position, lap: machine.lap)
        audio.trim(to: position, lap: machine.lap)
        beginNextLap(at: now)
        if machine.state != .empty, let anchor = machine.takeAnchor() {
            video.follow(anchor, generation: machine.generation)
        }
        let moment = moment(at: now)
        video.setAwaited(moment.areVideoSinksAwaited)
        return moment
    }

    /// When something changes next without an external event; `report` is when the next report is due.
    func nextChange(after moment: PresentationMoment, report: Int64?) -> Int64? {
        moment.nextChange(
            report: report,
            frame: video.queue.nextChange(after: moment.playhead, lap: machine.lap),
            secondsToAudioChange: audio.secondsToChange(at: moment.now)
        )
    }

    private mutating func applyEffects(at now: Int64) {
        for effect in machine.takeEffects() {
            switch effect {
            case .begin(let position): beginAnew(at: position, now: now)
            case .runAudio(let isRunning): audio.active?.sink.setRunning(isRunning)
            case .nextLap:
                video.beginLap(machine.generation)
                machine.forgetPublished()
            }
        }
    }

    private mutating func flushVideo() {
        video.flush(to: machine.generation)
        machine.forgetPublished()
    }

    // MARK: Passes

    mutating func takePass() -> DecodingPasses.Pass? { passes.takePending() }

    mutating func began(_ pass: DecodingPasses.Pass) { passes.began(pass) }

    /// Discards everything decoded so far and begins at `position`.
    private mutating func beginAnew(at position: MediaTime, now: Int64) {
        video.reset()
        passes.forgetLaps()
        passes.begin(at: position, lap: machine.lap, required, now: now)
        audio.reset(to: position, lap: machine.lap)
        flushVideo()
    }

    /// Decodes again from the playhead on, for new sinks. Keeps frames and audio that are decoded already.
    private mutating func beginAgain(at now: Int64) {
        guard machine.state != .empty else { return }
        video.endLap(machine.lap)
        audio.beginPass()
        passes.begin(at: machine.playhead(at: now), lap: machine.lap, required, now: now)
    }

    /// Begins to decode the start of the next lap once the current one is completely decoded.
    private mutating func beginNextLap(at now: Int64) {
        guard let end = moment(at: now).endBeforeNextLap else { return }
        if required.audio { audio.beginLap(machine.lap + 1, after: end) }
        passes.begin(at: .zero, lap: machine.lap + 1, required, now: now)
    }

    /// Discards all decoded media of the next lap.
    private mutating func forgetNextLap(at now: Int64) {
        guard passes.endLaps(after: machine.lap) else { return }
        video.endLap(machine.lap)
        audio.endLap(machine.lap)
        // The sink may already have some of that audio.
        if audio.active != nil { continueAudio(at: now) }
    }

    // MARK: Video

    /// Begins to give frames to `sink`, starting with the one to show now.
    ///
    /// - Parameter pump: starts the task that gives the sink its frames; it is cancelled when the sink is detached.
    mutating func attach(
        _ sink: any FrameSink,
        at now: Int64,
        pump: (SoftwareRenderer.SinkID) -> Task<Void, Never>
    ) -> SoftwareRenderer.SinkID {
        let isFirst = video.isEmpty
        let id = video.attach(sink, pump: pump)
        sink.flush(to: machine.generation)
        machine.forgetPublished()
        if isFirst { beginAgain(at: now) }
        return id
    }

    /// Detaches a video or audio sink.
    mutating func detach(_ id: SoftwareRenderer.SinkID, at now: Int64) {
        switch id.kind {
        case .video: video.detach(id, generation: machine.generation)
        case .audio: removeAudio(id, at: now)
        }
    }

    /// Decodes and shows the frame on screen again, unless a redraw is under way or the playhead moves.
    mutating func redraw(at now: Int64) {
        guard !video.isEmpty, machine.redraw() else { return }
        let position = machine.position(at: now)
        video.reset()
        beginAgain(at: now)
        passes.forgetFrames(of: machine.lap, after: position)
        flushVideo()
    }

    /// - Returns: whether the frame must be redrawn again, because its processing changed while it was decoded.
    mutating func noteRedrawn(at moment: PresentationMoment) -> Bool { machine.noteRedrawn(moment.stock) }

    /// - Returns: how the frame's time relates to the playhead; `nil` if the source returned no new frame.
    mutating func take(
        _ supply: Supply<TimedFrame>,
        of pass: DecodingPasses.Pass,
        at now: Int64
    ) -> PresentationMoment.Timing? {
        switch supply {
        case .superseded: return nil
        case .ended:
            passes.endFrames(of: pass.lap)
            return nil
        case .next(let frame):
            let isRepeated = video.queue.contains(lap: pass.lap) && passes.hasFrame(to: frame.end, lap: pass.lap)
            passes.note(frameTo: frame.end, lap: pass.lap, at: now)
            // Decoding began again for another sink, and the queue already contains this frame.
            if isRepeated { return nil }
            let moment = moment(at: now)
            let shown = video.queue.current(at: moment.playhead, lap: pass.lap)?.frame.time
            let timing = moment.timing(of: frame.time, to: frame.end, lap: pass.lap, shown: shown)
            if timing.isDropped { video.drop() } else { video.append(frame, lap: pass.lap) }
            return timing
        }
    }

    /// The frame that the sink may be given now. Notifies the sink once it has been given all frames.
    mutating func nextFrame(for id: SoftwareRenderer.SinkID, at now: Int64) -> FrameQueue.Entry? {
        let moment = moment(at: now)
        if let entry = video.takeNext(for: id, at: moment) { return entry }
        video.finishIfComplete(id, at: moment)
        return nil
    }

    /// The sink has taken or dropped a frame of `generation`, which need not be the current one.
    mutating func note(
        _ reception: Reception,
        of entry: FrameQueue.Entry,
        by id: SoftwareRenderer.SinkID,
        generation: UInt64
    ) {
        guard generation == machine.generation else { return }
        video.note(takenTo: entry.frame.end, by: id, isDropped: reception == .dropped)
    }

    // MARK: Audio

    /// Plays audio through `sink` from here on, until it is detached or lost; then through the previous sink.
    mutating func attach(_ sink: any AudioSink, at now: Int64) -> SoftwareRenderer.SinkID {
        let isFirst = audio.active == nil
        let id = audio.attach(sink)
        if isFirst { restartAudio(at: now) } else { continueAudio(at: now) }
        return id
    }

    /// Plays audio through `sink` when no other is attached.
    mutating func attach(fallback sink: any AudioSink, at now: Int64) -> SoftwareRenderer.SinkID {
        audio.active == nil ? attach(sink, at: now) : audio.attach(fallback: sink)
    }

    /// Restarts the audio at the playhead for another track: audio decoded of the old one is obsolete.
    mutating func audioTrackChanged(at now: Int64) {
        if audio.active != nil { restartAudio(at: now) }
    }

    private mutating func removeAudio(_ id: SoftwareRenderer.SinkID, at now: Int64) {
        guard audio.remove(id) == .active else { return }
        if audio.active != nil { return continueAudio(at: now) }
        // The clock continues without audio.
        machine.audioIsGone(at: now)
        audio.flush()
    }

    /// Decodes audio again from the playhead on.
    private mutating func restartAudio(at now: Int64) {
        let position = landForAudio(at: now)
        audio.reset(to: position, lap: machine.lap)
        passes.forgetAudio(of: machine.lap, after: position)
        beginAgain(at: now)
    }

    /// Gives the active sink the decoded audio from the playhead on.
    private mutating func continueAudio(at now: Int64) {
        audio.rewind(to: landForAudio(at: now), lap: machine.lap)
    }

    /// - Returns: the position of the playhead.
    private mutating func landForAudio(at now: Int64) -> MediaTime {
        machine.sinksChanged(at: now)
        applyEffects(at: now)
        return machine.playhead(at: now)
    }

    /// While no audio is heard, gives the sink its pending audio again, with the new settings, so that they apply when
    /// playback continues. While audio is heard, the new settings apply after the samples that the sink already has.
    private mutating func giveAudioAgain(at now: Int64) {
        if machine.isAtRest, audio.hasGivenToRealTimeSink { continueAudio(at: now) }
    }

    mutating func take(_ supply: Supply<TimedAudio>, of pass: DecodingPasses.Pass) {
        switch supply {
        case .superseded: break
        case .ended: passes.endAudio(of: pass.lap)
        case .next(let piece): passes.note(audioTo: audio.append(piece), lap: pass.lap)
        }
    }

    /// Takes the audio that the sink may be given now. The caller processes it and gives it to the sink.
    mutating func nextAudio(at now: Int64) -> AudioStep {
        let moment = moment(at: now)
        guard moment.mayGiveAudio, let active = audio.active, let settings = audio.settings(rate: moment.audioRate)
        else { return .wait }
        if let end = moment.silenceEnd { audio.pad(to: end) }
        let entries = audio.takePortion()
        if !entries.isEmpty { return .process(entries, settings, for: active) }
        guard moment.isAudioComplete else { return .wait }
        audio.finish()
        return .finish(settings, of: active)
    }

    /// Records a piece that is about to be given to the sink.
    ///
    /// - Returns: whether the piece is still wanted.
    mutating func beginGiving(_ piece: AudioPiece, generation: UInt64) -> Bool {
        guard generation == audio.generation else { return false }
        audio.map(piece)
        return true
    }

    mutating func note(audioTakenTo end: MediaTime) { audio.note(takenTo: end) }

    /// The sink was given all audio of `generation`, which need not be the current one.
    mutating func finishAudio(_ active: AudioPresentation.Attached, generation: UInt64, at now: Int64) {
        guard generation == audio.generation else { return }
        audio.close(at: moment(at: now).end)
        active.sink.finish(generation: generation)
    }
}
