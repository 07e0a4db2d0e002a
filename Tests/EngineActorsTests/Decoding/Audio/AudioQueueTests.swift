// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Decoding

@Suite("Audio between decoder and sink")
struct AudioQueueTests {
    private let format = AudioFormat(samples: .int16, rate: 48_000, layout: ChannelLayout(mask: 4))

    /// Samples that count up from `first`.
    private func audio(
        _ seconds: Double,
        count: Int,
        first: Int = 0,
        isDiscontinuous: Bool = false
    ) -> TimedAudio {
        let plane = (first..<first + count).flatMap { (sample: Int) -> [UInt8] in
            [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        return TimedAudio(
            format: format,
            block: SampleBlock(planes: [plane], count: count),
            time: .seconds(seconds),
            isDiscontinuous: isDiscontinuous
        )
    }

    private func samples(_ entries: [AudioQueue.Entry]) -> [Int?] {
        entries.flatMap { entry -> [Int?] in
            guard case .audio(let audio) = entry.content else { return [nil] }
            let bytes = audio.block.planes[0]
            return stride(from: 0, to: bytes.count, by: 2).map { (place: Int) -> Int in
                Int(bytes[place]) | Int(bytes[place + 1]) << 8
            }
        }
    }

    @Test("ten minutes of 1024-sample frames last ten minutes, to the microsecond")
    func drift() {
        var queue = AudioQueue(from: .zero, lap: 1)
        let (count, audio) = (48_000 * 600 / 1024, audio(0, count: 1024))
        for _ in 0..<count {
            queue.append(audio)
            _ = queue.take(.seconds(1))
            queue.trim(to: queue.end, lap: 1)
        }
        #expect(queue.end == MediaTime(Int64(count) * 1024, in: .hertz(48_000)))
    }

    @Test("audio before the position of a seek is cut off, to the sample")
    func cut() {
        var queue = AudioQueue(from: .seconds(1), lap: 1)
        queue.append(audio(0.99, count: 1000, isDiscontinuous: true))
        queue.append(audio(0, count: 10, first: 1000))
        #expect(samples(queue.take(.seconds(9))) == (480..<1010).map { $0 })
        #expect(queue.end == MediaTime(48_530, in: .hertz(48_000)))
    }

    @Test("a gap in the source is silent, and the audio after it keeps its time")
    func hole() {
        var queue = AudioQueue(from: .zero, lap: 1)
        queue.append(audio(0, count: 480, isDiscontinuous: true))
        queue.append(audio(0.05, count: 480, isDiscontinuous: true))
        let entries = queue.take(.seconds(9))
        #expect(entries.map(\.time) == [.zero, .seconds(0.01), .seconds(0.05)])
        #expect(queue.end == .seconds(0.06))
    }

    @Test(
        "a gap up to the largest time is filled for one hour; a short gap just before the largest time, completely",
        arguments: [0, Int64.max - 80_000]
    )
    func endOfTime(start: Int64) {
        var queue = AudioQueue(from: MediaTime(microseconds: start), lap: 1)
        queue.pad(to: MediaTime(microseconds: start > 0 ? .max - 10 : 90_000))
        #expect(queue.entries.count == 2)
        queue.append(audio(1e30, count: 480, isDiscontinuous: true))
        #expect(queue.entries.count <= 72_003)
        #expect(queue.hasMore)
    }

    @Test("long audio is split into pieces with the same samples and times")
    func longFrames() {
        let long = audio(2, count: 100_000, isDiscontinuous: true)
        let pieces = long.pieces(of: 48_000)
        #expect(pieces.map(\.block.count) == [48_000, 48_000, 4000])
        #expect(pieces.map(\.time) == [.seconds(2), .seconds(3), .seconds(4)])
        #expect(pieces.map(\.isDiscontinuous) == [true, false, false])
        #expect(pieces.flatMap { $0.block.planes[0] } == long.block.planes[0])
    }

    @Test("jittering times without a discontinuity are ignored")
    func jitter() {
        var queue = AudioQueue(from: .zero, lap: 1)
        for time in [0, 0.013, 0.018, 0.031] { queue.append(audio(time, count: 480, isDiscontinuous: time == 0)) }
        #expect(queue.entries.map(\.time) == [0, 0.01, 0.02, 0.03].map { .seconds($0) })
    }

    @Test("another pass adds only the missing audio")
    func secondPass() {
        var queue = AudioQueue(from: .zero, lap: 1)
        queue.append(audio(0, count: 960, isDiscontinuous: true))
        queue.beginPass()
        queue.append(audio(0.005, count: 480, first: 240, isDiscontinuous: true))
        queue.append(audio(0, count: 480, first: 720))
        #expect(samples(queue.take(.seconds(9))) == (0..<1200).map { $0 })
    }

    @Test("another sink continues at the playhead")
    func rewind() {
        var queue = AudioQueue(from: .zero, lap: 1)
        for block in 0..<4 { queue.append(audio(0, count: 480, first: block * 480)) }
        _ = queue.take(.seconds(9))
        #expect(!queue.hasMore)
        queue.rewind(to: .seconds(0.015), lap: 1)
        #expect(samples(queue.take(.seconds(9))) == (720..<1920).map { $0 })
    }

    @Test("laps of a loop follow each other")
    func laps() {
        var queue = AudioQueue(from: .seconds(1), lap: 1)
        queue.append(audio(1, count: 480, isDiscontinuous: true))
        queue.beginPass()
        queue.beginLap(2, at: .zero)
        queue.append(audio(0, count: 480, isDiscontinuous: true))
        #expect(queue.ahead(of: .seconds(1), lap: 1) == .seconds(0.02))
        #expect(queue.take(.seconds(9)).map(\.lap) == [1, 2])
        queue.trim(to: .seconds(0.005), lap: 2)
        #expect(queue.entries.map(\.lap) == [2])
    }

    @Test("the place of a sample is found across changes of rate and lap")
    func map() {
        var map = AudioMap()
        map.append(count: 48_000, sampleRate: 48_000, time: .seconds(5), rate: 1, lap: 1)
        map.append(count: 24_000, sampleRate: 48_000, time: .seconds(6), rate: 2, lap: 1)
        map.append(count: 48_000, sampleRate: 48_000, time: .zero, rate: 2, lap: 2)
        #expect(map.place(heard: 0)?.time == .seconds(5))
        #expect(map.place(heard: 60_000)?.time == .seconds(6.5))
        #expect(map.place(heard: 72_000) == AudioMap.Place(time: .zero, rate: 2, lap: 2))
        #expect(map.place(heard: 999_999)?.time == .seconds(2))
    }
}
