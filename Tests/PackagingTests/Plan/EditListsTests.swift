// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Judging edit lists")
struct EditListsTests {
    private func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    /// A movie with 1000 ticks per second, one track of 10 s at 48,000 Hz, and edits of (duration, media time, rate).
    ///
    /// - Parameter durations: runs of (samples, duration of each).
    private func isSimple(
        _ edits: [(UInt32, Int32, UInt32)],
        durations: [(UInt32, UInt32)] = [(100, 4800)]
    ) -> Bool {
        let clock = { (scale: UInt32, duration: UInt32) in
            [UInt8](repeating: 0, count: 12) + word(scale) + word(duration)
        }
        let list =
            word(0) + word(UInt32(edits.count))
            + edits.flatMap { word($0.0) + word(UInt32(bitPattern: $0.1)) + word($0.2) }
        let times = word(0) + word(UInt32(durations.count)) + durations.flatMap { word($0.0) + word($0.1) }
        let table = box("minf", box("stbl", box("stts", times)))
        let track = box(
            "trak",
            box("edts", box("elst", list)) + box("mdia", box("mdhd", clock(48_000, 480_000)) + table)
        )
        return EditLists.areSimple(inMovie: box("moov", box("mvhd", clock(1000, 10_000)) + track))
    }

    @Test("priming, an empty edit before it, and no edits at all are simple")
    func simple() {
        #expect(isSimple([]))
        #expect(isSimple([(9979, 1024, 0x10000)]))
        #expect(isSimple([(500, -1, 0x10000), (9979, 1024, 0x10000)]))
        #expect(isSimple([(0, 0, 0x10000)]))
    }

    @Test("edits that trim, repeat, or change the speed are not simple")
    func complex() {
        #expect(!isSimple([(5000, 0, 0x10000)]), "the end is cut off")
        #expect(!isSimple([(7000, 144_000, 0x10000)]), "the start is cut off")
        #expect(!isSimple([(9750, 12_000, 0x10000)]) && isSimple([(9750, 11_999, 0x10000)]), "priming is shorter")
        #expect(!isSimple([(9994, 0, 0x10000)]) && isSimple([(9996, 0, 0x10000)]), "a rounding error is smaller")
        #expect(!isSimple([(5000, 0, 0x10000), (5000, 0, 0x10000)]))
        #expect(!isSimple([(10_000, 0, 0x20000)]))
        #expect(
            !isSimple([(10_000, 0, 0x10000)], durations: [(100, 4800), (1, 0)]),
            "the last sample is not presented"
        )
        #expect(isSimple([(10_000, 0, 0x10000)], durations: [(1, 0), (100, 4800)]))
        #expect(!EditLists.areSimple(inMovie: []))
    }

    @Test("a negative 64-bit duration does not trap")
    func negativeDuration() {
        let clock = [1] + [UInt8](repeating: 0, count: 19) + word(48_000) + word(0x8000_0000) + word(0)
        let list = word(0x0100_0000) + word(1) + word(0) + word(9979) + word(0) + word(1024) + word(0x10000)
        let track = box("trak", box("edts", box("elst", list)) + box("mdia", box("mdhd", clock)))
        let movie = box("mvhd", [UInt8](repeating: 0, count: 12) + word(1000) + word(10_000))
        #expect(EditLists.areSimple(inMovie: box("moov", movie + track)))
    }
}
