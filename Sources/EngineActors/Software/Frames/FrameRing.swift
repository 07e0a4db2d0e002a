// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Pictures in memory that one front-end reads, and nobody but the engine writes.
///
/// Pictures are copied or converted on a thread of its own. A front-end that lets go of nothing costs what does not fit, one
/// that lies about what it has let go of sees what it deserves, one that dies ends the ring.
package final class FrameRing: PictureSink {
    package let request: FramesRequest
    private let writer: FrameWriter
    private let state: Locked<RingState>
    let room = ChangeSignal()
    let place: HandoverPlace

    /// - Parameters:
    ///   - width, height: of the source, as far as that is known; the ring grows where it has to.
    ///   - place: where it takes pictures from, once a front-end is there.
    /// - Throws: `resourceExhausted` when there is no memory for it.
    init(
        _ request: FramesRequest,
        width: Int,
        height: Int,
        place: HandoverPlace
    ) throws(EngineError) {
        self.request = request
        self.place = place
        writer = FrameWriter(request)
        let bytes = FrameWriter.expectedBytes(request, width: width, height: height)
        let memory = try Self.memory(request, pictureBytes: bytes)
        state = Locked(RingState(memory, pace: request.pace))
    }

    /// Fewer slots where so many would take more than a gigabyte.
    private static func memory(_ request: FramesRequest, pictureBytes: Int) throws(EngineError) -> RingMemory {
        let fitting = (1 << 30) / max(1, pictureBytes)
        let count = max(FramesRequest.slotCounts.lowerBound, min(request.slotCount, fitting))
        return try RingMemory(slotCount: count, pictureBytes: pictureBytes)
    }

    var memory: RingMemory { state.withLock { $0.memory } }

    // MARK: PictureSink

    package var isRealTime: Bool { request.pace == .realTime }

    package func take(_ picture: TimedPicture, generation: UInt64) async -> Reception {
        while !Task.isCancelled {
            let visit = room.visit
            switch state.withLock({ $0.decide(picture.time, generation, at: monotonicNanoseconds()) }) {
            case .answer(let reception): return reception
            case .wait(let moment): await room.wait(after: visit, until: moment)
            case .write(let reservation):
                if let reception = await write(picture, generation, reservation) { return reception }
            }
        }
        return .dropped
    }

    /// - Returns: `nil` when it has to be tried again, in memory that is large enough.
    private func write(
        _ picture: TimedPicture,
        _ generation: UInt64,
        _ reservation: RingState.Reservation
    ) async -> Reception? {
        switch await writer.write(picture, to: reservation) {
        case .written:
            let reception = state.withLock { $0.publish(reservation) }
            if reception == .taken { tell() }
            return reception
        case .needs(let byteCount):
            state.withLock { _ = $0.give(back: reservation) }
            guard await isTimeToGrow(for: picture.time, generation) else { return nil }
            // A quarter more, so that one that keeps growing does not have new memory for each picture.
            let target = min(FrameWriter.byteLimit, byteCount + byteCount / 4)
            do throws(EngineError) { try grow(to: max(byteCount, target)) } catch { return giveUp() }
            return nil
        case .impossible:
            state.withLock { _ = $0.give(back: reservation) }
            return giveUp()
        }
    }

    /// Waits while a display has to see what lies in the memory first.
    ///
    /// - Returns: whether the picture still asks for larger memory.
    private func isTimeToGrow(for time: MediaTime, _ generation: UInt64) async -> Bool {
        while !Task.isCancelled {
            let visit = room.visit
            let wait = state.withLock { $0.decideChange(for: time, generation, at: monotonicNanoseconds()) }
            guard let wait else { return state.withLock { $0.takes(generation) } }
            await room.wait(after: visit, until: wait.until)
        }
        return false
    }

    private func grow(to pictureBytes: Int) throws(EngineError) {
        let memory = try Self.memory(request, pictureBytes: pictureBytes)
        let isRead = state.withLock { state in
            state.replace(with: memory)
            return state.link.peer.map { Self.hand(memory, to: $0) } ?? true
        }
        if !isRead { end(because: .unread) }
    }

    private static func hand(_ memory: RingMemory, to peer: any HandoverPeer) -> Bool {
        peer.send(
            HandoverMessage(.memory, value: UInt64(memory.ring.byteCount)),
            descriptors: [memory.ring.descriptor, memory.control.descriptor]
        )
    }

    private func giveUp() -> Reception {
        end(because: .impossible)
        return .gone
    }

    package func flush(to generation: UInt64) {
        state.withLock { $0.flush(to: generation) }
        room.signal()
        tell()
    }

    package func follow(_ anchor: PositionAnchor, generation: UInt64) {
        guard state.withLock({ $0.follow(anchor, generation) }) else { return }
        room.signal()
        tell()
    }

    package func finish(generation: UInt64) {
        if state.withLock({ $0.finish(generation) }) { tell() }
    }
}

extension FrameRing: EndableHandover {
    var sink: SoftwareOutputs.Sink { .pictures(self) }

    func withLink<Value>(_ body: (inout HandoverLink) -> Value) -> Value { state.withLock { body(&$0.link) } }

    /// Within the lock, so that no larger memory comes before it.
    func handMemory(to peer: any HandoverPeer) -> Bool { state.withLock { Self.hand($0.memory, to: peer) } }

    func retire() -> (peer: (any HandoverPeer)?, output: OutputID?) {
        state.withLock { state in
            state.retire()
            return state.link.end()
        }
    }
}
