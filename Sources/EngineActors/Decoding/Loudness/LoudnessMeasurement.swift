// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Measures the loudness of one audio track, from its start to its end, a little per step.
///
/// Reads and decodes separately from playback, at low priority. Owned by the call that requested it; its threads end
/// with the actor.
package actor LoudnessMeasurement: PieceSource {
    package enum Subject: Sendable {
        /// A source that is not loaded.
        case source(String, HTTPOptions, ProgramSelection, SourceOpener)
        case opened(OpenedSource, SegmentPlan)
    }

    private struct Track {
        let file: any ByteSource
        let feed: PacketFeed
        let decoder: SoftwareAudioDecoder
        /// The length of the source; `nil` if unknown.
        let duration: MediaTime?
        var step: LoudnessStep
    }

    private enum State {
        case new
        case measuring(Track)
        case ended
    }

    /// How long to decode for one step.
    private static let patience = Duration.milliseconds(100)
    private static let niceness = 10

    private let executor = ThreadExecutor(name: "loudness", niceness: LoudnessMeasurement.niceness)
    private nonisolated let interruptFlag = InterruptFlag()
    private nonisolated let running = Locked<PacketFeed?>(nil)
    private let subject: Subject
    private let stream: Int?
    private let store: LoudnessStore
    private var state = State.new
    private var meter: LoudnessMeter?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter stream: the track; `nil`: the one that the source marks as its default, otherwise the first.
    package init(_ subject: Subject, stream: Int?, _ store: LoudnessStore) {
        (self.subject, self.stream, self.store) = (subject, stream, store)
    }

    package nonisolated func cancel() {
        interruptFlag.raise()
        running.withLock { $0 }?.interrupt()
    }

    /// The first step names the track that is measured, and the last step has the result.
    ///
    /// - Throws: the errors of opening and reading the source; `trackNotFound`; `unavailable` if the source still
    ///   grows, or if its start is no longer kept; `sourceEmpty` if the track has no samples.
    package func next() async throws(EngineError) -> LoudnessStep? {
        switch state {
        case .ended: return nil
        case .new: return try await begin()
        case .measuring(let track): return try await measure(track)
        }
    }

    // MARK: Opening

    private func begin() async throws(EngineError) -> LoudnessStep {
        let (source, media) = try opened()
        let file = source.file
        guard file.growth == nil, file.live == nil else {
            throw EngineError(.unavailable, "\(file.path) is still growing; a track is measured when it is complete")
        }
        guard !file.slides || file.oldest == 0 else {
            throw EngineError(.unavailable, "the start of \(file.path) is no longer kept, so it cannot be measured")
        }
        let stream = try chosen(in: media, file.path)
        var step = LoudnessStep(stream: stream)
        if let known = store.load(file.versionKey, stream: stream) {
            (step.progress, step.loudness) = (1, known)
            state = .ended
            return step
        }
        let feed: PacketFeed
        if case .opened(_, let plan) = subject {
            feed = PacketFeed(source, video: nil, audio: stream, plan: plan)
        } else {
            feed = PacketFeed(source, video: nil, audio: stream)
        }
        running.withLock { $0 = feed }
        if interruptFlag.isUp { feed.interrupt() }
        try await feed.enter(at: .zero, generation: 1)
        let decoder = SoftwareAudioDecoder(feed: feed, niceness: Self.niceness)
        state = .measuring(Track(file: file, feed: feed, decoder: decoder, duration: media.duration, step: step))
        return step
    }

    private func opened() throws(EngineError) -> (DecodingSource, MediaDescription) {
        switch subject {
        case .opened(let source, _): return (.opened(source), source.media)
        case .source(let source, let http, let program, let opener):
            let file = try opener.open(source, http, interrupt: interruptFlag)
            let examiner = try SourceExaminer(file, program: program, interrupt: interruptFlag)
            return (.file(file, program: program), try examiner.describe(options: LoadOptions()))
        }
    }

    private func chosen(in media: MediaDescription, _ path: String) throws(EngineError) -> Int {
        let candidates = media.ownStreams.filter { $0.kind == .audio }.map {
            AudioChoice.Candidate(stream: $0.index, language: $0.language, dispositions: $0.dispositions)
        }
        guard let choice = AudioChoice(stream.map { .stream($0) } ?? .automatic, among: candidates) else {
            throw EngineError(.trackNotFound, "\(path) has no audio track")
        }
        guard stream == nil || !choice.isFallback else {
            let isOther = media.streams.contains { $0.index == stream }
            let known = candidates.map { "\($0.stream)" }.joined(separator: ", ")
            throw EngineError(
                .trackNotFound,
                isOther
                    ? "stream \(stream ?? 0) of \(path) is not an audio track"
                    : "\(path) has no stream \(stream ?? 0)",
                cause: "audio tracks: [\(known)]"
            )
        }
        return candidates[choice.place].stream
    }

    // MARK: Measuring

    private func measure(_ track: Track) async throws(EngineError) -> LoudnessStep {
        var track = track
        let deadline = Deadline(in: Self.patience)
        repeat {
            if interruptFlag.isUp { throw cancelled(track) }
            switch try await track.decoder.next(generation: 1) {
            case .some(let pieces):
                for audio in pieces { try add(audio) }
                if let duration = track.duration, duration > .zero, let end = pieces.last?.end {
                    let share = Double(end.microseconds) / Double(duration.microseconds)
                    track.step.progress = max(track.step.progress, min(0.99, share))
                }
            case .superseded: throw cancelled(track)
            case .ended: return try finish(track)
            }
        } while !deadline.hasPassed
        state = .measuring(track)
        return track.step
    }

    private func add(_ audio: TimedAudio) throws(EngineError) {
        do throws(FFmpegError) {
            if meter == nil { meter = try LoudnessMeter.open(audio.format) }
            try meter?.add(audio.block, audio.format)
        } catch {
            throw EngineError(.internal, "the audio cannot be measured", cause: error.description)
        }
    }

    private func finish(_ track: Track) throws(EngineError) -> LoudnessStep {
        state = .ended
        let found: Loudness?
        do throws(FFmpegError) { found = try meter?.finish() } catch {
            throw EngineError(.internal, "the audio cannot be measured", cause: error.description)
        }
        meter = nil
        guard let found else {
            throw EngineError(.sourceEmpty, "stream \(track.step.stream) of \(track.file.path) contains no samples")
        }
        // The version of the source is checked again, so that no measurement is stored for bytes that were not measured.
        try track.file.verify()
        store.save(found, track.file.versionKey, stream: track.step.stream)
        var step = track.step
        (step.progress, step.loudness) = (1, found)
        return step
    }

    private func cancelled(_ track: Track) -> EngineError {
        EngineError(.cancelled, "measuring the loudness of \(track.file.path) was cancelled")
    }
}
