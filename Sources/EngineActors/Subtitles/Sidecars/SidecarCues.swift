// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The cues of a subtitle file that belongs to no session, read from start to end on demand.
///
/// Owned by the call that requested the cues; its thread ends with it.
actor SidecarCues: PieceSource {
    private enum State {
        case new
        case reading(SidecarReader)
        case ended
    }

    /// How long to read for one batch.
    private static let patience = Duration.milliseconds(100)
    private static let cuesAPiece = 2000
    /// How far from its time a file may store a cue.
    private static let disorder = MediaTime.seconds(10)

    private let executor = ThreadExecutor(name: "cues")
    private nonisolated let interruptFlag = InterruptFlag()
    private let request: CueRequest
    private let source: String
    private let access: NetworkAccess
    private var state = State.new
    private var track: SubtitleTrack?
    private var stream = CueStream()
    private var latest = MediaTime.zero

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ request: CueRequest, of source: String, _ access: NetworkAccess) {
        self.request = request
        self.source = source
        self.access = access
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
        var sidecar = Sidecar(path: source)
        sidecar.charset = request.charset
        let fetcher = SidecarFetcher(request.http, access: access, interrupt: interruptFlag)
        let content = try SidecarContent(sidecar, by: fetcher)
        let reader = try SidecarReader.open(content, interrupt: interruptFlag)
        try reader.start(sidecar, firstID: SubtitleTrack.firstSidecar)
        guard let track = SubtitleChooser(reader.tracks).track(request.choice) else {
            throw .noSubtitles(request.choice, in: reader.tracks, of: content.place.shown)
        }
        self.track = track
        state = .reading(reader)
        var batch = CueBatch()
        batch.tracks = [track]
        if request.isRaw { batch.scriptHeader = reader.scriptHeader(of: track) }
        return batch
    }

    /// Reads one batch, up to the end of the range.
    private func read(_ reader: SidecarReader) throws(EngineError) -> CueBatch {
        let deadline = Deadline(in: Self.patience)
        var batch = CueBatch()
        var count = 0
        while !deadline.hasPassed, count < Self.cuesAPiece {
            if interruptFlag.isUp { throw EngineError(.cancelled, "reading \(source) was cancelled") }
            guard let cues = try reader.next() else { return finished(try reader.finish()) }
            count += cues.count
            for cue in cues { latest = max(latest, cue.start) }
            stream.add(cues)
            if let range = request.range, latest - Self.disorder > range.end { return finished([]) }
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
        let found = cues.filter { cue in
            cue.track == track?.id && (request.range.map { cue.overlaps($0) } ?? true)
        }
        return request.isRaw ? found : found.map(\.withoutRaw)
    }
}
