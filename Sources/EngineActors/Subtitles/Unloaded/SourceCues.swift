// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// The cues of a source that is not loaded, read from start to end on demand.
///
/// Never part of playback. Owned by the call that requested the cues; its thread ends with the actor.
package actor SourceCues: PieceSource {
    private struct Open {
        let reader: SubtitleReader
        /// By stream index.
        let decoders: [Int: any CueDecoder]
        let timeBases: [Int: TimeBase]
        let origin: TimelineOrigin
        /// Finds the points where the source's clock restarts. `nil` if the clock cannot restart.
        let scanner: Scanner?
    }

    /// The facts about a source before a track is chosen.
    private struct Examined {
        let file: any ByteSource
        let edits: FormatContext.Edits
        let media: MediaDescription
        let origin: TimelineOrigin
        let scanner: Scanner?
    }

    private enum State {
        case new
        case reading(Open)
        /// The chosen track is in a file beside the source.
        case beside(SidecarCues)
        /// The chosen track lies outside the container, and has been read whole.
        case whole([Cue])
        case ended
    }

    /// How long to read for one batch.
    private static let patience = Duration.milliseconds(100)
    private static let cuesPerBatch = 2000
    /// A cue may be stored this far behind packets of the same time.
    private static let disorder = MediaTime.seconds(10)

    private let executor = ThreadExecutor(name: "cues")
    private nonisolated let interruptFlag = InterruptFlag()
    private nonisolated let finder: FoundSubtitles
    private nonisolated let sidecar = Locked<SidecarCues?>(nil)
    private let request: CueRequest
    private let source: String
    private let opener: SourceOpener
    private var state = State.new
    private var stream = CueStream()
    private var latest: MediaTime?
    private var plan: SegmentPlan?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter source: a path or URL, as in `LoadRequest.source`.
    package init(_ request: CueRequest, of source: String, _ opener: SourceOpener) {
        self.request = request
        self.source = source
        self.opener = opener
        finder = FoundSubtitles(opener)
    }

    package nonisolated func cancel() {
        interruptFlag.raise()
        finder.interrupt()
        sidecar.withLock { $0 }?.cancel()
    }

    package func next() async throws(EngineError) -> CueBatch? {
        switch state {
        case .ended: return nil
        case .reading(let open):
            try await follow(open)
            return try read(open)
        case .beside(let cues): return try await cues.next()
        case .whole(let cues):
            state = .ended
            var batch = CueBatch()
            (batch.cues, batch.progress) = (cues, 1)
            return batch
        case .new: return try await begin()
        }
    }

    private func begin() async throws(EngineError) -> CueBatch? {
        let found = try examined()
        let files = request.findsSubtitles ? await finder.entries(beside: source, of: found.media) : []
        let tracks = found.media.subtitleTracks + files.map(\.track)
        guard let track = SubtitleChooser(tracks).track(request.choice) ?? found.media.unlistedTrack(request.choice)
        else {
            throw .noSubtitles(request.choice, in: tracks, of: found.file.path)
        }
        guard let stream = track.stream else {
            guard let entry = files.first(where: { $0.track.id == track.id }) else {
                throw .noSubtitles(request.choice, in: tracks, of: found.file.path)
            }
            let cues = SidecarCues(request, of: entry, origin: found.origin.time, opener)
            sidecar.withLock { $0 = cues }
            if interruptFlag.isUp { cues.cancel() }
            state = .beside(cues)
            return try await cues.next()
        }
        var batch = CueBatch()
        batch.tracks = [track]
        if let text = try found.file.text(stream, of: found.media, interruptFlag) {
            let height = found.media.videoHeight
            let decoder = DiscTextDecoder(text, track: track.id, origin: found.origin, videoHeight: height)
            state = .whole(wanted(decoder.cues(), found.origin))
            return batch
        }
        let open = try opened(found, track, stream)
        state = .reading(open)
        if request.isRaw { batch.scriptHeader = open.decoders.values.first?.scriptHeader ?? "" }
        return batch
    }

    private func examined() throws(EngineError) -> Examined {
        let file = try opener.open(source, request.http, interrupt: interruptFlag)
        let examiner = try SourceExaminer(file, program: request.program, interrupt: interruptFlag)
        let options = LoadOptions()
        var media = try examiner.describe(options: options)
        // A source that cannot be played has only its own clock.
        var origin = TimelineOrigin.zero
        var scanner: Scanner?
        if examiner.isPlayable(media, options) {
            let found = try examiner.examine(options: options)
            (media, origin) = (found.media, found.origin)
            if found.refusal == nil, examiner.reader.container.canStartAnywhere,
                !examiner.reader.hasOwnClock
            {
                scanner = Scanner(source: try examiner.opened(found, options: options), target: options.segmentTarget)
            }
        } else {
            media = try examiner.withCaptions(media)
        }
        return Examined(
            file: file,
            edits: examiner.reader.edits,
            media: media,
            origin: origin,
            scanner: scanner
        )
    }

    private func opened(_ found: Examined, _ track: SubtitleTrack, _ stream: Int) throws(EngineError) -> Open {
        let streams = found.media.ownStreams
        let lead = streams.first { $0.kind == .video } ?? streams.first { $0.kind == .audio }
        let reader = try SubtitleReader(
            found.file,
            edits: found.edits,
            streams: [stream],
            lead: lead?.index,
            interrupt: interruptFlag
        )
        let setting = try reader.setting(track, origin: found.origin)
        let infos = reader.reader.streamInfos()
        return Open(
            reader: reader,
            decoders: [stream: try CueDecoderCatalog.decoder(for: setting)],
            timeBases: Dictionary(uniqueKeysWithValues: infos.map { ($0.index, $0.timeBase) }),
            origin: found.origin,
            scanner: found.scanner
        )
    }

    /// Extends the plan, with which the reader corrects clock restarts, until it covers what is read next.
    private func follow(_ open: Open) async throws(EngineError) {
        guard let scanner = open.scanner else { return }
        while plan.map({ !$0.isComplete && mayPass($0, open) }) ?? true {
            let batch = try await scanner.step()
            if interruptFlag.isUp {
                throw EngineError(.cancelled, "reading the cues of \(SourceOpener.shown(source)) was cancelled")
            }
            plan = batch.plan
            open.reader.reader.follow(batch.plan)
        }
    }

    /// Whether reading has reached the end of the plan. The clock is reliable for a few seconds beyond that.
    private func mayPass(_ plan: SegmentPlan, _ open: Open) -> Bool {
        open.reader.reader.fileOffset >= plan.boundaries.last?.position ?? 0
    }

    /// Reads one batch. Ends reading at the end of the requested range.
    private func read(_ open: Open) throws(EngineError) -> CueBatch? {
        let deadline = Deadline(in: Self.patience)
        var batch = CueBatch()
        var count = 0
        while !deadline.hasPassed, count < Self.cuesPerBatch {
            if let plan, !plan.isComplete, mayPass(plan, open) { break }
            switch try open.reader.next() {
            case .ended: return finished(open)
            case .lead(let packet): note(packet, open)
            case .subtitle(let packet):
                note(packet, open)
                let cues = open.decoders[packet.streamIndex]?.cues(of: packet) ?? []
                count += max(1, cues.count)
                stream.add(cues)
                guard stream.byteCount <= SubtitleDecoder.byteLimit else {
                    throw .tooManyCues(in: SourceOpener.shown(source))
                }
            }
            if let latest, let range = request.range, open.origin.source(of: latest) - Self.disorder > range.end {
                return finished(open)
            }
        }
        if let latest { batch.cues = wanted(stream.settled(before: latest - Self.disorder), open.origin) }
        batch.progress = open.reader.progress
        return batch
    }

    private func note(_ packet: Packet, _ open: Open) {
        guard let ticks = packet.dts ?? packet.pts, let base = open.timeBases[packet.streamIndex] else { return }
        let time = open.origin.presentation(of: ticks, in: base)
        latest = latest.map { max($0, time) } ?? time
    }

    private func finished(_ open: Open) -> CueBatch {
        for (_, decoder) in open.decoders.sorted(by: { $0.key < $1.key }) { stream.add(decoder.finish()) }
        state = .ended
        var batch = CueBatch()
        batch.cues = wanted(stream.finish(), open.origin)
        batch.progress = 1
        return batch
    }

    private func wanted(_ cues: [Cue], _ origin: TimelineOrigin) -> [Cue] {
        let shifted = (request.isRaw ? cues : cues.readable).map { $0.shifted(by: origin.time) }
        guard let range = request.range else { return shifted }
        return shifted.filter { $0.overlaps(range) }
    }
}
