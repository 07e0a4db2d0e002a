// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// The cues of a subtitle file that belongs to no session, read from start to end on demand. A file that a client names
/// alone has its own clock; a file beside a source uses the source's clock.
///
/// Owned by the call that requested the cues; its thread ends with the actor.
actor SidecarCues: PieceSource {
    private enum State {
        case new
        case reading(SidecarReader)
        case ended
    }

    /// How long to read for one batch.
    private static let patience = Duration.milliseconds(100)
    private static let cuesPerBatch = 2000
    /// A cue may start this much earlier than a cue before it in the file.
    private static let disorder = MediaTime.seconds(10)

    private let executor = ThreadExecutor(name: "cues")
    private nonisolated let interruptFlag = InterruptFlag()
    private let request: CueRequest
    private let source: String
    private let opener: SourceOpener
    /// `nil` for a file that a client named alone.
    private let beside: FoundSubtitles.Entry?
    /// The start of the source's timeline on the source's clock.
    private let origin: MediaTime
    private var state = State.new
    private var track: SubtitleTrack?
    private var stream = CueStream()
    private var latest = MediaTime.zero

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ request: CueRequest, of source: String, _ opener: SourceOpener) {
        self.request = request
        self.source = source
        self.opener = opener
        beside = nil
        origin = .zero
    }

    /// - Parameter origin: the start of the source's timeline on the source's clock.
    init(_ request: CueRequest, of entry: FoundSubtitles.Entry, origin: MediaTime, _ opener: SourceOpener) {
        var request = request
        request.choice = .id(entry.track.id)
        self.request = request
        source = entry.record.sidecar.path
        self.opener = opener
        beside = entry
        self.origin = origin
    }

    nonisolated func cancel() { interruptFlag.raise() }

    func next() throws(EngineError) -> CueBatch? {
        do throws(EngineError) {
            switch state {
            case .ended: return nil
            case .reading(let reader): return try read(reader)
            case .new: return try begin()
            }
        } catch {
            throw error.blamingPath.blaming("", path: "source")
        }
    }

    private func begin() throws(EngineError) -> CueBatch {
        let reader = try opened()
        guard let track = SubtitleChooser(reader.tracks).track(request.choice) else {
            throw .noSubtitles(request.choice, in: reader.tracks, of: source)
        }
        self.track = track
        state = .reading(reader)
        var batch = CueBatch()
        batch.tracks = [track]
        if request.isRaw { batch.scriptHeader = reader.scriptHeader(of: track) }
        return batch
    }

    private func opened() throws(EngineError) -> SidecarReader {
        if let beside {
            let file = try SidecarFile.open(beside.record, for: beside.source, opener, interrupt: interruptFlag)
            return try SidecarReader(
                file,
                as: beside.record.sidecar,
                for: beside.source,
                firstID: beside.firstID
            )
        }
        var sidecar = Sidecar(path: source)
        sidecar.charset = request.charset
        let fetcher = SidecarFetcher(request.http, opener, of: source, interrupt: interruptFlag)
        let file = try SidecarFile.open(SidecarContent(sidecar, by: fetcher), interrupt: interruptFlag)
        return try SidecarReader(file, as: sidecar, firstID: SubtitleTrack.firstSidecar)
    }

    /// Reads one batch. Ends reading at the end of the requested range.
    private func read(_ reader: SidecarReader) throws(EngineError) -> CueBatch {
        let deadline = Deadline(in: Self.patience)
        var batch = CueBatch()
        var count = 0
        while !deadline.hasPassed, count < Self.cuesPerBatch {
            if interruptFlag.isUp {
                throw EngineError(.cancelled, "reading \(SourceOpener.shown(source)) was cancelled")
            }
            guard let cues = try reader.next() else { return finished(try reader.finish()) }
            count += cues.count
            for cue in cues { latest = max(latest, cue.start) }
            stream.add(cues)
            if let range = request.range, latest + origin - Self.disorder > range.end { return finished([]) }
        }
        batch.cues = wanted(stream.settled(before: latest - Self.disorder))
        batch.progress = reader.progress
        return batch
    }

    private func finished(_ rest: [Cue]) -> CueBatch {
        state = .ended
        stream.add(rest)
        var batch = CueBatch()
        batch.cues = wanted(stream.finish())
        batch.progress = 1
        return batch
    }

    private func wanted(_ cues: [Cue]) -> [Cue] {
        let found = cues.filter { $0.track == track?.id }.map { $0.shifted(by: origin) }
            .filter { cue in request.range.map { cue.overlaps($0) } ?? true }
        return request.isRaw ? found : found.readable
    }
}
