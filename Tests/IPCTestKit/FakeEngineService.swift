// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import EngineRuntime

/// An engine without media: sessions are values, commands change them immediately, and observers are notified before
/// the command returns, as `EngineService` requires.
package final class FakeEngineService: EngineService {
    package struct World {
        package var sessions: [SessionState] = []
        package var defaultSession: SessionID?
        package var observers: [any EngineObserver] = []
        /// Probes of `/slow`.
        package var slowProbeCount = 0
        package var cancelledProbeCount = 0
        package var cueScripts: [CueScript] = []
        package var areCuesHeld = false
        package var inspectedByteCount = 0
        package var stillArrivals: [MediaTime: UInt64] = [:]
        package var nextNumber = 1
        package var renderers: [RendererID: any CommandReceiver] = [:]
        package var reports: [RendererReport] = []
        package var handovers: [HandoverTicket: any Handover] = [:]
    }

    package let world = Locked(World())

    package init() {}

    // MARK: Controlled by tests

    @discardableResult
    package func addSession(_ source: String = "/film.mkv", moving: Bool = false) -> SessionState {
        world.withLock { world in
            let id = SessionID(rawValue: "s\(world.nextNumber)")
            world.nextNumber += 1
            let anchor = PositionAnchor(
                position: .zero,
                rate: moving ? 1 : 0,
                monotonicNanoseconds: monotonicNanoseconds(),
                requestedRate: 1
            )
            var state = SessionState(id: id, source: source, url: "http://127.0.0.1:1/\(id.rawValue)", position: anchor)
            state.phase = moving ? .playing : .ready
            state.duration = .seconds(60)
            state.seekable = [MediaTimeRange(start: .zero, end: .seconds(60))]
            world.sessions.append(state)
            world.defaultSession = id
            for observer in world.observers {
                observer.receive(.changed(state, fields: .all))
                observer.receive(.defaultSession(id))
            }
            return state
        }
    }

    /// Changes the session and notifies observers.
    @discardableResult
    package func change(_ id: SessionID, _ body: @Sendable (inout SessionState) -> Void) -> SessionState? {
        world.withLock { world in
            guard let index = world.sessions.firstIndex(where: { $0.id == id }) else { return nil }
            let old = world.sessions[index]
            body(&world.sessions[index])
            world.sessions[index].revision += 1
            let new = world.sessions[index]
            for observer in world.observers { observer.receive(.changed(new, fields: new.changes(since: old))) }
            return new
        }
    }

    package func notice(_ id: SessionID, _ notice: Notice) {
        world.withLock { world in
            for observer in world.observers { observer.receive(.noticed(id, notice)) }
        }
    }

    package func close(_ id: SessionID, error: EngineError? = nil) {
        world.withLock { world in
            world.sessions.removeAll { $0.id == id }
            for observer in world.observers { observer.receive(.closed(id, error)) }
            guard world.defaultSession == id else { return }
            world.defaultSession = world.sessions.last?.id
            for observer in world.observers { observer.receive(.defaultSession(world.defaultSession)) }
        }
    }

    // MARK: EngineService

    package func load(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        if request.source == "/missing" {
            throw EngineError(.sourceNotFound, "no file /missing, 100 % sure — «nirgends»", cause: "open: ENOENT")
        }
        return addSession(request.source, moving: request.options.isAutoplay)
    }

    package func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        let current = try await state(of: request.session)
        if let revision = request.ifRevision, revision != current.revision {
            throw EngineError(.revisionConflict, "the session is at \(current.revision)")
        }
        if request.command == .stop {
            close(current.id)
            return CommandResult(state: current)
        }
        let new = change(current.id) { state in
            switch request.command {
            case .player(let command): state.apply(command)
            case .tracks(.selectAudio(.stream(let index))): state.selectedAudio = index
            case .tracks(.selectSubtitles(.tracks(let ids))): state.selectedSubtitles = ids
            case .output(.selectPath(let path)): state.path = path ?? .remux
            case .stepFrame(let frames):
                state.position.position = state.position.position + .seconds(0.04 * Double(frames))
            case .filters(let command):
                var treatment = PictureTreatment()
                (treatment.adjustments, treatment.filters) = (state.adjustments, state.filters)
                guard (try? treatment.apply(command)) != nil else { break }
                (state.adjustments, state.filters) = (treatment.adjustments, treatment.filters)
                state.overlays = treatment.overlays.map {
                    PlacedOverlay(name: $0.name, rectangle: $0.rectangle, z: $0.z)
                }
            case .source(.refresh(let refresh)): state.source = refresh.url ?? state.source
            case .source(.selectProgram(let selection)): try? state.media?.choose(selection)
            case .recording(.start(let request)):
                state.recording = RecordingState(path: request.path, start: request.start ?? .zero)
            case .recording(.stop): state.recording?.phase = .ended
            case .tracks, .output(.setSoundOutput), .stop: break
            }
        }
        guard let new else { throw EngineError(.sessionNotFound, "gone") }
        if case .player(.setRate(let rate)) = request.command {
            return CommandResult(state: new, isClamped: rate > 2 || rate < 0)
        }
        return CommandResult(state: new)
    }

    package func state(of session: SessionID?) async throws(EngineError) -> SessionState {
        let found = world.withLock { world in
            world.sessions.first { $0.id == session ?? world.defaultSession }
        }
        guard let found else { throw EngineError(.sessionNotFound, "there is no such session") }
        return found
    }

    package func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?) {
        world.withLock { ($0.sessions, $0.defaultSession) }
    }

    /// For `/slow`, waits until it is cancelled, at most ten minutes, and then fails.
    package func probe(
        _ source: String,
        _ http: HTTPOptions,
        options: LoadOptions
    ) async throws(EngineError) -> MediaDescription {
        if source == "/slow" {
            world.withLock { $0.slowProbeCount += 1 }
            try? await Task.sleep(for: .seconds(600))
            world.withLock { $0.cancelledProbeCount += 1 }
            throw EngineError(.cancelled, "the probe was cancelled")
        }
        var media = MediaDescription()
        media.source = source
        media.containerName = options.profile.name
        return media
    }

    package func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still {
        world.withLock { $0.stillArrivals[request.time] = arrival }
        if case .session(let id) = request.source { _ = try await state(of: id) }
        return Still(bytes: [1, 2, 3], format: request.style.format, width: 3, height: 1, time: request.time)
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {
        if case .session(let id) = source { _ = try await state(of: id) }
    }

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        for done in 1...3 { progress(done, 3) }
        return Still(bytes: [4], format: request.style.format, width: 1, height: 1, time: .zero)
    }

    /// One cue per batch; the track's id is the number of batches.
    package func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        guard case .id(let count) = request.choice else { throw EngineError(.trackNotFound, "no track") }
        return world.withLock { world in
            let script = CueScript(count: count, isHeld: world.areCuesHeld)
            world.cueScripts.append(script)
            return script
        }
    }

    package func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        throw EngineError(.trackNotFound, "no track")
    }

    package func drawing(_ request: DrawingRequest) async throws(EngineError) -> any PieceSource<DrawnBatch> {
        throw EngineError(.trackNotFound, "no track")
    }

    package func recognition(
        _ request: RecognitionRequest
    ) async throws(EngineError) -> any PieceSource<RecognitionStep> {
        throw EngineError(.trackNotFound, "no track")
    }

    package func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        throw EngineError(.trackNotFound, "no attachment")
    }

    package func tap(_ request: AudioTapRequest) async throws(EngineError) -> any PieceSource<TappedAudio> {
        throw EngineError(.trackNotFound, "no sound")
    }

    package func loudness(_ request: LoudnessRequest) async throws(EngineError) -> any PieceSource<LoudnessStep> {
        throw EngineError(.trackNotFound, "no sound")
    }

    package func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport {
        world.withLock { $0.inspectedByteCount = bytes.count }
        var report = SegmentReport()
        report.problems = ["\(bytes.count) bytes"]
        return report
    }

    package func attach(
        _ offer: RendererOffer,
        to receiver: any CommandReceiver
    ) async throws(EngineError) -> RendererID {
        let session = try await state(of: offer.session)
        if offer.name == "refused" { throw EngineError(.rendererConflict, "there is one") }
        return world.withLock { world in
            let id = RendererID(session: session.id, number: UInt64(world.renderers.count + 1))
            world.renderers[id] = receiver
            receiver.receive(RendererCommand(number: 1, action: .load(url: session.url, position: .zero)))
            receiver.receive(RendererCommand(number: 2, action: .pause))
            return id
        }
    }

    package func report(_ report: RendererReport, by renderer: RendererID) async {
        world.withLock { world in
            if world.renderers[renderer] != nil { world.reports.append(report) }
        }
    }

    package func detach(_ renderer: RendererID) async { world.withLock { $0.renderers[renderer] = nil } }

    /// Returns the ticket of a handover that the test has put into `handovers`.
    package func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket {
        guard let ticket = world.withLock({ $0.handovers.keys.first }) else {
            throw EngineError(.sessionNotFound, "there is nothing to attach to")
        }
        return ticket
    }

    package func attachAudio(_ request: AudioRequest) async throws(EngineError) -> HandoverTicket {
        try await attachFrames(FramesRequest(of: request.session))
    }

    package func registerSource() async throws(EngineError) -> SourceRegistration {
        SourceRegistration(url: "source://fake", ticket: try await attachFrames(FramesRequest()))
    }

    package func claim(_ ticket: HandoverTicket) -> (any Handover)? {
        world.withLock { $0.handovers.removeValue(forKey: ticket) }
    }

    package func history() async throws(EngineError) -> [HistoryEntry] {
        await sessions().sessions.map {
            HistoryEntry(
                source: $0.source,
                position: $0.position.position,
                duration: $0.duration,
                isFinished: false,
                playedUnixMicroseconds: 1_700_000_000_000_000
            )
        }
    }

    package func clearHistory(of source: String?) async throws(EngineError) -> Int { source == nil ? 2 : 1 }

    package func sourceCache() async throws(EngineError) -> SourceCacheReport {
        var report = SourceCacheReport(
            memory: SourceCacheReport.Store(byteCount: 1 << 20, byteLimit: 64 << 20),
            disk: SourceCacheReport.Store(byteCount: 2 << 20, byteLimit: 1 << 30)
        )
        report.directory = "/cache/ranges"
        report.problem = "full"
        report.sources = [
            SourceCacheReport.Source(
                url: "http://example.org/film.mkv",
                byteCount: 8 << 20,
                memoryByteCount: 1 << 20,
                diskByteCount: 2 << 20,
                lastUseUnixMicroseconds: 1_700_000_000_000_000,
                isInUse: true
            )
        ]
        return report
    }

    package func clearSourceCache(of source: String?) async throws(EngineError) -> SourceCacheClearing {
        SourceCacheClearing(sources: source == nil ? 2 : 1, byteCount: 3 << 20)
    }

    package func observe(_ observer: any EngineObserver) async {
        world.withLock { world in
            world.observers.append(observer)
            for state in world.sessions { observer.receive(.changed(state, fields: .all)) }
            observer.receive(.defaultSession(world.defaultSession))
        }
    }
}

extension SessionState {
    fileprivate mutating func apply(_ command: PlayerCommand) {
        switch command {
        case .play: phase = .playing
        case .pause: phase = .paused
        case .seek(let seek):
            switch seek.target {
            case .position(let place): position.position = place
            case .relative(let distance): position.position = position.position + distance
            case .begin: position.position = .zero
            case .end, .live: position.position = duration ?? .zero
            }
        case .setVolume(let volume): self.volume = min(max(volume, 0), 1)
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setLooping(let isLooping): self.isLooping = isLooping
        case .setLoopPoints(let points): loopPoints = points
        case .setAudioDelay(let delay): _ = delays.setAudio(delay)
        case .setSubtitleDelay(let delay): _ = delays.setSubtitles(delay)
        case .skipChapter: chapter = (chapter ?? 0) + 1
        case .setRate(let rate): position.requestedRate = min(max(rate, 0), 2)
        }
    }
}
