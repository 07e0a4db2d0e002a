// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Maps each sample that a sink was given since its last flush to a position on the timeline.
package struct AudioMap: Sendable {
    package struct Place: Hashable, Sendable {
        package let time: MediaTime
        package let rate: Double
        /// The lap of a loop.
        package let lap: UInt64
    }

    private struct Piece {
        let first: Int64
        var count: Int64
        let sampleRate: Double
        let time: MediaTime
        let rate: Double
        let lap: UInt64

        func time(atSample sample: Int64) -> MediaTime {
            time + .seconds(Double(sample - first) / sampleRate * rate)
        }
    }

    private var pieces: [Piece] = []
    /// The position of the playhead once all samples have been heard.
    private var end: MediaTime?
    /// How many samples were given.
    package private(set) var count: Int64 = 0

    package init() {}

    /// No more samples follow. The last sample is at `end`, even if a tempo filter has output a few samples more or
    /// fewer than expected.
    package mutating func close(at end: MediaTime) { self.end = end }

    package var isEmpty: Bool { pieces.isEmpty }

    /// Adds the next `count` samples, at `sampleRate` per second. They cover the timeline from `time` on, at `rate`
    /// times its speed.
    package mutating func append(count: Int, sampleRate: Int, time: MediaTime, rate: Double, lap: UInt64) {
        guard count > 0 else { return }
        end = nil
        defer { self.count += Int64(count) }
        let rateOfSamples = Double(sampleRate)
        if let last = pieces.last, last.rate == rate, last.lap == lap, last.sampleRate == rateOfSamples,
            (last.time(atSample: self.count) - time).microseconds.magnitude <= 2
        {
            pieces[pieces.count - 1].count += Int64(count)
            return
        }
        pieces.append(
            Piece(
                first: self.count,
                count: Int64(count),
                sampleRate: rateOfSamples,
                time: time,
                rate: rate,
                lap: lap
            )
        )
    }

    /// Seconds from `heard` samples to the next change of rate or lap; `nil` if no such change was added yet.
    package func wait(from heard: Int64) -> Double? {
        guard let next = pieces.first(where: { $0.first > heard }), let now = pieces.last(where: { $0.first <= heard })
        else { return nil }
        return Double(next.first - heard) / now.sampleRate
    }

    /// The place of the playhead when `heard` samples have been heard; `nil` if no samples were given. Drops earlier
    /// pieces.
    package mutating func place(heard: Int64) -> Place? {
        while pieces.count > 1, pieces[1].first <= heard { pieces.removeFirst() }
        guard let piece = pieces.first else { return nil }
        let sample = min(max(heard, piece.first), piece.first + piece.count)
        let time = piece.time(atSample: sample)
        let last = heard >= count ? max(time, end ?? time) : time
        return Place(time: last, rate: piece.rate, lap: piece.lap)
    }
}
