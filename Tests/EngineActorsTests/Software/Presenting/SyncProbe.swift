// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime

@testable import EngineActors

/// Looks at a screen and listens to a sink, and says how far apart a flash and its beep are.
///
/// A flash is the moment when the playhead, as the screen knows it, comes to a picture at a whole second; a beep the moment
/// when the first loud sample is heard. Both are computed for the moment itself, not for when somebody looked.
final class SyncProbe: Sendable {
    private struct Beep: Hashable {
        let generation: UInt64
        let sample: Int64
        let second: Int
    }

    private struct State {
        var generation: UInt64 = 0
        var wasLoud = true
        var beeps: [Beep] = []
        var flashes: [Int: Int64] = [:]
        var lastSecond: Int?
        var offsets: [Double] = []
        var missing = 0
        var lastLook: Int64 = 0
        /// Until when what is seen says more of the machine than of the renderer.
        var disturbedUntil: Int64 = 0
    }

    /// Who was kept from looking for so long has seen a machine that had other things to do, in nanoseconds.
    private static let longestBlink: Int64 = 25_000_000
    private static let recovery: Int64 = 500_000_000

    /// How far from its place a tempo filter may begin a beep, in seconds.
    private let patience: Double
    private let state = Locked(State())

    init(patience: Double = 0.2) { self.patience = patience }

    /// Flash minus beep, in seconds.
    var offsets: [Double] { state.withLock { $0.offsets } }
    /// Flashes for which the picture was not there in time.
    var missing: Int { state.withLock { $0.missing } }

    func forget() {
        state.withLock { state in
            state.offsets = []
            state.beeps = []
            state.flashes = [:]
            state.lastSecond = nil
        }
    }

    func hear(_ sound: TimedSound, _ first: Int64, _ generation: UInt64) {
        let (begin, end) = (sound.level(at: 0), sound.level(at: sound.block.count - 1))
        state.withLock { state in
            if state.generation != generation {
                state.generation = generation
                state.beeps = []
                state.wasLoud = true
            }
            defer { state.wasLoud = end > 0.25 }
            guard !state.wasLoud || (begin < 0.25 && end > 0.25) else { return }
            guard let index = sound.firstLoudSample else { return }
            let place = sound.time.seconds + Double(index) / Double(sound.format.rate) * sound.rate
            state.beeps.append(Beep(generation: generation, sample: first + Int64(index), second: Int(place.rounded())))
        }
    }

    /// To be called every few milliseconds.
    func look(at screen: TestScreen, _ sink: any SoundSink, rate: Int) {
        let now = monotonicNanoseconds()
        guard let anchor = screen.anchor, anchor.rate > 0, let heard = sink.samplesHeard(at: now) else { return }
        let position = anchor.position(at: now)
        let second = Int(position.seconds.rounded(.down))
        let shown = screen.picture(at: position)
        state.withLock { state in
            if now - state.lastLook > Self.longestBlink { state.disturbedUntil = now + Self.recovery }
            state.lastLook = now
            let isDisturbed = now < state.disturbedUntil
            if let last = state.lastSecond, second == last + 1 {
                let late = (position.seconds - Double(second)) / anchor.rate
                state.flashes[second] = now - Int64(late * 1_000_000_000)
                let isMissing = shown.map { $0.time.seconds < Double(second) - 0.0001 } ?? true
                if isMissing, !isDisturbed { state.missing += 1 }
            }
            state.lastSecond = second
            state.beeps.removeAll { beep in
                guard beep.generation == state.generation, heard >= beep.sample else { return false }
                let moment = now - (heard - beep.sample) * 1_000_000_000 / Int64(rate)
                guard let flash = state.flashes[beep.second] else {
                    // The playhead has not come to it yet.
                    return now - moment > 500_000_000
                }
                let offset = Double(flash - moment) / 1_000_000_000
                if abs(offset) < patience, !isDisturbed { state.offsets.append(offset) }
                return true
            }
        }
    }

    /// Looks until `count` beeps have been compared with their flashes.
    func watch(_ screen: TestScreen, _ sink: any SoundSink, rate: Int = 48_000, until count: Int) async throws {
        while offsets.count < count {
            look(at: screen, sink, rate: rate)
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// How many offsets lie in each millisecond.
    static func histogram(_ offsets: [Double]) -> String {
        let bins = Dictionary(grouping: offsets) { Int(($0 * 1000).rounded()) }.mapValues(\.count)
        return bins.sorted { $0.key < $1.key }.map { "\($0.key) ms: \($0.value)" }.joined(separator: ", ")
    }
}

extension TimedSound {
    /// How loud a sample of the first channel is. Packed floats, or planes of them.
    func level(at index: Int) -> Float {
        let (plane, place) = (block.planes[0], index * format.stride)
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(plane[place + $1]) << UInt32($1 * 8) }
        return abs(Float(bitPattern: bits))
    }

    /// Where a beep begins that ends behind these samples, or within them.
    var firstLoudSample: Int? {
        let step = 24
        guard let coarse = stride(from: 0, to: block.count, by: step).first(where: { level(at: $0) > 0.25 }) else {
            return nil
        }
        return (max(0, coarse - step)...coarse).first { level(at: $0) > 0.25 }
    }
}
