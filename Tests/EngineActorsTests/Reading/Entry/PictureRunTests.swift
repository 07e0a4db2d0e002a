// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings
@testable import Reading

@Suite("Packets from a random access point on")
struct PictureRunTests {
    private func packet(_ time: Int64, key: Bool = true, data: [UInt8]? = nil, format: Int = 0) -> PictureRun.Entry {
        let flags: Packet.Flags = key ? .key : []
        return PictureRun.Entry(
            packet: Packet([1], stream: 0, pts: time, flags: flags, newPrivateData: data, format: format),
            time: time
        )
    }

    private func run(_ entries: [PictureRun.Entry]) -> PictureRun {
        var run = PictureRun(target: 100, reorderLimit: 4, keepsAll: false)
        for entry in entries { _ = run.add(entry) }
        return run
    }

    @Test("codec private data of packets that were dropped applies to the run")
    func dropped() {
        #expect(run([packet(0, data: [1]), packet(40)]).privateData == [1])
        #expect(run([packet(0, key: false, data: [1]), packet(40), packet(80)]).privateData == [1])
    }

    @Test("the data of the random access point itself comes before that of dropped packets")
    func own() {
        let found = run([packet(0, data: [1]), packet(40, data: [2])])
        #expect(found.privateData == nil && found.entries.first?.packet.newPrivateData == [2])
    }

    @Test("data of packets of another format is for another decoder")
    func format() {
        #expect(run([packet(0, data: [1]), packet(40, format: 2)]).privateData == nil)
        #expect(
            run([packet(0, data: [1]), packet(20, data: [2], format: 2), packet(40, format: 2)]).privateData == [2]
        )
    }
}
