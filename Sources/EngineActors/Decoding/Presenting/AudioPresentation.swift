// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decoded audio, the sinks it can go to, and what the active sink was given.
struct AudioPresentation {
    struct Attached {
        let id: SoftwareRenderer.SinkID
        let sink: any AudioSink
    }

    enum Removal { case none, active, inactive }

    /// How much audio is prepared for the sink at once.
    private static let portion = MediaTime(microseconds: 80_000)

    /// The last one plays; when it is over, the one before it takes its place.
    private var sinks: [Attached] = []
    private var lastID: UInt64 = 0
    private var queue = AudioQueue(from: .zero, lap: 0)
    private var given = AudioMap()
    /// Counts flushes.
    private(set) var generation: UInt64 = 0
    /// The end of what the sink has taken in this generation.
    private var taken: MediaTime?
    private var isFinished = false
    /// 0 … 1.
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

    /// How the active sink must be given audio. `nil`: there is no sink, or no audio yet.
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

    /// Removes a sink. If it was the active one, callers that wait in it are released.
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

    /// The factor that samples are multiplied by.
    private var gain: Double { isMuted ? 0 : volume }

    /// - Returns: whether samples now sound different.
    mutating func setVolume(_ volume: Double) -> Bool {
        let before = gain
        self.volume = volume
        return gain != before
    }

    /// - Returns: whether samples now sound different.
    mutating func setMuted(_ isMuted: Bool) -> Bool {
        let before = gain
        self.isMuted = isMuted
        return gain != before
    }

    // MARK: Decoded audio

    /// Discards everything and begins at `position`.
    mutating func reset(to position: MediaTime, lap: UInt64) {
        queue = AudioQueue(from: position, lap: lap)
        flush()
    }

    /// Gives the sink again what was decoded from `position` on.
    mutating func rewind(to position: MediaTime, lap: UInt64) {
        flush()
        queue.rewind(to: position, lap: lap)
    }

    /// - Returns: where the audio ends now.
    mutating func append(_ sound: TimedAudio) -> MediaTime {
        queue.append(sound)
        return queue.end
    }

    mutating func pad(to position: MediaTime) { queue.pad(to: position) }

    mutating func trim(to position: MediaTime, lap: UInt64) { queue.trim(to: position, lap: lap) }

    mutating func beginPass() { queue.beginPass() }

    /// Ends the lap being filled at `end`, with silence if need be, and begins the lap `lap`.
    mutating func beginLap(_ lap: UInt64, after end: MediaTime) {
        queue.pad(to: end)
        queue.beginPass()
        queue.beginLap(lap, at: .zero)
    }

    /// Makes `lap` the last lap: discards audio after it.
    mutating func endLap(_ lap: UInt64) { queue.endLap(lap) }

    mutating func takePortion() -> [AudioQueue.Entry] { queue.take(Self.portion) }

    // MARK: What the sink has

    /// Discards everything that was given. Releases callers that wait in any of the sinks.
    mutating func flush() {
        generation += 1
        given = AudioMap()
        taken = nil
        isFinished = false
        for each in sinks { each.sink.flush(to: generation) }
    }

    /// The piece is about to be given.
    mutating func map(_ piece: AudioPiece) {
        given.append(
            count: piece.sound.block.count,
            sampleRate: piece.sound.format.rate,
            time: piece.sound.time,
            rate: piece.sound.rate,
            lap: piece.lap
        )
    }

    mutating func note(takenTo end: MediaTime) { taken = end }

    /// Nothing follows in this generation but what filters still hold.
    mutating func finish() { isFinished = true }

    /// Everything was given. `end`: where the playhead is when all of it has been heard, if that is known.
    mutating func close(at end: MediaTime?) {
        if let end { given.close(at: end) }
    }

    /// How many seconds pass until audio of another rate or lap is heard.
    func secondsToChange(at now: Int64) -> Double? {
        active?.sink.samplesHeard(at: now).flatMap { given.wait(from: $0) }
    }

    /// The place on the timeline that is heard at `now`.
    mutating func place(at now: Int64) -> AudioMap.Place? {
        guard let heard = active?.sink.samplesHeard(at: now) else { return nil }
        return given.place(heard: heard)
    }
}
