// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime

@testable import Decoding

/// Observes a screen and a sink, and measures the time between each flash and its beep.
///
/// A flash is the moment at which the screen's playhead reaches a frame at a whole second. A beep is the moment at
/// which its first loud sample is heard. Both are computed exactly, independent of when the probe looks.
final class SyncProbe: Sendable {
    private struct Beep: Hashable {
        let generation: UInt64
        let sample: Int64
        let second: Int
    }

    private struct Flash {
        /// In nanoseconds of the monotonic clock.
        let moment: Int64
        /// Whether the frame of the flash had arrived in time.
        let isShown: Bool
    }

    private struct State {
        var generation: UInt64 = 0
        var wasLoud = true
        var beeps: [Beep] = []
        var flashes: [Int: Flash] = [:]
        var lastSecond: Int?
        var offsets: [Double] = []
        var lastLook: Int64 = 0
        /// Measurements before this monotonic time, in nanoseconds, are ignored: the probe itself ran late, so they may
        /// show the load of the machine rather than the renderer.
        var disturbedUntil: Int64 = 0
    }

    /// If the probe did not run for longer than this, in nanoseconds, the machine was busy with other work.
    private static let longestBlink: Int64 = 100_000_000
    private static let recovery: Int64 = 500_000_000

    /// Larger offsets than this, in seconds, are ignored: a tempo filter may move a beep.
    private let patience: Double
    private let state = Locked(State())

    init(patience: Double = 0.2) { self.patience = patience }

    /// Flash minus beep, in seconds; infinite if the frame of the flash had not arrived in time.
    var offsets: [Double] { state.withLock { $0.offsets } }

    func forget() {
        state.withLock { state in
            state.offsets = []
            state.beeps = []
            state.flashes = [:]
            state.lastSecond = nil
        }
    }

    func record(_ audio: TimedAudio, _ first: Int64, _ generation: UInt64) {
        let (begin, end) = (audio.level(at: 0), audio.level(at: audio.block.count - 1))
        state.withLock { state in
            if state.generation != generation {
                state.generation = generation
                state.beeps = []
                state.wasLoud = true
            }
            defer { state.wasLoud = end > 0.25 }
            guard !state.wasLoud || (begin < 0.25 && end > 0.25) else { return }
            guard let index = audio.firstLoudSample else { return }
            let place = audio.time.seconds + Double(index) / Double(audio.format.rate) * audio.rate
            state.beeps.append(Beep(generation: generation, sample: first + Int64(index), second: Int(place.rounded())))
        }
    }

    /// Compares flashes with beeps. Must be called every few milliseconds.
    func look(at screen: TestScreen, _ sink: any AudioSink, rate: Int) {
        let now = monotonicNanoseconds()
        guard let anchor = screen.anchor, anchor.rate > 0, let heard = sink.samplesHeard(at: now) else { return }
        let position = anchor.position(at: now)
        let second = Int(position.seconds.rounded(.down))
        let shown = screen.frame(at: position)
        state.withLock { state in
            if now - state.lastLook > Self.longestBlink { state.disturbedUntil = now + Self.recovery }
            state.lastLook = now
            let isDisturbed = now < state.disturbedUntil
            if let last = state.lastSecond, second == last + 1 {
                let late = (position.seconds - Double(second)) / anchor.rate
                let isMissing = shown.map { $0.time.seconds < Double(second) - 0.0001 } ?? true
                state.flashes[second] = Flash(moment: now - Int64(late * 1_000_000_000), isShown: !isMissing)
            }
            state.lastSecond = second
            state.beeps.removeAll { beep in
                guard beep.generation == state.generation, heard >= beep.sample else { return false }
                let moment = now - (heard - beep.sample) * 1_000_000_000 / Int64(rate)
                guard let flash = state.flashes[beep.second] else {
                    // The playhead has not reached the flash yet.
                    return now - moment > 500_000_000
                }
                let offset = Double(flash.moment - moment) / 1_000_000_000
                if abs(offset) < patience, !isDisturbed { state.offsets.append(flash.isShown ? offset : .infinity) }
                return true
            }
        }
    }

    /// Looks until the offsets measured so far satisfy `isEnough`.
    func watch(
        _ screen: TestScreen,
        _ sink: any AudioSink,
        rate: Int = 48_000,
        until isEnough: ([Double]) -> Bool
    ) async throws {
        while !isEnough(offsets) {
            look(at: screen, sink, rate: rate)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// The number of offsets in each millisecond, and of frames that had not arrived.
    static func histogram(_ offsets: [Double]) -> String {
        let shown = offsets.filter(\.isFinite)
        let bins = Dictionary(grouping: shown) { Int(($0 * 1000).rounded()) }.mapValues(\.count)
        let rows = bins.sorted { $0.key < $1.key }.map { "\($0.key) ms: \($0.value)" }
        return (rows + ["missing: \(offsets.count - shown.count)"]).joined(separator: ", ")
    }
}

extension TimedAudio {
    /// The level of a sample in the first channel, of packed or planar floats.
    func level(at index: Int) -> Float {
        let (plane, place) = (block.planes[0], index * format.stride)
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(plane[place + $1]) << UInt32($1 * 8) }
        return abs(Float(bitPattern: bits))
    }

    /// The index of the first loud sample; `nil` if there is none. A loud stretch of fewer than 24 samples may be
    /// missed.
    var firstLoudSample: Int? {
        let step = 24
        guard let coarse = stride(from: 0, to: block.count, by: step).first(where: { level(at: $0) > 0.25 }) else {
            return nil
        }
        return (max(0, coarse - step)...coarse).first { level(at: $0) > 0.25 }
    }
}
