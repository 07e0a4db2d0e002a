// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// The cues of a session, a few segments per batch. Reuses units that the session's decoder has already decoded.
package actor SessionCues: PieceSource {
    /// How long to read for one batch.
    private static let patience = Duration.milliseconds(100)

    private let request: CueRequest
    private let tracks: [SubtitleTrack]
    private let decoder: SubtitleDecoder
    private let header: String
    /// The start of the session's timeline on the source's own clock.
    private let origin: TimelineOrigin
    /// The requested range, on the session's timeline.
    private let range: MediaTimeRange?
    private nonisolated let isCancelled = Locked(false)
    private var index: Int?
    private var beginning: CueBeginning?
    private var isDone = false
    private var stream = CueStream()

    /// - Parameter header: the script header, if raw lines were requested.
    package init(_ request: CueRequest, of tracks: [SubtitleTrack], header: String, by decoder: SubtitleDecoder) {
        self.request = request
        self.tracks = tracks
        self.decoder = decoder
        self.header = header
        let origin = decoder.source.origin
        self.origin = origin
        range = request.range.map { range in
            MediaTimeRange(start: origin.presentation(of: range.start), end: origin.presentation(of: range.end))
        }
    }

    package nonisolated func cancel() { isCancelled.withLock { $0 = true } }

    package func next() async throws(EngineError) -> CueBatch? {
        guard !isDone else { return nil }
        var batch = CueBatch()
        guard var index else {
            self.index = 0
            batch.tracks = tracks
            batch.scriptHeader = header
            return batch
        }
        let deadline = Deadline(in: Self.patience)
        while !deadline.hasPassed, !isCancelled.withLock({ $0 }) {
            guard let beginning = try await begun() else { continue }
            guard let step = try await decoder.step(index, of: tracks, in: range, from: beginning) else {
                isDone = true
                batch.cues += wanted(stream.finish())
                batch.progress = 1
                return batch
            }
            index += 1
            stream.add(step.cues)
            batch.cues += wanted(stream.settled(before: step.settled))
            guard stream.byteCount <= SubtitleDecoder.byteLimit else { throw .tooManyCues(in: "the session") }
            batch.progress = min(1, step.progress)
        }
        self.index = index
        return batch
    }

    private func begun() async throws(EngineError) -> CueBeginning? {
        if beginning == nil { beginning = try await decoder.beginning(of: tracks, in: range) }
        return beginning
    }

    private func wanted(_ cues: [Cue]) -> [Cue] {
        let found = range.map { range in cues.filter { $0.overlaps(range) } } ?? cues
        return (request.isRaw ? found : found.readable).map { $0.shifted(by: origin.time) }
    }
}

/// The units in which reading a range begins: the far units, which lie before the range and may have cues that extend
/// into it, and then unit `first`, from which on every unit is read.
struct CueBeginning: Sendable {
    var far: [Int] = []
    var first = 0
}

/// The result of one step.
struct CueStep: Sendable {
    var cues: [Cue] = []
    /// Later steps have no cues that start before this time.
    var settled = MediaTime.zero
    /// 0 … 1.
    var progress = 0.0
}
