// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// Reads the text in the images of a bitmap subtitle track, a few images per step, and adds it to the session as a SubRip
/// file.
///
/// Never part of playback; runs on its own thread at low priority. The SubRip files are kept: a track is recognized
/// only once in each language if the source has a key.
package actor TextRecognizer: PieceSource {
    /// The properties of the session that the recognizer needs.
    package struct Surroundings: Sendable {
        /// Identifies this version of the source. `nil`: the result cannot be used again.
        package let key: String?
        /// The folder of the SubRip files, and of the images while they are being read.
        package let folder: String
        /// The start of the timeline, on the clock of the cues. Times in the SubRip file count from there.
        package let origin: MediaTime
        /// Adds the file to the session, and returns the ids of its tracks.
        package let add: @Sendable (Sidecar) async throws(EngineError) -> [Int]

        package init(
            key: String?,
            folder: String,
            origin: MediaTime,
            add: @escaping @Sendable (Sidecar) async throws(EngineError) -> [Int]
        ) {
            (self.key, self.folder, self.origin, self.add) = (key, folder, origin, add)
        }
    }

    private static let imagesPerStep = 12

    private let executor = ThreadExecutor(name: "recognition", niceness: 10)
    private nonisolated let program = Tesseract()
    private nonisolated let interruptFlag = InterruptFlag()
    private let request: RecognitionRequest
    private let surroundings: Surroundings
    private let cues: any PieceSource<CueBatch>
    /// Set by the first step.
    private var job: Job?
    private var isEnded = false

    private struct Job {
        let track: SubtitleTrack
        let language: String
        /// Tesseract's name for the data of the language.
        let data: String
        let path: String
        var waiting: [Cue] = []
        var found: [Cue] = []
        var step = RecognitionStep()
        /// Whether all cues have been read.
        var isRead = false
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter cues: of the track.
    package init(_ request: RecognitionRequest, in surroundings: Surroundings, _ cues: any PieceSource<CueBatch>) {
        (self.request, self.surroundings, self.cues) = (request, surroundings, cues)
    }

    package nonisolated func cancel() {
        interruptFlag.raise()
        program.interrupt()
        cues.cancel()
    }

    package func next() async throws(EngineError) -> RecognitionStep? {
        guard !isEnded else { return nil }
        guard var job else {
            let begun = try await begin()
            job = begun
            // If the file exists, the track was recognized before.
            return NamedFile.exists(Array(begun.path.utf8)) ? try await finish(begun) : begun.step
        }
        while !job.isRead, job.waiting.count < Self.imagesPerStep {
            guard let batch = try await cues.next() else {
                job.isRead = true
                break
            }
            job.waiting += batch.cues.filter { if case .image = $0.content { true } else { false } }
            job.step.progress = min(0.99, batch.progress)
        }
        if interruptFlag.isUp { throw EngineError(.cancelled, "the recognition was cancelled") }
        let some = Array(job.waiting.prefix(Self.imagesPerStep))
        job.waiting.removeFirst(some.count)
        job.found += try recognized(some, job.data)
        job.step.imageCount += some.count
        self.job = job
        guard job.isRead, job.waiting.isEmpty else { return job.step }
        try write(job)
        return try await finish(job)
    }

    private func begin() async throws(EngineError) -> Job {
        guard let first = try await cues.next(), let track = first.tracks.first else {
            throw EngineError(.trackNotFound, "subtitle track \(request.track) does not exist")
        }
        if track.isText { throw .invalid("track", "\(track.id) is text already") }
        let language = request.language.isEmpty ? track.language : request.language
        guard LanguageCode.tag(language) != nil, LanguageCode.terminology(language) != "und" else {
            let isNamed = !request.language.isEmpty
            throw .invalid("language", isNamed ? "names no language" : "is required: the track names no language")
        }
        let data = try program.data(for: language)
        let key = "\(surroundings.key ?? "\(monotonicNanoseconds())") track \(track.id) as \(data)"
        let path = "\(surroundings.folder)/\(StableHash(of: key.utf8).hexadecimal).srt"
        return Job(track: track, language: language, data: data, path: path)
    }

    /// Adds the file to the session, and ends the recognition.
    private func finish(_ job: Job) async throws(EngineError) -> RecognitionStep {
        var sidecar = Sidecar(path: job.path)
        (sidecar.charset, sidecar.language, sidecar.isShown) = ("UTF-8", job.language, request.isShown)
        sidecar.title = job.track.title.isEmpty ? "recognized" : String(job.track.title.prefix(80)) + " (recognized)"
        var step = job.step
        step.track = try await surroundings.add(sidecar).first
        step.progress = 1
        isEnded = true
        cues.cancel()
        return step
    }

    private func recognized(_ cues: [Cue], _ data: String) throws(EngineError) -> [Cue] {
        guard !cues.isEmpty else { return [] }
        let name = "\(surroundings.folder)/\(StableHash(of: "\(monotonicNanoseconds())".utf8).hexadecimal)"
        var files: [String] = []
        defer { for file in files { NamedFile.remove(Array(file.utf8)) } }
        var known: [Cue] = []
        do throws(Errno) {
            for (number, cue) in cues.enumerated() {
                guard case .image(let image) = cue.content, let ink = Self.ink(image) else { continue }
                files.append("\(name)-\(number).pgm")
                try SmallFile.write(ink.file, to: files[files.count - 1], makingDirectory: surroundings.folder)
                known.append(cue)
            }
            guard !known.isEmpty else { return [] }
            let list = files.joined(separator: "\n") + "\n"
            files.append("\(name).txt")
            try SmallFile.write(Array(list.utf8), to: files[files.count - 1], makingDirectory: surroundings.folder)
        } catch {
            throw EngineError(
                .resourceExhausted,
                "images cannot be written to \(surroundings.folder)",
                cause: "\(error)"
            )
        }
        let texts = try program.texts(inFilesOf: files[files.count - 1], data)
        // Form feeds separate the pages. Tesseract may write one after the last page too, after which `texts` has an
        // empty text.
        guard texts.count == known.count || texts.count == known.count + 1 && texts.last == "" else {
            let cause = "\(texts.count) texts for \(known.count) images"
            throw EngineError(
                .resourceExhausted,
                "tesseract failed on the images of subtitle track \(request.track)",
                cause: cause
            )
        }
        return zip(known, texts).compactMap { cue, text in
            text.isEmpty ? nil : Self.cue(cue, text, origin: surroundings.origin)
        }
    }

    private static func ink(_ image: CueImage) -> InkPicture? {
        do throws(FFmpegError) {
            let (width, height, pixels) = try PixelDecoder.pixels(ofPNG: image.png)
            return InkPicture(width: width, height: height, pixels: pixels, canvasHeight: image.canvasHeight)
        } catch {
            // The engine's own PNGs are valid, so the image is too large, or memory has run out.
            return nil
        }
    }

    /// A cue with the text of an image: at the top if the whole image is in the upper third of the canvas, and for 5 s
    /// if the end of the image is not known.
    private static func cue(_ cue: Cue, _ text: String, origin: MediaTime) -> Cue {
        var content = CueText(plain: text)
        if case .image(let image) = cue.content, image.corner.y + image.extent.y < 0.33 { content.alignment = 8 }
        let end = cue.end ?? cue.start + .seconds(5)
        return Cue(track: cue.track, start: cue.start - origin, end: end - origin, content: .text(content))
    }

    private func write(_ job: Job) throws(EngineError) {
        let quotes = QuoteForms(of: job.found.lazy.compactMap(\.plainText))
        let text = job.found.enumerated().map { SubRipWriter.block($1.with(quotes), number: $0 + 1) }.joined()
        guard !text.isEmpty else {
            throw EngineError(.sourceEmpty, "no text was recognized in subtitle track \(job.track.id)")
        }
        do throws(Errno) {
            try SmallFile.write(Array(text.utf8), to: job.path, makingDirectory: surroundings.folder)
        } catch {
            throw EngineError(.resourceExhausted, "\(job.path) cannot be written", cause: "\(error)")
        }
    }
}

// Recognized text has no styles.
extension Cue {
    fileprivate var plainText: String? { if case .text(let text) = content { text.plain } else { nil } }

    fileprivate func with(_ quotes: QuoteForms) -> Cue {
        guard case .text(let text) = content else { return self }
        var plain = CueText(plain: quotes.applied(to: text.plain))
        plain.alignment = text.alignment
        return Cue(track: track, start: start, end: end, content: .text(plain))
    }
}
