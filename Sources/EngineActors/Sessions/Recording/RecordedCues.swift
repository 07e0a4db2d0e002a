// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Reading
internal import Subtitles

/// Writes the cues of recorded segments beside the media, in order, without delaying the media: in a live source, the
/// cues of a segment are known only when later media has arrived.
///
/// Belongs to the recorder's actor.
final class RecordedCues {
    private struct Entry {
        let segment: Int
        let media: RecordedMedia
        let part: RecordedPart
        /// The subtitle file for each text track of the media.
        let paths: [FilePath]
        /// Whether the segment is the first of its file. If so, the cues that are already on the screen at its start
        /// are written too.
        let isFirst: Bool
    }

    /// How long the end of a recording waits for cues if the source has not ended, or if the recording is stopped.
    private static let patience = Duration.seconds(10)
    /// How often the search for long cues may be continued for one segment.
    private static let searchLimit = 100

    private let subject: Recorder.Subject
    /// The segments whose cues are not written yet. Those of the first one are being written.
    private var entries: [Entry] = []
    private var writing: Task<Void, Never>?
    /// Signalled when `writing` has ended and when `deadline` is set.
    private let changes = ChangeSignal()
    /// When `finish` gives up. `nil`: it does not.
    private var deadline: Deadline?
    /// Whether `finish` has returned. Nothing is written after that.
    private var isFinished = false
    /// The paths of the subtitle files that have cues, by the number of their part.
    private var texts: [Int: [String]] = [:]
    private var failure: EngineError?

    init(_ subject: Recorder.Subject) { self.subject = subject }

    deinit { writing?.cancel() }

    /// Queues a segment, whose cues are then written in the background.
    ///
    /// - Parameter paths: the files for the text tracks of the media.
    func record(
        segment: Int,
        of media: RecordedMedia,
        in part: RecordedPart,
        _ paths: [FilePath],
        isolation: isolated (any Actor)? = #isolation
    ) {
        guard !media.textTracks.isEmpty, failure == nil else { return }
        entries.append(
            Entry(segment: segment, media: media, part: part, paths: paths, isFirst: part.isFirst)
        )
        guard writing == nil else { return }
        // Ends when the cues of all segments so far are written.
        writing = Task {
            _ = isolation
            await self.write()
        }
    }

    /// All subtitle files so far.
    ///
    /// - Throws: why one of them cannot be written.
    func written() throws(EngineError) -> [String] {
        if let failure { throw failure }
        return texts.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// From now on, `finish` gives up after `patience`.
    func limitWait() {
        guard deadline == nil else { return }
        deadline = Deadline(in: Self.patience)
        changes.signal()
    }

    /// Waits until the cues of all recorded segments are written, or until `patience` has passed since `limitWait`.
    func finish(isolation: isolated (any Actor)? = #isolation) async {
        while writing != nil, deadline?.hasPassed != true {
            let seen = changes.signalCount
            await changes.wait(after: seen, until: deadline?.nanoseconds)
        }
        isFinished = true
        guard writing != nil else { return }
        // The decoder may be reading from a silent server. Cancelling the task does not end that read.
        writing?.cancel()
        if let entry = entries.first {
            gap("the text from segment \(entry.segment) on", "its source did not deliver it before the recording ended")
        }
    }

    private func gap(_ what: String, _ reason: String) {
        guard subject.isListed() else { return }
        let text = "\(what) is not in the recording: \(reason)"
        subject.hub.notice(subject.session.id, Notice(.warning, "recording.gap", text))
    }

    private func write() async {
        while let entry = entries.first, failure == nil {
            for (track, path) in zip(entry.media.textTracks, entry.paths) {
                do throws(EngineError) {
                    try await write(entry, track, path)
                } catch {
                    guard !isFinished else { return }
                    if error.code == .recordingFailed {
                        failure = error
                        break
                    }
                    gap("the text of segment \(entry.segment)", "\(error)")
                }
            }
            texts[entry.part.number] = entry.part.textPaths.map(\.text)
            entries.removeFirst()
        }
        writing = nil
        changes.signal()
    }

    private func write(_ entry: Entry, _ track: SubtitleTrack, _ path: FilePath) async throws(EngineError) {
        guard let decoder = entry.media.subtitles else { return }
        for attempt in 1... {
            do throws(EngineError) {
                let segment = try await decoder.segment(entry.segment, of: track.id)
                guard !isFinished else { throw EngineError(.cancelled, "the recording has ended") }
                let cues = segment.cues.filter { $0.start >= segment.range.start || entry.isFirst }
                return try entry.part.append(cues, of: track.id, to: path)
            } catch {
                // The search for long cues has not finished; the next request continues it.
                guard error.code == .unavailable, attempt < Self.searchLimit, !Task.isCancelled else { throw error }
            }
        }
    }
}
