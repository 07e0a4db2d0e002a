// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Decoded audio from the playhead on, without gaps: gaps in the source are filled with silence.
///
/// Entries that were taken are kept until they have been heard, so that another sink can continue with them.
package struct AudioQueue: Sendable {
    package enum Content: Sendable {
        case audio(TimedAudio)
        case silence
    }

    package struct Entry: Sendable {
        package let content: Content
        package let time: MediaTime
        package let length: MediaTime
        /// The lap of a loop.
        package let lap: UInt64
        let number: UInt64

        package var end: MediaTime { time + length }
    }

    /// Maximum length of one entry of silence.
    private static let silence = MediaTime(microseconds: 50_000)
    /// Times that differ by no more than this count as equal. It is less than half a sample at 48 kHz.
    private static let tolerance = MediaTime(microseconds: 10)
    /// Maximum length of silence for one gap in the source.
    private static let longestHole = MediaTime(microseconds: 3_600_000_000)

    package private(set) var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// Number of the last entry that was taken.
    private var takenNumber: UInt64 = 0
    /// The format of the latest audio. Silence uses it too.
    package private(set) var format: AudioFormat?
    private var run: Run
    private var lap: UInt64
    /// The samples that the source has delivered in this pass since the last discontinuity, whether they were needed or
    /// not.
    private var incoming: Run?

    /// Consecutive samples. Times are computed from the sample count, because timestamps are rounded.
    private struct Run {
        let start: MediaTime
        let rate: Int
        var count: Int64 = 0

        var end: MediaTime { start + MediaTime(count, in: .hertz(Int64(rate))) }
    }

    package init(from position: MediaTime, lap: UInt64) {
        run = Run(start: position, rate: 1)
        self.lap = lap
    }

    /// The end of the audio, in the lap being filled.
    package var end: MediaTime { run.end }

    /// Begins another lap at `position`.
    package mutating func beginLap(_ lap: UInt64, at position: MediaTime) {
        self.lap = lap
        run = Run(start: position, rate: 1)
    }

    /// Begins another pass over the source.
    package mutating func beginPass() { incoming = nil }

    /// Makes `lap` the last lap: discards entries of later laps.
    package mutating func endLap(_ lap: UInt64) {
        entries.removeAll { $0.lap > lap }
        guard self.lap != lap else { return }
        self.lap = lap
        run = Run(start: entries.last?.end ?? run.start, rate: 1)
        incoming = nil
    }

    /// Adds the next audio. Drops samples before `end`, and fills a gap before the audio with silence.
    package mutating func append(_ audio: TimedAudio) {
        format = audio.format
        if audio.isDiscontinuous || incoming == nil { incoming = Run(start: audio.time, rate: audio.format.rate) }
        guard var line = incoming else { return }
        let time = line.end
        if line.rate != audio.format.rate { line = Run(start: time, rate: audio.format.rate) }
        line.count += Int64(audio.block.count)
        incoming = line
        if time > end + Self.tolerance { pad(to: min(time, end + Self.longestHole)) }
        guard time < end - Self.tolerance else { return add(audio) }
        let surplus = Int(((end - time).seconds * Double(audio.format.rate)).rounded())
        guard surplus < audio.block.count else { return }
        add(surplus > 0 ? audio.dropping(surplus) : audio)
    }

    /// Adds silence up to `position`.
    package mutating func pad(to position: MediaTime) {
        while end < position {
            let start = end
            // Compares a difference, because near the end of time the sum is not representable.
            let rest = position - start
            run = Run(start: rest > .zero && rest < Self.silence ? position : start + Self.silence, rate: 1)
            add(.silence, from: start, to: end)
        }
    }

    /// How much audio is queued after `position` of lap `lap`, later laps included. The entries of one lap follow each
    /// other without gaps.
    package func ahead(of position: MediaTime, lap: UInt64) -> MediaTime {
        var (sum, first) = (MediaTime.zero, firstIndex { $0.lap >= lap })
        while first < entries.count {
            let current = entries[first].lap
            let next = firstIndex { $0.lap > current }
            let start = current == lap ? max(position, entries[first].time) : entries[first].time
            sum = sum + max(.zero, entries[next - 1].end - start)
            first = next
        }
        return sum
    }

    /// The index of the first entry that matches, or the number of entries if none does. A binary search: all entries
    /// after the first match must match too.
    private func firstIndex(where matches: (Entry) -> Bool) -> Int {
        var range = entries.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            range = matches(entries[middle]) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }

    /// The next entries, which together last `length` or a little longer; all that are left if they last less.
    package mutating func take(_ length: MediaTime) -> [Entry] {
        var taken: [Entry] = []
        var sum = MediaTime.zero
        for entry in entries where entry.number > takenNumber && sum < length {
            taken.append(entry)
            sum = sum + entry.length
        }
        takenNumber = taken.last?.number ?? takenNumber
        return taken
    }

    package var hasMore: Bool { (entries.last?.number ?? 0) > takenNumber }

    /// Makes `take` continue at `position` of lap `lap`, even if later entries were taken before.
    package mutating func rewind(to position: MediaTime, lap: UInt64) {
        trim(to: position, lap: lap)
        guard let first = entries.first else { return }
        takenNumber = first.number - 1
        guard first.lap == lap, first.time < position, case .audio(let audio) = first.content else { return }
        let count = Int((position - first.time).seconds * Double(audio.format.rate) + 0.5)
        guard count > 0, count < audio.block.count else { return }
        let rest = audio.dropping(count)
        entries[0] = Entry(
            content: .audio(rest),
            time: position,
            length: first.end - position,
            lap: lap,
            number: first.number
        )
    }

    /// Drops entries that were taken and end at or before `position` of lap `lap`.
    package mutating func trim(to position: MediaTime, lap: UInt64) {
        let kept = entries.firstIndex { entry in
            entry.number > takenNumber || entry.lap > lap || (entry.lap == lap && entry.end > position)
        }
        entries.removeFirst(kept ?? entries.count)
    }

    /// Adds samples at `end`.
    private mutating func add(_ audio: TimedAudio) {
        if run.rate != audio.format.rate || run.count == 0 { run = Run(start: end, rate: audio.format.rate) }
        let start = end
        run.count += Int64(audio.block.count)
        add(.audio(audio), from: start, to: end)
    }

    private mutating func add(_ content: Content, from start: MediaTime, to end: MediaTime) {
        lastNumber += 1
        entries.append(Entry(content: content, time: start, length: end - start, lap: lap, number: lastNumber))
    }
}

extension TimedAudio {
    /// Only its first `count` samples.
    func taking(_ count: Int) -> TimedAudio {
        guard count < block.count else { return self }
        return TimedAudio(
            format: format,
            block: block.taking(count, stride: format.stride),
            time: time,
            isDiscontinuous: isDiscontinuous,
            rate: rate
        )
    }

    /// Without its first `count` samples.
    func dropping(_ count: Int) -> TimedAudio {
        let bytes = count * format.stride
        return TimedAudio(
            format: format,
            block: SampleBlock(planes: block.planes.map { Array($0.dropFirst(bytes)) }, count: block.count - count),
            time: time + .seconds(Double(count) / Double(format.rate)),
            isDiscontinuous: isDiscontinuous,
            rate: rate
        )
    }
}

extension SampleBlock {
    /// Only its first `count` samples, each of `stride` bytes in a plane.
    func taking(_ count: Int, stride: Int) -> SampleBlock {
        guard count < self.count else { return self }
        return SampleBlock(planes: planes.map { Array($0.prefix(count * stride)) }, count: count)
    }
}
