// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading

/// The pictures of one subtitle track, drawn on demand from its cues. Bitmap cues are pictures already.
///
/// A picture is a function of the source, the canvas and the time, whatever was requested before. Runs on its own thread,
/// which ends with the actor; at low priority, unless the pictures are drawn into a video.
package actor SubtitleDrawing: PieceSource {
    /// The source, in which the fonts of the track may be, and the times of its video's frames.
    package struct Surroundings: Sendable {
        package let source: String
        package let http: HTTPOptions
        package let opener: SourceOpener
        /// The program that draws text. `nil` if it is not installed.
        let program: String?
        /// The start of the first frame, on the clock of the cues.
        package var origin = MediaTime.zero
        /// The frame rate of the video, if it is known.
        package var frameRate: Ratio?
        /// The fonts of the source, which the drawings for a video share. `nil` for a drawing that a client requested.
        var sharedFonts: SharedFonts?

        package init(_ source: String, _ http: HTTPOptions, _ opener: SourceOpener) {
            (self.source, self.http, self.opener) = (source, http, opener)
            program = Executable.helperFolders.map { "\($0)/engined-subtitles" }.first { Executable.exists(at: $0) }
        }
    }

    /// How long to draw for one batch, and how many bytes of images to put into it.
    private static let patience = Duration.milliseconds(100)
    private static let byteLimit = 1 << 20

    private let executor: ThreadExecutor
    private nonisolated let interruptFlag = InterruptFlag()
    private nonisolated let process = Locked<DrawingProcess?>(nil)
    private let request: DrawingRequest
    private let surroundings: Surroundings
    private let cues: any PieceSource<CueBatch>
    private var schedule: PictureSchedule
    private var painter: (any CuePainter)?
    /// The picture that was drawn last, whose end is not known yet.
    private var open: DrawnPicture?
    private var progress = 0.0
    private var isEnded = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter cues: the answer to `cues(for:)`.
    package init(
        _ request: DrawingRequest,
        in surroundings: Surroundings,
        _ cues: any PieceSource<CueBatch>
    ) {
        self.request = request
        self.surroundings = surroundings
        self.cues = cues
        executor = ThreadExecutor(name: "drawing", niceness: surroundings.sharedFonts == nil ? 5 : 0)
        schedule = PictureSchedule(
            range: request.cues.range,
            frame: Self.frame(request.frameRate, surroundings.frameRate),
            origin: surroundings.origin
        )
    }

    /// The request for the cues that a drawing needs: with their script lines, and from some time before its range.
    package static func cues(for request: DrawingRequest) -> CueRequest {
        var wanted = request.cues
        wanted.isRaw = true
        if let range = wanted.range {
            wanted.range = MediaTimeRange(start: range.start - PictureSchedule.placing, end: range.end)
        }
        return wanted
    }

    /// The duration of a frame. A rate such as 23.976 means 24000/1001. Without a usable rate, 25 frames per second are
    /// assumed.
    private static func frame(_ wanted: Double?, _ known: Ratio?) -> TimeBase {
        if let wanted {
            let whole = (wanted * 1.001).rounded()
            if abs(whole / 1.001 - wanted) < 0.001, wanted != wanted.rounded() {
                return TimeBase(1001, Int64(whole) * 1000)
            }
            return TimeBase(1000, Int64((wanted * 1000).rounded()))
        }
        guard let known, DrawingRequest.frameRates.contains(known.value) else { return .hertz(25) }
        return TimeBase(Int64(known.denominator), Int64(known.numerator))
    }

    package nonisolated func cancel() {
        interruptFlag.raise()
        process.withLock { $0 }?.interrupt()
        cues.cancel()
    }

    package func next() async throws(EngineError) -> DrawnBatch? {
        guard !isEnded else { return nil }
        guard let painter else { return try await begin() }
        var batch = DrawnBatch()
        var byteCount = 0
        let deadline = Deadline(in: Self.patience)
        while !isEnded, byteCount < Self.byteLimit, !deadline.hasPassed {
            if interruptFlag.isUp { throw EngineError(.cancelled, "the drawing was cancelled") }
            if let step = schedule.step() {
                if let picture = try take(step, painter) {
                    batch.pictures.append(picture)
                    byteCount += picture.images.reduce(0) { $0 + $1.png.count }
                }
            } else if schedule.isDone {
                if let last = closed(at: schedule.end) { batch.pictures.append(last) }
                isEnded = true
                process.withLock { $0 = nil }
                self.painter = nil
                cues.cancel()
            } else if let more = try await cues.next() {
                add(more.cues, painter)
                progress = more.progress
            } else {
                schedule.finish()
            }
        }
        batch.progress = isEnded ? 1 : progress
        return batch
    }

    private func begin() async throws(EngineError) -> DrawnBatch? {
        guard let first = try await cues.next() else { return nil }
        guard let track = first.tracks.first, first.tracks.count == 1 else {
            throw .invalid("cues", "names \(first.tracks.count) tracks: one track is drawn at a time")
        }
        var batch = DrawnBatch()
        batch.track = track
        if track.isText {
            let found = try fonts()
            batch.fonts = found.report
            painter = ScriptPainter(request, track, by: try start(header: first.scriptHeader, found))
        } else {
            painter = ImagePainter(request)
        }
        return batch
    }

    private func fonts() throws(EngineError) -> SourceFonts {
        if let known = surroundings.sharedFonts?.fonts { return known }
        let found = try SourceFonts(
            of: surroundings.source,
            surroundings.http,
            surroundings.opener,
            interrupt: interruptFlag
        )
        surroundings.sharedFonts?.fonts = found
        return found
    }

    private func start(header: String, _ found: SourceFonts) throws(EngineError) -> DrawingProcess {
        let started: DrawingProcess
        do throws(DrawingProcess.Failure) {
            started = try DrawingProcess(
                surroundings.program,
                request,
                header: ASSWriter.head(header),
                fonts: found.fonts,
                storage: found.storage,
                takesTurns: surroundings.sharedFonts != nil
            )
        } catch {
            throw EngineError(error, drawing: "the script")
        }
        process.withLock { $0 = started }
        if interruptFlag.isUp { started.interrupt() }
        return started
    }

    private func add(_ cues: [Cue], _ painter: any CuePainter) {
        for cue in cues {
            schedule.add(from: cue.start, to: cue.end, isMoving: painter.add(cue))
        }
    }

    /// - Returns: the previous picture, if this step has ended it by drawing a new one.
    private func take(_ step: PictureSchedule.Step, _ painter: any CuePainter) throws(EngineError) -> DrawnPicture? {
        switch step {
        case .layOut(let time):
            try painter.layOut(at: time)
            return nil
        case .draw(let time):
            guard let images = try painter.paint(at: time) else { return nil }
            defer { open = DrawnPicture(start: time, end: nil, images: images) }
            return closed(at: time)
        }
    }

    private func closed(at end: MediaTime?) -> DrawnPicture? {
        guard var picture = open else { return nil }
        open = nil
        picture.end = end
        return picture
    }
}
