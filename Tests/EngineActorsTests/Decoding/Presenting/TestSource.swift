// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime

@testable import Decoding

/// A source of identical frames, and of audio with a beep at the start of every second, as a decoder outputs them.
final class TestSource: DecodedSource {
    struct Script: Sendable {
        var frameRate = 25.0
        var video = MediaTime.seconds(10)
        var audio = MediaTime.seconds(10)
        /// Audio from this time on is held back until `release` is called.
        var audioGate: MediaTime?
        /// Frames from this time on are held back until `release` is called.
        var videoGate: MediaTime?
        var format = AudioFormat(samples: .planarFloat, rate: 48_000, layout: ChannelLayout(mask: 3))
    }

    private struct State {
        var pass: UInt64 = 0
        var frameNumber = 0
        var sample: Int64 = 0
        var isFirst = true
        var begun: [(position: MediaTime, required: RequiredMedia)] = []
        var givenFrames = 0
        var givenAudio = 0
        var isGateOpen = false
        var isClosed = false
    }

    /// Samples of one block: 10 ms at 48 kHz. A beep lasts ten blocks.
    static let blockLength: Int64 = 480
    let script: Script
    private let frame: VideoFrame
    private let (loud, quiet): (SampleBlock, SampleBlock)
    private let state = Locked(State())
    private let room = ChangeSignal()

    init(_ script: Script = Script()) {
        self.script = script
        loud = Self.block(of: 0.5, script.format)
        quiet = Self.block(of: 0, script.format)
        frame = .blank(width: 160, height: 90, pts: 0)
    }

    var begun: [(position: MediaTime, required: RequiredMedia)] { state.withLock { $0.begun } }
    var givenFrames: Int { state.withLock { $0.givenFrames } }
    var givenAudio: Int { state.withLock { $0.givenAudio } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func release() {
        state.withLock { $0.isGateOpen = true }
        room.signal()
    }

    func begin(pass: UInt64, at position: MediaTime, _ required: RequiredMedia) async throws(EngineError) {
        let count = frameCount
        state.withLock { state in
            state.pass = pass
            state.frameNumber = max(0, min(count - 1, Int(position.seconds * script.frameRate + 0.001)))
            let sample = Int64(position.seconds * Double(script.format.rate))
            state.sample = sample / Self.blockLength * Self.blockLength
            state.isFirst = true
            state.begun.append((position, required))
        }
        room.signal()
    }

    func nextFrame(pass: UInt64) async throws(EngineError) -> Supply<TimedFrame> {
        let count = frameCount
        while true {
            let seen = room.signalCount
            let supply = state.withLock { state -> Supply<TimedFrame>? in
                guard pass == state.pass else { return .superseded }
                guard state.frameNumber < count else { return .ended }
                let (time, next) = (frameTime(state.frameNumber), frameTime(state.frameNumber + 1))
                if let gate = script.videoGate, !state.isGateOpen, time >= gate { return nil }
                state.frameNumber += 1
                state.givenFrames += 1
                return .next(TimedFrame(frame: frame, time: time, duration: next - time))
            }
            if let supply { return supply }
            await room.wait(after: seen)
        }
    }

    func nextAudio(pass: UInt64) async throws(EngineError) -> Supply<TimedAudio> {
        let end = Int64(script.audio.seconds * Double(script.format.rate))
        while true {
            let seen = room.signalCount
            let (isShut, supply) = state.withLock { state -> (Bool, Supply<TimedAudio>) in
                guard pass == state.pass else { return (false, .superseded) }
                let time = MediaTime(state.sample, in: .hertz(Int64(script.format.rate)))
                if let gate = script.audioGate, !state.isGateOpen, time >= gate { return (true, .ended) }
                let count = min(Self.blockLength, end - state.sample)
                guard count > 0 else { return (false, .ended) }
                defer {
                    state.sample += count
                    state.isFirst = false
                    state.givenAudio += 1
                }
                let block = block(from: state.sample, count: Int(count))
                let audio = TimedAudio(
                    format: script.format,
                    block: block,
                    time: time,
                    isDiscontinuous: state.isFirst
                )
                return (false, .next(audio))
            }
            guard isShut else { return supply }
            await room.wait(after: seen)
        }
    }

    func decode(into memory: (any DecoderMemory)?) {}
    func narrow(to required: RequiredMedia) {}
    func catchUp(to position: MediaTime?) {}

    func close() {
        state.withLock { state in
            state.pass = .max
            state.isClosed = true
        }
        room.signal()
    }

    private var frameCount: Int { Int((script.video.seconds * script.frameRate).rounded()) }
    private func frameTime(_ number: Int) -> MediaTime { .seconds(Double(number) / script.frameRate) }

    /// The level is 0.5 in the first tenth of every second, otherwise 0.
    private func block(from first: Int64, count: Int) -> SampleBlock {
        let isLoud = first % Int64(script.format.rate) < Int64(script.format.rate) / 10
        let whole = isLoud ? loud : quiet
        guard count < whole.count else { return whole }
        let bytes = count * script.format.stride
        return SampleBlock(planes: whole.planes.map { Array($0.prefix(bytes)) }, count: count)
    }

    private static func block(of level: Float, _ format: AudioFormat) -> SampleBlock {
        let bits = level.bitPattern.littleEndian
        let sample = (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        let plane = Array(repeatElement(sample, count: Int(blockLength)).joined())
        return SampleBlock(planes: Array(repeating: plane, count: format.planeCount), count: Int(blockLength))
    }
}
