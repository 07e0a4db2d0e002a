// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import EngineRuntime

/// Audio in shared memory that one front-end plays. The front-end's clock drives the playhead.
///
/// A front-end is detached when it exits, or when it has consumed nothing of a full ring for 3 s while it should play;
/// playback continues without it.
package final class AudioRing: AudioSink {
    let memory: AudioMemory
    private let state: Locked<AudioRingState>
    package let room = ChangeSignal()
    package let attacher: SinkAttacher

    /// - Parameters:
    ///   - source: the audio of the source, for every property that the request leaves open.
    ///   - attacher: attaches the ring to the session once a front-end is attached.
    /// - Throws: `invalidArgument` for an unknown layout name, `resourceExhausted` when the memory cannot be allocated.
    package init(
        _ request: AudioRequest,
        source: AudioProperties?,
        attacher: SinkAttacher
    ) throws(EngineError) {
        self.attacher = attacher
        let name = request.layout ?? source?.channelLayout ?? ""
        guard let layout = ChannelLayout(named: name.isEmpty ? "stereo" : name) else {
            throw .invalid("layout", "\(name) is not a known channel layout")
        }
        let rate = request.rate ?? source.map(\.sampleRate) ?? 0
        let format = AudioFormat(
            samples: request.format == .int16 ? .int16 : .float,
            rate: AudioRequest.rates.contains(rate) ? rate : 48_000,
            layout: layout
        )
        memory = try AudioMemory(format, capacity: max(1, Int(request.buffer.seconds * Double(format.rate))))
        state = Locked(AudioRingState(memory))
    }

    // MARK: AudioSink

    package var isRealTime: Bool { true }

    package func format(for source: AudioFormat) -> AudioFormat { memory.format }

    package func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        var done = 0
        while done < audio.block.count, !Task.isCancelled {
            let seen = room.signalCount
            switch state.withLock({ $0.decide(generation, at: monotonicNanoseconds()) }) {
            case .passed: return true
            case .over:
                end(because: .stalled)
                return false
            case .wait(let moment): await room.wait(after: seen, until: moment)
            case .write(let room, let place):
                let end = min(audio.block.count, done + room)
                memory.write(audio.block, done..<end, at: place)
                publish(audio, done..<end, generation)
                done = end
            }
        }
        return true
    }

    private func publish(_ audio: TimedAudio, _ range: Range<Int>, _ generation: UInt64) {
        let isThere = state.withLock {
            $0.publish(
                range.count,
                time: audio.time + .seconds(Double(range.lowerBound) / Double(memory.format.rate) * audio.rate),
                isDiscontinuous: audio.isDiscontinuous && range.lowerBound == 0,
                generation: generation
            )
        }
        if isThere { notify() }
    }

    package func flush(to generation: UInt64) {
        state.withLock { $0.flush(to: generation, at: monotonicNanoseconds()) }
        room.signal()
        notify()
    }

    package func setRunning(_ isRunning: Bool) {
        state.withLock { $0.setRunning(isRunning, at: monotonicNanoseconds()) }
        room.signal()
        notify()
    }

    /// The renderer calls this many times a second, which also detects room made by a front-end that sends no message.
    package func samplesHeard(at now: Int64) -> Int64? {
        let (heard, hasMadeRoom) = state.withLock { state in
            let before = state.consumed
            return (state.samplesHeard(at: now), state.consumed != before)
        }
        if hasMadeRoom { room.signal() }
        return heard
    }

    package func finish(generation: UInt64) {
        state.withLock { $0.finish(generation) }
        notify()
    }
}

extension AudioRing: SinkHandover {
    package var sink: SessionSinks.Sink { .audio(self) }

    package func withHandover<Value>(_ body: (inout HandoverState) -> Value) -> Value {
        state.withLock { body(&$0.handover) }
    }

    package func handMemory(to peer: any HandoverPeer) -> Bool {
        peer.send(
            HandoverMessage(.memory, value: UInt64(memory.ring.byteCount)),
            descriptors: [memory.ring.descriptor, memory.control.descriptor]
        )
    }

    package func retire() -> (peer: (any HandoverPeer)?, sinkID: SessionSinkID?) {
        state.withLock { state in
            state.retire()
            return state.handover.end()
        }
    }
}
