// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Plays a session inside the engine, for video and audio sinks. The session treats it like an external renderer.
///
/// Receives `RendererCommand`s and answers with `RendererReport`s. Decodes only what its sinks need; without sinks only
/// its clock runs. Does not know what its sinks are, or where a source comes from.
///
/// To use it: create one, start `run()` in a task that the session owns, attach the renderer to the session like any
/// other, and pass its reports to `PlaybackSession.take`. Sinks may be attached and detached at any time. `run()`
/// returns after `stop`, after `end`, after a failure, or when its task is cancelled. Settings that no command carries
/// are set directly: `setLooping`, `setDuration`.
///
/// `Presentation` decides. The renderer waits, in four loops beside the one that reads commands: one opens sources and
/// begins passes, two pull decoded media, and one gives audio to its sink. Each video sink has one more loop.
package actor SoftwareRenderer: CommandReceiver {
    /// Opens the source that a `load` command names.
    package typealias Opening = @Sendable (_ url: String) async throws(EngineError) -> any DecodedSource

    /// Identifies an attached sink.
    package struct SinkID: Hashable, Sendable {
        enum Kind { case video, audio }

        let kind: Kind
        let number: UInt64
    }

    /// The source that is played.
    private enum Media {
        case none
        /// To be opened next.
        case wanted(url: String)
        case opening
        case open(any DecodedSource)
        /// The renderer has ended.
        case over
    }

    private let opening: Opening
    private let listener: RendererListener
    private nonisolated let commands = RendererCommands()
    private nonisolated let delivered = Locked(FramesDelivered())
    /// Signalled after each change, for the loops that wait for one.
    private let changes = ChangeSignal()
    private var presentation = Presentation()
    private var media = Media.none
    private var reports = ReportSchedule()
    private let alarm = Alarm()

    package init(listener: RendererListener, opening: @escaping Opening) {
        self.listener = listener
        self.opening = opening
    }

    package nonisolated func receive(_ command: RendererCommand) { commands.add(command) }

    package nonisolated func end(_ error: EngineError?) { commands.finish() }

    /// How many frames were delivered since the renderer was created.
    package nonisolated var framesDelivered: FramesDelivered { delivered.withLock { $0 } }

    // MARK: Life cycle

    /// Plays until it is stopped.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beginPasses() }
            group.addTask { await self.pullFrames() }
            group.addTask { await self.pullAudio() }
            group.addTask { await self.giveAudio() }
            // The stream also ends when its task is cancelled.
            for await _ in commands.arrivals {
                for command in commands.takeAll() where !isOver { obey(command) }
                settle()
                if isOver { break }
            }
            finish()
            presentation.close(at: monotonicNanoseconds())
            alarm.cancel()
            group.cancelAll()
        }
    }

    private var isOver: Bool {
        if case .over = media { true } else { false }
    }

    /// Whether a loop continues. A cancelled loop must end, because its waits return at once.
    private var isRunning: Bool { !isOver && !Task.isCancelled }

    private var source: (any DecodedSource)? {
        if case .open(let source) = media { source } else { nil }
    }

    /// Playback has failed and cannot continue.
    private func fail(_ error: EngineError) {
        guard !isOver else { return }
        listener.failed(error)
        finish()
        commands.finish()
    }

    private func finish() {
        source?.close()
        media = .over
        changes.signal()
    }

    // MARK: Changes

    /// Sets whether playback continues at the start, without a gap, when it reaches the end. Looping playback never
    /// ends by itself.
    package func setLooping(_ isLooping: Bool) {
        change { $0.setLooping(isLooping, at: $1) }
    }

    /// Sets the duration of the session. `nil` while unknown.
    package func setDuration(_ duration: MediaTime?) {
        change { presentation, _ in presentation.setDuration(duration) }
    }

    /// Restarts the audio at the playhead for another track: audio decoded of the old one is obsolete.
    package func audioTrackChanged() {
        change { $0.audioTrackChanged(at: $1) }
    }

    /// The target of a step by `frames`, which may be negative, from `position`. Frames that are not in the queue are
    /// assumed to last as long as the one shown at `position`. `nil` if no frame is shown there.
    package func target(of frames: Int, from position: MediaTime) -> MediaTime? {
        presentation.video.queue.target(of: frames, from: position, lap: presentation.machine.lap)
    }

    /// Decodes and processes the frame on screen again, with the current settings, while the playhead stands still.
    /// Redraws never overlap: each one is shown before the next begins, so that frames appear while a user moves a
    /// slider. A moving playhead needs no redraw.
    package func redraw() {
        guard !isOver else { return }
        change { $0.redraw(at: $1) }
    }

    private func obey(_ command: RendererCommand) {
        switch command.action {
        case .load(let url, _):
            source?.close()
            media = .wanted(url: url)
        case .stop: finish()
        case .play, .pause, .seek, .rate, .volume, .muted: break
        }
        presentation.obey(command.action, at: monotonicNanoseconds())
        reports.obeyed(command.number)
    }

    /// Changes the presentation, and applies all consequences.
    private func change<Result>(_ body: (inout Presentation, Int64) -> Result) -> Result {
        let before = presentation.required
        let result = body(&presentation, monotonicNanoseconds())
        let required = presentation.required
        if before.video && !required.video || before.audio && !required.audio { source?.narrow(to: required) }
        settle()
        return result
    }

    /// Applies the consequences of decoded media and of the passing of time.
    private func settle() {
        guard !isOver else { return }
        let moment = presentation.settle(at: monotonicNanoseconds())
        if let report = reports.report(moment.report, at: moment.now) { listener.report(report) }
        if let next = presentation.nextChange(after: moment, report: reports.deadline) {
            alarm.set(to: next, now: moment.now) { [weak self] in await self?.settle() }
        }
        changes.signal()
        if presentation.noteRedrawn(at: moment) { redraw() }
    }

    /// Suspends until something has changed.
    private func nextChange() async {
        guard !isOver else { return }
        await changes.wait(after: changes.signalCount)
    }

    // MARK: Source

    /// Opens sources and begins passes, one at a time. Skips sources and passes that newer ones have replaced.
    private func beginPasses() async {
        while isRunning {
            if case .wanted(let url) = media {
                media = .opening
                await open(url)
            } else if let source, let pass = presentation.takePass() {
                await begin(pass, of: source)
            } else {
                await nextChange()
            }
        }
    }

    private func open(_ url: String) async {
        do throws(EngineError) {
            let opened = try await opening(url)
            guard case .opening = media else { return opened.close() }
            media = .open(opened)
            opened.decode(into: presentation.video.memory)
            settle()
        } catch {
            if case .opening = media { fail(error) }
        }
    }

    private func begin(_ pass: DecodingPasses.Pass, of source: any DecodedSource) async {
        do throws(EngineError) {
            try await source.begin(pass: pass.number, at: pass.position, pass.required)
            presentation.began(pass)
            settle()
        } catch {
            if self.source === source { fail(error, in: pass) }
        }
    }

    /// Ends playback, unless the pass is over.
    private func fail(_ error: EngineError, in pass: DecodingPasses.Pass) {
        if presentation.passes.current == pass { fail(error) }
    }

    // MARK: Video

    /// Begins to give frames to `sink`, starting with the one to show now.
    package func attach(_ sink: any FrameSink) -> SinkID {
        change {
            // The task is cancelled when the sink is detached or the renderer ends.
            let id = $0.attach(sink, at: $1) { id in Task { await self.giveFrames(to: id) } }
            source?.decode(into: $0.video.memory)
            return id
        }
    }

    /// Detaches a video or audio sink.
    package func detach(_ id: SinkID) {
        change {
            $0.detach(id, at: $1)
            if id.kind == .video { source?.decode(into: $0.video.memory) }
        }
    }

    private func pullFrames() async {
        while isRunning {
            guard let source, let pass = presentation.moment(at: monotonicNanoseconds()).passToPullFrames else {
                await nextChange()
                continue
            }
            do throws(EngineError) {
                let supply = try await source.nextFrame(pass: pass.number)
                // The last video sink may have been detached meanwhile.
                guard presentation.passes.current == pass, !presentation.video.isEmpty else { continue }
                take(supply, of: pass, from: source)
                settle()
            } catch {
                fail(error, in: pass)
            }
        }
    }

    private func take(
        _ supply: Supply<TimedFrame>,
        of pass: DecodingPasses.Pass,
        from source: any DecodedSource
    ) {
        switch presentation.take(supply, of: pass, at: monotonicNanoseconds()) {
        case nil, .unmeasured: break
        case .inTime: source.catchUp(to: nil)
        case .late(_, let position): source.catchUp(to: position)
        }
    }

    /// Gives one sink its frames, as long as it is attached.
    private func giveFrames(to id: SinkID) async {
        while isRunning, let sink = presentation.video.sink(id) {
            guard let entry = presentation.nextFrame(for: id, at: monotonicNanoseconds()) else {
                await nextChange()
                continue
            }
            let generation = presentation.machine.generation
            let reception = await sink.take(entry.frame, generation: generation)
            guard presentation.video.sink(id) != nil else { return }
            delivered.withLock { $0.count(reception) }
            if reception == .gone { return detach(id) }
            presentation.note(reception, of: entry, by: id, generation: generation)
            if !sink.isRealTime { settle() }
        }
    }

    // MARK: Audio

    /// Plays audio through `sink` from here on, until it is detached or lost; then through the previous sink.
    package func attach(_ sink: any AudioSink) -> SinkID {
        change { $0.attach(sink, at: $1) }
    }

    /// Plays audio through `sink` when no other is attached.
    package func attach(fallback sink: any AudioSink) -> SinkID {
        change { $0.attach(fallback: sink, at: $1) }
    }

    private func pullAudio() async {
        while isRunning {
            guard let source, let pass = presentation.moment(at: monotonicNanoseconds()).passToPullAudio else {
                await nextChange()
                continue
            }
            do throws(EngineError) {
                let supply = try await source.nextAudio(pass: pass.number)
                guard presentation.passes.current == pass else { continue }
                presentation.take(supply, of: pass)
                settle()
            } catch {
                fail(error, in: pass)
            }
        }
    }

    private func giveAudio() async {
        let processor = AudioProcessor()
        while isRunning {
            switch presentation.nextAudio(at: monotonicNanoseconds()) {
            case .wait: await nextChange()
            case .process(let entries, let settings, let active):
                await give(await processor.process(entries, settings), to: active, settings.generation)
            case .finish(let settings, let active):
                await give(await processor.finish(settings), to: active, settings.generation)
                presentation.finishAudio(active, generation: settings.generation, at: monotonicNanoseconds())
                settle()
            }
        }
    }

    private func give(_ pieces: [AudioPiece], to active: AudioPresentation.Attached, _ generation: UInt64) async {
        for piece in pieces where presentation.beginGiving(piece, generation: generation) {
            let isAlive = await active.sink.take(piece.audio, generation: generation)
            guard generation == presentation.audio.generation else { return }
            guard isAlive else { return lose(active.id, because: "it accepts no more data") }
            presentation.note(audioTakenTo: piece.audio.end)
        }
        settle()
    }

    /// Detaches a lost sink: the previous one takes over, if any, and watchers get a notice.
    private func lose(_ id: SinkID, because reason: String) {
        change { $0.detach(id, at: $1) }
        let next = presentation.audio.active == nil ? "playback continues without audio" : "another output takes over"
        listener.notice(Notice(.warning, "sound.lost", "the audio output was lost: \(reason); \(next)"))
    }
}

/// Commands that the renderer has yet to obey. Thread-safety: safe.
private struct RendererCommands: Sendable {
    private let inbox = Locked(RendererInbox())
    /// Yields one element after commands have arrived; finishes with the renderer.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ command: RendererCommand) {
        inbox.withLock { $0.add(command) }
        arrival.yield()
    }

    func takeAll() -> [RendererCommand] { inbox.withLock { $0.takeAll() } }

    func finish() { arrival.finish() }
}
