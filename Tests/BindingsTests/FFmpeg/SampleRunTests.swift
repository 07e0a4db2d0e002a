// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite("Runs of decoded samples", .timeLimit(.minutes(10)))
struct SampleRunTests {
    private static func format(_ channels: UInt64) -> AudioFormat {
        AudioFormat(samples: .planarFloat, rate: 48_000, layout: ChannelLayout(mask: channels))
    }

    @Test("the memory of a run serves the next one, of any format")
    func memory() {
        var memory = SampleRun.Memory()
        var run = SampleRun(format: Self.format(0x3F), capacity: 1000, in: &memory)
        #expect(memory.capacity == 0 && run.memory.capacity >= 6 * 4000)
        memory = run.memory
        run = SampleRun(format: Self.format(0x3), capacity: 10, in: &memory)
        // Two planes of six remain, as large as they were.
        #expect(memory.capacity == 0 && (8000..<24_000).contains(run.memory.capacity))
        #expect(run.block.count == 0 && run.block.planes == [[], []])
        memory = run.memory
        run = SampleRun(format: Self.format(0x3F), capacity: 2000, in: &memory)
        #expect(run.memory.capacity >= 6 * 8000 && run.block.planes.count == 6)
    }
}
