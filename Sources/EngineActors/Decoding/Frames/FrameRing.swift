// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import EngineRuntime

/// Frames in shared memory that only the engine writes and one front-end reads.
///
/// Frames are copied or converted on the ring's own thread. If a front-end releases no slots, a real-time ring drops
/// the frames that do not fit. A front-end that reports false releases corrupts only its own view. When the front-end
/// exits, the ring ends.
package final class FrameRing: FrameSink {
    package let request: FramesRequest
    private let writer: FrameWriter
    private let state: Locked<FrameRingState>
    package let room = ChangeSignal()
    package let attacher: SinkAttacher

    /// - Parameters:
    ///   - width, height: the size of the source's frames, 0 if unknown; the ring grows if necessary.
    ///   - attacher: attaches the ring to the session once a front-end is attached.
    /// - Throws: `resourceExhausted` when the memory cannot be allocated.
    package init(
        _ request: FramesRequest,
        width: Int,
        height: Int,
        attacher: SinkAttacher
    ) throws(EngineError) {
        self.request = request
        self.attacher = attacher
        writer = FrameWriter(request)
        let bytes = FrameWriter.expectedBytes(request, width: width, height: height)
        let memory = try Self.memory(request, frameBytes: bytes)
        state = Locked(FrameRingState(memory, wish: request.slotCount, pace: request.pace))
    }

    /// Allocates the slots that the front-end wants, or the maximum number if decoders may write to the ring, but no
    /// more than fit into 1 GiB, and never less than the minimum number. Pages that are never written use no memory.
    private static func memory(_ request: FramesRequest, frameBytes: Int) throws(EngineError) -> FrameRingMemory {
        let wanted = request.maySuitDecoders ? FramesRequest.slotCounts.upperBound : request.slotCount
        let fitting = FrameRingMemory.fittingCount(of: frameBytes)
        let count = max(FramesRequest.slotCounts.lowerBound, min(wanted, fitting))
        return try FrameRingMemory(slotCount: count, frameBytes: frameBytes)
    }

    var memory: FrameRingMemory { state.withLock { $0.memory } }

    // MARK: FrameSink

    package var isRealTime: Bool { request.pace == .realTime }

    package func take(_ timed: TimedFrame, generation: UInt64) async -> Reception {
        while !Task.isCancelled {
            let seen = room.signalCount
            let place = place(of: timed.frame)
            let now = monotonicNanoseconds()
            switch state.withLock({ $0.decide(timed.time, generation, at: now, lying: place) }) {
            case .answer(let reception): return reception
            case .stalled:
                end(because: .stalled)
                return .gone
            case .wait(let moment): await room.wait(after: seen, until: moment)
            case .write(let reservation):
                if let reception = await write(timed, generation, reservation) { return reception }
            }
        }
        return .dropped
    }

    private func place(of frame: VideoFrame) -> FrameRingState.Place? {
        guard request.takesAsItIs(frame.formatName, width: frame.width, height: frame.height) else { return nil }
        let memory = memory
        return memory.place(of: frame).map { FrameRingState.Place(memory: memory, slot: $0.slot, layout: $0.layout) }
    }

    /// - Returns: `nil` when the caller must try again, because the memory may have been replaced by a larger one.
    private func write(
        _ timed: TimedFrame,
        _ generation: UInt64,
        _ reservation: FrameRingState.Reservation
    ) async -> Reception? {
        switch await writer.write(timed, to: reservation) {
        case .written:
            let reception = state.withLock { $0.publish(reservation) }
            if reception == .taken || reception == .takenInPlace { notify() }
            return reception
        case .needs(let byteCount):
            state.withLock { _ = $0.give(back: reservation) }
            guard await isTimeToGrow(for: timed.time, generation) else { return nil }
            // A quarter more, so that a source with growing frames does not need new memory for each frame.
            let target = min(FrameWriter.byteLimit, byteCount + byteCount / 4)
            do throws(EngineError) { try grow(to: max(byteCount, target)) } catch { return giveUp() }
            return nil
        case .impossible:
            state.withLock { _ = $0.give(back: reservation) }
            return giveUp()
        }
    }

    /// Waits while a display still has to show frames in the memory, which larger memory will replace.
    ///
    /// - Returns: whether the frame is still wanted.
    private func isTimeToGrow(for time: MediaTime, _ generation: UInt64) async -> Bool {
        while !Task.isCancelled {
            let seen = room.signalCount
            let wait = state.withLock { $0.decideChange(for: time, generation, at: monotonicNanoseconds()) }
            guard let wait else { return state.withLock { $0.takes(generation) } }
            await room.wait(after: seen, until: wait.until)
        }
        return false
    }

    private func grow(to frameBytes: Int) throws(EngineError) {
        let memory = try Self.memory(request, frameBytes: frameBytes)
        let isRead = state.withLock { state in
            state.replace(with: memory)
            return state.handover.peer.map { Self.hand(memory, to: $0) } ?? true
        }
        if !isRead { end(because: .unread) }
    }

    private static func hand(_ memory: FrameRingMemory, to peer: any HandoverPeer) -> Bool {
        peer.send(
            HandoverMessage(.memory, value: UInt64(memory.ring.byteCount)),
            descriptors: [memory.ring.descriptor, memory.control.descriptor]
        )
    }

    private func giveUp() -> Reception {
        end(because: .impossible)
        return .gone
    }

    package func setAwaited(_ isAwaited: Bool) {
        state.withLock { $0.setAwaited(isAwaited) }
        room.signal()
    }

    package func flush(to generation: UInt64) {
        state.withLock { $0.flush(to: generation) }
        room.signal()
        notify()
    }

    package func beginLap(_ generation: UInt64) {
        guard !isRealTime else { return flush(to: generation) }
        state.withLock { $0.beginLap(generation) }
    }

    package func follow(_ anchor: PositionAnchor, generation: UInt64) {
        guard state.withLock({ $0.follow(anchor, generation) }) else { return }
        room.signal()
        notify()
    }

    package func finish(generation: UInt64) {
        if state.withLock({ $0.finish(generation) }) { notify() }
    }
}

