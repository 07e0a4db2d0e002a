// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Finds the exact position of decoded samples whose packets have rounded times. Pure.
///
/// Frames that follow each other form a run, within which samples are counted. All times of a run together determine
/// its position. Frames of constant length are aligned to a grid, so that two independent runs of one track (two
/// segments) agree to the sample.
struct SamplePlacement: Hashable, Sendable {
    /// The grid of frames of constant length.
    struct FrameGrid: Hashable, Sendable {
        /// Samples per frame.
        var length: Int64
        /// One line of the grid: where the track's first frame starts according to its own time, in samples.
        var first: Int64
    }

    enum Piece: Hashable, Sendable {
        /// `count` samples, with the time of their packet in ticks of the stream. `nil`: directly after the previous
        /// piece.
        case samples(time: Int64?, count: Int)
        /// A packet that yielded nothing.
        case lost
    }

    /// Samples farther than this from the expected position are placed by their time; nearer ones follow the previous
    /// samples. For frames of constant length, a smaller distance may suffice (`limit`).
    private static let jitterSeconds = 0.1

    var timeBase: TimeBase
    /// The start of the timeline, in ticks of the stream.
    var origin: Int64
    /// Samples per second.
    var rate: Int64
    var grid: FrameGrid?
    /// The number of samples by which the position computed from the times of a run is off, because the container
    /// rounds times. Measured at the start of the track.
    var bias = 0.0

    /// Whether a time belongs to the first audio frame that begins in its packet, so that the earliest position is the
    /// true one.
    var takesEarliest = false

    /// The start of each piece, in samples on the timeline. `nil` for a lost piece, and for pieces of a run without any
    /// time.
    func positions(of pieces: [Piece]) -> [Int64?] {
        var positions = [Int64?](repeating: nil, count: pieces.count)
        for run in runs(of: pieces) {
            guard let start = start(of: run) else { continue }
            for (index, offset) in run.members { positions[index] = start + offset }
        }
        return positions
    }

    private func runs(of pieces: [Piece]) -> [Run] {
        var runs: [Run] = []
        var run = Run()
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .lost:
                if let grid {
                    run.count += grid.length
                } else {
                    runs.append(run)
                    run = Run()
                }
            case .samples(let time, let count):
                let place = time.map(exactSamples)
                if let place, let expected = run.expected, abs(place - expected) > limit(count) {
                    runs.append(run)
                    run = Run()
                }
                run.add(index, count: Int64(count), at: place)
            }
        }
        return runs + [run]
    }

    /// The estimated start of the run that begins with the first of these pieces, in samples. `bias` is measured with
    /// it.
    func base(of pieces: [Piece]) -> Double? {
        var run = Run()
        for (index, piece) in pieces.enumerated() {
            guard case .samples(let time, let count) = piece else { continue }
            let place = time.map(exactSamples)
            if let place, let expected = run.expected, abs(place - expected) > limit(count) { break }
            run.add(index, count: Int64(count), at: place)
        }
        return estimate(run)
    }

    private func estimate(_ run: Run) -> Double? {
        takesEarliest ? run.starts.min() : run.estimate(tick: tick)
    }

    private var tick: Double { timeBase.seconds(1) * Double(rate) }

    func exactSamples(_ time: Int64) -> Double {
        Double(time &- origin) * Double(timeBase.numerator) * Double(rate) / Double(timeBase.denominator)
    }

    /// The number of samples by which a time may differ from the counted position before a new run begins. A missing
    /// frame is detected only if frames are longer than the container's rounding error.
    private func limit(_ count: Int) -> Double {
        let jitter = Self.jitterSeconds * Double(rate)
        guard let grid, Double(grid.length) >= 4 * tick + 4 else { return jitter }
        return min(jitter, Double(grid.length) / 2)
    }

    /// The start of a run, in samples on the timeline. `nil` if it has no time.
    private func start(of run: Run) -> Int64? {
        guard let estimate = estimate(run), abs(estimate) < 1e15 else { return nil }
        return snapped(estimate - bias)
    }

    /// The nearest grid line if it is close enough, otherwise the nearest sample.
    private func snapped(_ estimate: Double) -> Int64 {
        guard let grid, grid.length > 0 else { return Int64(estimate.rounded()) }
        let offset = estimate - Double(grid.first)
        let lines = (offset / Double(grid.length)).rounded()
        let distance = abs(offset - lines * Double(grid.length))
        let tolerance = max(2 * tick, Double(rate) / 1000) + 1
        return distance <= tolerance
            ? grid.first + Int64(lines) * grid.length : Int64(estimate.rounded())
    }
}

extension SamplePlacement {
    /// Pieces that follow each other without a gap.
    private struct Run {
        var members: [(index: Int, offset: Int64)] = []
        /// For each piece that has a time: the start of the run according to that time.
        var starts: [Double] = []
        var count: Int64 = 0

        /// The expected start of the next piece, according to the first time.
        var expected: Double? { starts.first.map { $0 + Double(count) } }

        mutating func add(_ index: Int, count samples: Int64, at place: Double?) {
            if let place { starts.append(place - Double(count)) }
            members.append((index, count))
            count += samples
        }

        /// The middle of the largest group of times that differ only by rounding, if most times are in it: a few may be
        /// far off (libavformat misplaces Vorbis packets of Ogg where long blocks give way to short ones). Otherwise
        /// the mean of all times.
        func estimate(tick: Double) -> Double? {
            guard !starts.isEmpty else { return nil }
            let sorted = starts.sorted()
            var best = 0..<0
            var first = 0
            for last in sorted.indices {
                while sorted[last] - sorted[first] > 1.6 * tick + 1 { first += 1 }
                if last + 1 - first > best.count { best = first..<last + 1 }
            }
            guard best.count * 2 > sorted.count else { return sorted.reduce(0, +) / Double(sorted.count) }
            return (sorted[best.lowerBound] + sorted[best.upperBound - 1]) / 2
        }
    }
}
