// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decoded audio, the attached sinks, and what the active sink was given.
struct AudioPresentation {
    struct Attached {
        let id: SoftwareRenderer.SinkID
        let sink: any AudioSink
    }

    enum Removal { case none, active, inactive }

    /// How much audio is processed for the sink at a time.
    private static let portion = MediaTime(microseconds: 80_000)

    /// The last sink plays; when it is removed, the one before it takes over.
    private var sinks: [Attached] = []
    private var lastID: UInt64 = 0
    private var queue = AudioQueue(from: .zero, lap: 0)
    private var given = AudioMap()
    /// Counts flushes.
    private(set) var generation: UInt64 = 0
    /// The end of the audio that the sink has taken in this generation.
    private var taken: MediaTime?
    private var isFinished = false
    /// The volume, 0 … 1, without muting.
    private var volume = 1.0
    private var isMuted = false

    var active: Attached? { sinks.last }

    /// Whether a sink that plays in real time was given audio.
    var hasGivenToRealTimeSink: Bool { active?.sink.isRealTime == true && given.count > 0 }

    func stock(at position: MediaTime, lap: UInt64) -> PresentationMoment.Audio? {
        active.map { active in
            PresentationMoment.Audio(
                isRealTime: active.sink.isRealTime,
                hasFormat: queue.format != nil,
                ahead: queue.ahead(of: position, lap: lap),
                end: queue.end,
                isPortionWaiting: queue.hasMore,
                taken: taken,
                isFinished: isFinished
            )
        }
    }

    /// The settings for audio of the active sink. `nil`: there is no sink, or no audio yet.
    func settings(rate: Double) -> AudioSettings? {
        guard let active, let source = queue.format else { return nil }
        return AudioSettings(
            format: active.sink.format(for: source),
            rate: rate,
            gain: gain,
            generation: generation
        )
    }

    // MARK: Sinks

    mutating func attach(_ sink: any AudioSink) -> SoftwareRenderer.SinkID {
        active?.sink.setRunning(false)
        let id = nextID()
        sinks.append(Attached(id: id, sink: sink))
        return id
    }

    mutating func attach(fallback sink: any AudioSink) -> SoftwareRenderer.SinkID {
        let id = nextID()
        sinks.insert(Attached(id: id, sink: sink), at: 0)
        return id
    }

    private mutating func nextID() -> SoftwareRenderer.SinkID {
        lastID += 1
        return SoftwareRenderer.SinkID(kind: .audio, number: lastID)
    }

    mutating func removeAll() { sinks = [] }

    /// Removes a sink. Wakes callers that wait in it if it was the active one.
    ///
    /// - Returns: whether the sink was active, inactive or not attached.
    mutating func remove(_ id: SoftwareRenderer.SinkID) -> Removal {
        guard let index = sinks.firstIndex(where: { $0.id == id }) else { return .none }
        let wasActive = active?.id == id
        let removed = sinks.remove(at: index)
        removed.sink.setRunning(false)
        guard wasActive else { return .inactive }
        removed.sink.flush(to: generation + 1)
        return .active
    }

    // MARK: Volume

    /// The factor by which samples are multiplied.
    private var gain: Double { isMuted ? 0 : volume }

    /// - Returns: whether the gain has changed.
    mutating func setVolume(_ volume: Double) -> Bool {
        let before = gain
        self.volume = volume
        return gain != before
    }

    /// - Returns: whether the gain has changed.
    mutating func setMuted(_ isMuted: Bool) -> Bool {
        let before = gain
        self.isMuted = isMuted
        return gain != before
    }

    // MARK: Decoded audio

    /// Discards all audio and begins at `position`.
    mutating func reset(to position: MediaTime, lap: UInt64) {
        queue = AudioQueue(from: position, lap: lap)
        flush()
    }

    /// Flushes the sinks, so that the active one is given the decoded audio from `position` on again.
    mutating func rewind(to position: MediaTime, lap: UInt64) {
        flush()
        queue.rewind(to: position, lap: lap)
    }

    /// - Returns: where the decoded audio ends now.
    mutating func append(_ audio: TimedAudio) -> MediaTime {
        queue.append(audio)
        return queue.end
    }

    mutating func pad(to position: MediaTime) { queue.pad(to: position) }

    mutating func trim(to position: MediaTime, lap: UInt64) { queue.trim(to: position, lap: lap) }

    mutating func beginPass() { queue.beginPass() }

    /// Ends the lap being filled at `end`, padded with silence if necessary, and begins lap `lap`.
    mutating func beginLap(_ lap: UInt64, after end: MediaTime) {
        queue.pad(to: end)
        queue.beginPass()
        queue.beginLap(lap, at: .zero)
    }

    /// Makes `lap` the last lap: discards audio of later laps.
    mutating func endLap(_ lap: UInt64) { queue.endLap(lap) }

    mutating func takePortion() -> [AudioQueue.Entry] { queue.take(Self.portion) }

    // MARK: The audio that the sink has

    /// Discards all audio that the sinks were given. Wakes callers that wait in any sink.
    mutating func flush() {
        generation += 1
        given = AudioMap()
        taken = nil
        isFinished = false
        for each in sinks { each.sink.flush(to: generation) }
    }

    /// Records a piece that is about to be given to the sink.
    mutating func map(_ piece: AudioPiece) {
        given.append(
            count: piece.audio.block.count,
            sampleRate: piece.audio.format.rate,
            time: piece.audio.time,
            rate: piece.audio.rate,
            lap: piece.lap
        )
    }

    mutating func note(takenTo end: MediaTime) { taken = end }

    /// No more audio follows in this generation, except what the filters still hold.
    mutating func finish() { isFinished = true }

    /// The sink was given all audio. `end`: where the playhead is when all of it has been heard, if known.
    mutating func close(at end: MediaTime?) {
        if let end { given.close(at: end) }
    }

    /// How many seconds after `now` audio of another rate or lap is heard.
    func secondsToChange(at now: Int64) -> Double? {
        active?.sink.samplesHeard(at: now).flatMap { given.wait(from: $0) }
    }

    /// The place on the timeline of the sample heard at `now`.
    mutating func place(at now: Int64) -> AudioMap.Place? {
        guard let heard = active?.sink.samplesHeard(at: now) else { return nil }
        return given.place(heard: heard)
    }
}
