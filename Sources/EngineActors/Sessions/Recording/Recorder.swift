// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// Writes the media of a session to a file: each segment as soon as it is announced, with the bytes that players receive.
///
/// Runs on a thread of its own, because writing blocks.
actor Recorder {
    /// The session to record, and how the recorder publishes its state.
    struct Subject: Sendable {
        let session: PlaybackSession
        let hub: EventHub
        /// Whether the engine still lists the session, which may have been stopped or replaced.
        let isListed: @Sendable () -> Bool
    }

    private let executor = ThreadExecutor(name: "recorder")
    private let subject: Subject
    private let request: RecordingRequest
    private let names: RecordingNames
    private let follower: RecordingFollower
    private var state: RecordingState
    private var part: RecordedPart?
    private var partCount = 0
    private let cues: RecordedCues
    /// The next segment to record; `nil` before the first.
    private var next: Int?
    private let ending = RecordingEnd()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ request: RecordingRequest, _ path: FilePath, of subject: Subject) {
        (self.request, self.subject) = (request, subject)
        names = RecordingNames(path)
        cues = RecordedCues(subject)
        follower = RecordingFollower(subject.session.id)
        state = RecordingState(path: path.text, start: request.start ?? .zero)
    }

    private nonisolated func publish(_ state: RecordingState) {
        subject.hub.update(subject.session.id) { $0.recording = state }
    }

    // MARK: Beginning

    /// Creates the first file, with the segment that the recording begins with.
    ///
    /// - Throws: `recordingFailed`; `unavailable` if the source is not open; `pathConflict` if its media is not served;
    ///   the errors of segments.
    func begin() async throws(EngineError) {
        guard let media = await subject.session.recordedMedia else {
            throw EngineError(.unavailable, "the source of session \(subject.session.id.rawValue) is not open")
        }
        guard media.opened.source.lead.isServed else {
            throw EngineError(
                .pathConflict,
                "only media that is served can be recorded; this source is decoded in software"
            )
        }
        let first = media.opened.segment(at: request.start ?? media.position)
        do throws(EngineError) {
            try await record(first, media)
        } catch {
            part?.remove()
            throw error
        }
        next = first + 1
        publish(state)
    }

    /// Continues a recording of an earlier process in another file, from the position at which playback continues.
    func resume() {
        partCount = 1
        publish(state)
    }

    // MARK: Running

    /// Records until the source ends, the recording or the session is stopped, or the file cannot be written.
    func run() async {
        subject.hub.add(follower)
        defer { subject.hub.remove(follower) }
        await waitForSource()
        do throws(EngineError) {
            while true {
                let seen = follower.changes.signalCount
                guard !ending.isRequested, subject.isListed(), let media = await subject.session.recordedMedia else {
                    break
                }
                guard try await catchUp(media), !media.opened.plan.isComplete else { break }
                await follower.changes.wait(after: seen)
            }
            try await finishCues()
            try part?.finish()
            state.phase = .ended
        } catch {
            state.phase = .failed
            state.error = error
            // The index has its place already, so it fits on a full disk too.
            do throws(EngineError) { try part?.finish() } catch {
                // The first error is the one to report.
            }
            subject.hub.notice(subject.session.id, Notice(.warning, "recording.failed", "\(error)"))
        }
        publish(state)
    }

    /// Ends the recording after the segment that is being recorded, or without it if its media does not arrive soon.
    func stop() {
        ending.request()
        cues.limitWait()
        follower.changes.signal()
    }

    /// Waits until the source of a restored session is open, the session has ended, or the recording is stopped.
    private func waitForSource() async {
        guard await subject.session.isOpening else { return }
        // Ends when the session opens its source or ends.
        Task { [subject, follower] in
            await subject.session.untilOpen()
            follower.changes.signal()
        }
        while !ending.isRequested {
            let seen = follower.changes.signalCount
            guard await subject.session.isOpening else { return }
            await follower.changes.wait(after: seen)
        }
    }

    /// Records all segments that are announced.
    ///
    /// - Returns: whether the recording continues.
    private func catchUp(_ media: RecordedMedia) async throws(EngineError) -> Bool {
        var index = next ?? media.opened.segment(at: media.position)
        while index < media.opened.plan.segmentCount {
            guard !ending.isRequested, subject.isListed() else { return false }
            do throws(EngineError) {
                try await record(index, media)
            } catch {
                guard error.code != .recordingFailed else { throw error }
                let isGivenUp = error.code == .cancelled && ending.isRequested
                guard subject.isListed(), error.code != .cancelled || isGivenUp else { return false }
                let reason = isGivenUp ? "its source did not deliver it before the recording ended" : "\(error)"
                let text = "segment \(index) is not in the recording: \(reason)"
                subject.hub.notice(subject.session.id, Notice(.warning, "recording.gap", text))
            }
            index += 1
            next = index
            state.subtitlePaths = try cues.written()
            publish(state)
        }
        return true
    }

    private func finishCues() async throws(EngineError) {
        if !(await subject.session.recordedMedia?.opened.plan.isComplete ?? true) { cues.limitWait() }
        await cues.finish()
        state.subtitlePaths = try cues.written()
    }

    private func record(_ index: Int, _ media: RecordedMedia) async throws(EngineError) {
        let (opened, places) = (
            media.opened, media.opened.source.tracks.indices.filter { media.opened.source.tracks[$0].isServed }
        )
        let bodies = try await ending.limit { () async throws(EngineError) in
            var bodies: [ByteBody] = []
            for place in places { bodies.append(try await opened.producer.segment(index, track: place)) }
            return bodies
        }
        let start = index == 0 ? .zero : opened.endTime(ofSegment: index - 1)
        let version = opened.plan.version(of: index)
        let part = try part(
            version,
            places.map { opened.source.track($0, version: version, of: opened.plan).track },
            start
        )
        let end = opened.endTime(ofSegment: index)
        try part.append(bodies, from: start, to: end)
        state.duration = state.duration + end - start
        state.byteCount += Int64(bodies.reduce(0) { $0 + $1.byteCount })
        let paths = names.subtitles(part.number, media.textTracks.map(\.language))
        cues.record(segment: index, of: media, in: part, paths)
    }

    /// Returns the file for a version of the video's configuration. If that is another version than before, completes
    /// the present file and begins a new one.
    private func part(_ version: Int, _ tracks: [Track], _ start: MediaTime) throws(EngineError) -> RecordedPart {
        if let part, part.version == version { return part }
        try part?.finish()
        if partCount > 0 { state.earlierPaths.append(state.path) }
        if state.duration == .zero { state.start = start }
        while true {
            partCount += 1
            let path = names.media(partCount)
            do throws(Errno) {
                let new = try RecordedPart(partCount, path, tracks, version: version, from: start)
                part = new
                state.path = path.text
                return new
            } catch {
                // Only the first file has the requested name.
                guard error.isExisting, partCount > 1 else { throw .recording(path, error) }
            }
        }
    }
}

/// Signals when more of a session's media may be announced, and when the session ends.
final class RecordingFollower: EngineObserver {
    let changes = ChangeSignal()
    private let session: SessionID

    init(_ session: SessionID) { self.session = session }

    func receive(_ change: EngineChange) {
        switch change {
        case .changed(let state, let fields):
            guard state.id == session, !fields.isDisjoint(with: [.identity, .production]) else { return }
        case .closed(let id, _): guard id == session else { return }
        case .noticed, .cued, .seeked, .defaultSession: return
        }
        changes.signal()
    }
}
