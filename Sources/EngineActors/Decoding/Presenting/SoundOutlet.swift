// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Where audio goes, and what was given there.
struct SoundOutlet {
    struct Active {
        let id: SoftwareRenderer.SinkID
        let sink: any SoundSink
    }

    /// The last one plays; when it is over, the one before it takes its place.
    private(set) var sinks: [Active] = []
    var queue = SoundQueue(from: .zero, lap: 0)
    var map = SoundMap()
    /// Counts flushes.
    private(set) var generation: UInt64 = 0
    /// The end of what the sink has taken in this generation.
    var taken: MediaTime?
    var isFinished = false
    /// 0 … 1.
    var volume = 1.0
    var isMuted = false

    var active: Active? { sinks.last }
    /// The factor that samples are multiplied by.
    var gain: Double { isMuted ? 0 : volume }

    mutating func add(_ sink: any SoundSink, _ id: SoftwareRenderer.SinkID) {
        active?.sink.setRunning(false)
        sinks.append(Active(id: id, sink: sink))
    }

    mutating func addBelow(_ sink: any SoundSink, _ id: SoftwareRenderer.SinkID) {
        sinks.insert(Active(id: id, sink: sink), at: 0)
    }

    mutating func removeAll() { sinks = [] }

    /// - Returns: the removed sink, if it was attached.
    mutating func remove(_ id: SoftwareRenderer.SinkID) -> Active? {
        guard let index = sinks.firstIndex(where: { $0.id == id }) else { return nil }
        return sinks.remove(at: index)
    }

    /// Discards everything that was given. Releases callers that wait in any of the sinks.
    mutating func flush() {
        generation += 1
        map = SoundMap()
        taken = nil
        isFinished = false
        for each in sinks { each.sink.flush(to: generation) }
    }

    mutating func reset(to position: MediaTime, lap: UInt64) {
        queue = SoundQueue(from: position, lap: lap)
        flush()
    }

    /// How many seconds pass until audio of another rate or lap is heard.
    func wait(at now: Int64) -> Double? {
        active?.sink.samplesHeard(at: now).flatMap { map.wait(from: $0) }
    }

    /// The place on the timeline that is heard at `now`.
    mutating func place(at now: Int64) -> SoundMap.Place? {
        guard let heard = active?.sink.samplesHeard(at: now) else { return nil }
        return map.place(heard: heard)
    }
}
