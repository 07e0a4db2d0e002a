// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading

@Suite("Placing decoded samples", .timeLimit(.minutes(10)))
struct SamplePlacementTests {
    private static let milliseconds = TimeBase.hertz(1000)

    /// The frames in `range`, of `length` samples each, with times rounded to milliseconds.
    private func frames(_ range: Range<Int64>, of length: Int64) -> [SamplePlacement.Piece] {
        range.map { number in
            let time = TimeBase.hertz(48_000).rescale(number * length, to: Self.milliseconds)
            return .samples(time: time, count: Int(length))
        }
    }

    @Test(
        "frames of constant length are placed exactly, wherever decoding began",
        arguments: [40, 160, 512, 1536]
    )
    func grid(length: Int64) {
        var placement = SamplePlacement(timeBase: Self.milliseconds, origin: 0, rate: 48_000)
        placement.grid = .init(length: length, first: 0)
        placement.bias = placement.base(of: frames(0..<64, of: length)) ?? 0
        for start in stride(from: Int64(0), to: 5000, by: 313) {
            let found = placement.positions(of: frames(start..<start + 200, of: length))
            #expect(found == (start..<start + 200).map { $0 * length }, "from frame \(start)")
        }
    }

    @Test("a pause near the start does not move samples", arguments: [nil, 1024] as [Int64?])
    func earlyPause(length: Int64?) {
        var placement = SamplePlacement(timeBase: .hertz(48_000), origin: 0, rate: 48_000)
        placement.grid = length.map { .init(length: $0, first: 0) }
        let times = [0] + (0..<60).map { 10_624 + Int64($0) * 1024 }
        let pieces = times.map { SamplePlacement.Piece.samples(time: $0, count: 1024) }
        placement.bias = placement.base(of: pieces) ?? .nan
        #expect(placement.positions(of: pieces) == times)
    }

    @Test("samples keep their position after a lost packet")
    func lost() {
        var placement = SamplePlacement(timeBase: Self.milliseconds, origin: 0, rate: 48_000)
        placement.grid = .init(length: 512, first: 0)
        var pieces = frames(0..<20, of: 512)
        pieces[7] = .lost
        let found = placement.positions(of: pieces)
        #expect(found[7] == nil)
        #expect(found[8] == Int64(4096))
        // The same if the packet is missing from the container.
        pieces.remove(at: 7)
        #expect(placement.positions(of: pieces)[7] == Int64(4096))
    }

    @Test("frames of varying lengths follow each other, but a pause is kept")
    func varying() {
        let placement = SamplePlacement(timeBase: Self.milliseconds, origin: 0, rate: 48_000)
        var pieces: [SamplePlacement.Piece] = []
        var place: Int64 = 0
        var expected: [Int64] = []
        for number in 0..<200 {
            let count = number % 7 == 0 ? 128 : 1024
            if number == 100 { place += 48_000 }
            expected.append(place)
            pieces.append(
                .samples(time: TimeBase.hertz(48_000).rescale(place, to: Self.milliseconds), count: count)
            )
            place += Int64(count)
        }
        let found = placement.positions(of: pieces).compactMap { $0 }
        #expect(found.count == expected.count)
        #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 24 })
        let gaps = zip(found.dropFirst(), found).map { $0 - $1 }
        #expect(
            zip(gaps, expected.dropFirst()).enumerated().allSatisfy { index, pair in
                index == 99 || pair.0 == expected[index + 1] - expected[index]
            }
        )
    }

    @Test("a few times that are far off do not move samples")
    func outliers() {
        let placement = SamplePlacement(timeBase: .hertz(48_000), origin: 0, rate: 48_000)
        let pieces = (0..<60).map { (number: Int) -> SamplePlacement.Piece in
            let delay = number % 5 == 3 ? 448 : 0
            return .samples(time: Int64(number * 576 + delay), count: 576)
        }
        for start in 0..<40 {
            let found = placement.positions(of: Array(pieces[start..<start + 20]))
            let expected = (start..<start + 20).map { (number: Int) -> Int64? in Int64(number * 576) }
            #expect(found == expected, "from piece \(start)")
        }
    }

    @Test("samples without any time have no position")
    func timeless() {
        let placement = SamplePlacement(timeBase: Self.milliseconds, origin: 0, rate: 48_000)
        #expect(placement.positions(of: [.samples(time: nil, count: 10), .lost]) == [nil, nil])
    }

    @Test("absurd times do not trap", arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
    func absurd(time: Int64) {
        var placement = SamplePlacement(timeBase: Self.milliseconds, origin: 5, rate: 48_000)
        placement.grid = .init(length: 40, first: 0)
        let found = placement.positions(of: [.samples(time: time, count: 40), .samples(time: 0, count: 40)])
        #expect(found.count == 2)
    }
}