extension FrameRing: DecoderMemory {
    package var decoderMemory: (any DecoderMemory)? { request.maySuitDecoders ? self : nil }

    package func room(for frame: FrameNeed) -> FrameSlot? {
        guard request.takesAsItIs(frame.formatName, width: frame.width, height: frame.height),
            frame.byteCount <= FrameWriter.byteLimit
        else { return nil }
        return state.withLock { $0.lend(frame.byteCount) }
    }
}

extension FramesRequest {
    /// Whether frames may be wanted in a format that decoders output.
    var maySuitDecoders: Bool { format == .source || format == .i420 }

    /// Whether a frame of this kind is wanted unchanged, without conversion or scaling.
    func takesAsItIs(_ formatName: String, width: Int, height: Int) -> Bool {
        switch format {
        case .source: true
        case .i420:
            formatName == "yuv420p" && width <= maximumWidth ?? Self.largestSide
                && height <= maximumHeight ?? Self.largestSide
        case .nv12, .p010, .rgba8, .rgbaHalf: false
        }
    }
}

extension FrameRing: SinkHandover {
    package var sink: SessionSinks.Sink { .video(self) }

    package func withHandover<Value>(_ body: (inout HandoverState) -> Value) -> Value {
        state.withLock { body(&$0.handover) }
    }

    /// Sends within the lock, so that newer memory cannot be sent first.
    package func handMemory(to peer: any HandoverPeer) -> Bool { state.withLock { Self.hand($0.memory, to: peer) } }

    package func retire() -> (peer: (any HandoverPeer)?, sinkID: SessionSinkID?) {
        state.withLock { state in
            state.retire()
            return state.handover.end()
        }
    }
}
