// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decoded frames, and the sinks that show them.
struct VideoPresentation {
    private struct Attached {
        let sink: any FrameSink
        /// Gives the sink its frames. Cancelled when the sink is detached.
        let pump: Task<Void, Never>
        /// The number of the last frame that the sink was given.
        var lastNumber: UInt64 = 0
        /// The end of the last frame that the sink has taken.
        var taken: MediaTime?
        var isFinished = false
        /// The value last passed to the sink's `setAwaited`.
        var isAwaited = false

        /// The end of a frame of an earlier generation does not show how far the sink has come in this one.
        mutating func beginGeneration() {
            isFinished = false
            taken = nil
        }
    }

    private(set) var queue = FrameQueue()
    private var sinks: [SoftwareRenderer.SinkID: Attached] = [:]
    private var lastID: UInt64 = 0
    /// Frames that were too late, or that a sink had no room for.
    private(set) var droppedFrames: UInt64 = 0

    var isEmpty: Bool { sinks.isEmpty }
    var ids: [SoftwareRenderer.SinkID] { Array(sinks.keys) }

    /// The memory into which the decoder should write frames: that of the sink, if there is only one.
    var memory: (any DecoderMemory)? { sinks.count == 1 ? sinks.values.first?.sink.decoderMemory : nil }

    func sink(_ id: SoftwareRenderer.SinkID) -> (any FrameSink)? { sinks[id]?.sink }

    func stock(lap: UInt64) -> PresentationMoment.Video {
        PresentationMoment.Video(
            sinks: sinks.values.map { stock(of: $0, lap: lap) },
            isCurrentLapReady: queue.contains(lap: lap),
            isNextLapReady: queue.contains(lap: lap + 1),
            hasRoom: queue.hasRoom,
            droppedFrames: droppedFrames
        )
    }

    private func stock(of attached: Attached, lap: UInt64) -> PresentationMoment.VideoSink {
        PresentationMoment.VideoSink(
            isRealTime: attached.sink.isRealTime,
            taken: attached.taken,
            isFrameWaiting: queue.next(after: attached.lastNumber, lap: lap) != nil
        )
    }

    // MARK: Sinks

    mutating func attach(
        _ sink: any FrameSink,
        pump: (SoftwareRenderer.SinkID) -> Task<Void, Never>
    ) -> SoftwareRenderer.SinkID {
        lastID += 1
        let id = SoftwareRenderer.SinkID(kind: .video, number: lastID)
        sinks[id] = Attached(sink: sink, pump: pump(id))
        return id
    }

    /// Detaches a sink. Frames are kept only while a sink is attached.
    mutating func detach(_ id: SoftwareRenderer.SinkID, generation: UInt64) {
        guard let attached = sinks.removeValue(forKey: id) else { return }
        attached.pump.cancel()
        attached.sink.flush(to: generation)
        if sinks.isEmpty { queue.removeAll() }
    }

    mutating func flush(to generation: UInt64) {
        for id in sinks.keys {
            sinks[id]?.sink.flush(to: generation)
            sinks[id]?.beginGeneration()
        }
    }

    mutating func beginLap(_ generation: UInt64) {
        for id in sinks.keys {
            sinks[id]?.sink.beginLap(generation)
            sinks[id]?.beginGeneration()
        }
    }

    func follow(_ anchor: PositionAnchor, generation: UInt64) {
        for attached in sinks.values { attached.sink.follow(anchor, generation: generation) }
    }

    /// Sets for each sink whether other sinks wait for it.
    mutating func setAwaited(_ isAwaited: Bool) {
        for (id, attached) in sinks where attached.isAwaited != isAwaited {
            sinks[id]?.isAwaited = isAwaited
            attached.sink.setAwaited(isAwaited)
        }
    }

    /// Notifies the sink that no more frames follow, once it has been given all of them.
    mutating func finishIfComplete(_ id: SoftwareRenderer.SinkID, at moment: PresentationMoment) {
        guard let attached = sinks[id], !attached.isFinished, moment.isVideoComplete else { return }
        sinks[id]?.isFinished = true
        attached.sink.finish(generation: moment.machine.generation)
    }

    // MARK: Frames

    /// Discards all frames, which will be decoded again.
    mutating func reset() {
        queue.removeAll()
        for id in sinks.keys { sinks[id]?.taken = nil }
    }

    mutating func append(_ frame: TimedFrame, lap: UInt64) { queue.append(frame, lap: lap) }

    mutating func trim(to position: MediaTime, lap: UInt64) { queue.trim(to: position, lap: lap) }

    /// Makes `lap` the last lap: discards frames of later laps.
    mutating func endLap(_ lap: UInt64) { queue.dropAll(after: lap) }

    /// The frame that the sink may be given now. The caller gives it.
    mutating func takeNext(
        for id: SoftwareRenderer.SinkID,
        at moment: PresentationMoment
    ) -> FrameQueue.Entry? {
        let lap = moment.machine.lap
        guard let attached = sinks[id], let entry = queue.next(after: attached.lastNumber, lap: lap),
            moment.mayGive(frameAt: entry.frame.time, to: stock(of: attached, lap: lap))
        else { return nil }
        sinks[id]?.lastNumber = entry.number
        return entry
    }

    /// The sink has taken a frame that ends at `end`, or dropped it.
    mutating func note(takenTo end: MediaTime, by id: SoftwareRenderer.SinkID, isDropped: Bool) {
        sinks[id]?.taken = end
        if isDropped { drop() }
    }

    /// Counts a frame that is not shown.
    mutating func drop() { droppedFrames += 1 }
}
