// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Assigns timeline positions to the samples that a decoder outputs, starting where the source was entered.
struct AudioTimeline {
    let entry: FeedEntry
    private let facts: DecodingFacts
    private var clock = SampleClock()
    private var isBegun = false
    /// Frames whose times are still in doubt.
    private var waiting: [AudioDecoder.Frame] = []

    init(_ entry: FeedEntry, _ facts: DecodingFacts) {
        self.entry = entry
        self.facts = facts
    }

    /// - Returns: the samples whose times are now known: possibly none, possibly samples of earlier frames too. Audio
    ///   before the requested time is dropped.
    mutating func add(_ frame: AudioDecoder.Frame) -> [TimedAudio] {
        waiting.append(frame)
        return put(clock.place(frame.block.count, rate: frame.format.rate, at: frame.time.map { facts.time($0) }))
    }

    /// The remaining samples, after the last frame.
    mutating func finish() -> [TimedAudio] { put(clock.finish()) }

    private mutating func put(_ places: [SampleClock.Place]) -> [TimedAudio] {
        let frames = waiting.prefix(places.count)
        waiting.removeFirst(frames.count)
        return zip(frames, places).compactMap { frame, place in audio(of: frame, at: place) }
    }

    private mutating func audio(of frame: AudioDecoder.Frame, at place: SampleClock.Place) -> TimedAudio? {
        let rate = frame.format.rate
        var (block, time) = (frame.block, place.time)
        if !entry.isStart, !isBegun, time < entry.time {
            let early = (entry.time - time).ticks(in: .hertz(Int64(rate)), rounding: .up)
            guard early < Int64(block.count) else { return nil }
            block = block.dropping(Int(early), stride: frame.format.stride)
            time = time + MediaTime(early, in: .hertz(Int64(rate)))
        }
        defer { isBegun = true }
        return TimedAudio(
            format: frame.format,
            block: block,
            time: time,
            isDiscontinuous: place.isDiscontinuous || !isBegun
        )
    }
}

extension TimedAudio {
    /// The same samples, in pieces of at most `longest` samples.
    func pieces(of longest: Int) -> [TimedAudio] {
        guard longest > 0, block.count > longest else { return [self] }
        return stride(from: 0, to: block.count, by: longest).map { first in
            let end = min(block.count, first + longest)
            let planes = block.planes.map { Array($0[first * format.stride..<end * format.stride]) }
            return TimedAudio(
                format: format,
                block: SampleBlock(planes: planes, count: end - first),
                time: time + MediaTime(Int64(first), in: .hertz(Int64(format.rate))),
                isDiscontinuous: isDiscontinuous && first == 0,
                rate: rate
            )
        }
    }
}

extension SampleBlock {
    fileprivate func dropping(_ samples: Int, stride: Int) -> SampleBlock {
        guard samples > 0 else { return self }
        return SampleBlock(planes: planes.map { Array($0.dropFirst(samples * stride)) }, count: count - samples)
    }
}
