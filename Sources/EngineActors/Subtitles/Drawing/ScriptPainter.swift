// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Draws text cues with libass, in a process of its own: events of scripts as their authors meant them, other text in a
/// neutral style.
final class ScriptPainter: CuePainter {
    private let request: DrawingRequest
    private let track: Int
    private let process: DrawingProcess
    /// The events that were added, but not sent to the process yet.
    private var pending: [(line: [UInt8], start: Int64, duration: Int64)] = []

    init(_ request: DrawingRequest, _ track: SubtitleTrack, by process: DrawingProcess) {
        (self.request, self.track, self.process) = (request, track.id, process)
    }

    func add(_ cue: Cue) -> Bool {
        guard let line = ASSWriter.event(cue), let event = ASSEvent(line) else { return false }
        let bytes = Array(line.utf8)
        guard bytes.count <= DrawingProcess.longestEvent else { return false }
        let start = cue.start.milliseconds
        let end = (cue.end ?? cue.start + CueList.longestText).milliseconds
        pending.append((bytes, start, end - start))
        return event.isMoving
    }

    func layOut(at time: MediaTime) throws(EngineError) {
        _ = try blaming(time) { () throws(DrawingProcess.Failure) in
            try send(time)
            try process.layOut(at: time.wholeMilliseconds)
        }
    }

    func paint(at time: MediaTime) throws(EngineError) -> [CueImage]? {
        let parts = try blaming(time) { () throws(DrawingProcess.Failure) in
            try send(time)
            return try process.draw(at: time.wholeMilliseconds)
        }
        guard let parts else { return nil }
        var images: [CueImage] = []
        for (box, pixels) in parts { images.append(try image(of: box, pixels)) }
        return images
    }

    private func send(_ time: MediaTime) throws(DrawingProcess.Failure) {
        try process.add(pending[...], now: time.wholeMilliseconds)
        pending = []
    }

    private func image(of box: PixelBox, _ pixels: [UInt8]) throws(EngineError) -> CueImage {
        let png: [UInt8]
        do throws(FFmpegError) {
            let wanted = request.hasStraightAlpha ? StraightAlpha.pixels(pixels) : pixels
            png = try PixelEncoder.png(
                width: box.width,
                height: box.height,
                pixels: wanted,
                isCompressed: !request.isForVideo
            )
        } catch {
            throw EngineError(.internal, "an image of subtitle track \(track) cannot be encoded", cause: "\(error)")
        }
        let (width, height) = (Double(request.width), Double(request.height))
        return CueImage(
            png: png,
            width: box.width,
            height: box.height,
            corner: CuePosition(x: Double(box.x) / width, y: Double(box.y) / height),
            extent: CuePosition(x: Double(box.width) / width, y: Double(box.height) / height),
            canvasWidth: request.width,
            canvasHeight: request.height
        )
    }

    private func blaming<Value>(
        _ time: MediaTime,
        _ body: () throws(DrawingProcess.Failure) -> Value
    ) throws(EngineError) -> Value {
        do throws(DrawingProcess.Failure) {
            return try body()
        } catch {
            throw EngineError(error, drawing: "the picture of subtitle track \(track) at \(time.seconds) s")
        }
    }
}

extension EngineError {
    /// - Parameter what: what was to be drawn.
    init(_ failure: DrawingProcess.Failure, drawing what: String) {
        switch failure {
        case .missing:
            self.init(.unavailable, "subtitles cannot be drawn: the program engined-subtitles is not installed")
        case .unavailable(let cause):
            self.init(.resourceExhausted, "the program engined-subtitles cannot be started", cause: cause)
        case .busy:
            let text = "\(DrawingPermit.limit) drawings are under way, which is the limit"
            self.init(.resourceExhausted, text)
        case .cancelled: self.init(.cancelled, "drawing \(what) was cancelled")
        case .ended:
            let cause = "engined-subtitles ended: it needed too much memory, or failed on the script or a font"
            self.init(.resourceExhausted, "\(what) is too costly to draw", cause: cause)
        case .tooSlow(let limit):
            self.init(.resourceExhausted, "\(what) is too costly to draw", cause: "it takes more than \(limit)")
        case .exceedsLimits:
            let cause = "it needs more layers, or more memory, than any author intends"
            self.init(.resourceExhausted, "\(what) is too costly to draw", cause: cause)
        }
    }
}

extension MediaTime {
    /// Rounded to milliseconds, the unit of events in Matroska's form.
    fileprivate var milliseconds: Int64 { ticks(in: .hertz(1000)) }

    /// Rounded down, as players do with the time of a frame.
    fileprivate var wholeMilliseconds: Int64 { ticks(in: .hertz(1000), rounding: .down) }
}
