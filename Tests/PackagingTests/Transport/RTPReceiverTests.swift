// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("A transport stream in RTP")
struct RTPReceiverTests {
    /// An RTP packet whose payload contains its number.
    ///
    /// - Parameter time: in ticks of 90 kHz.
    private func packet(
        _ number: Int,
        at time: UInt32 = 0,
        sender: UInt8 = 1,
        head: [UInt8] = [0x80],
        extra: [UInt8] = []
    ) -> [UInt8] {
        let time = stride(from: 24, through: 0, by: -8).map { UInt8(time >> UInt32($0) & 255) }
        return head + [33, UInt8(number >> 8 & 255), UInt8(number & 255)] + time + [0, 0, 0, sender] + extra
            + payload(number, sender)
    }

    private func payload(_ number: Int, _ sender: UInt8 = 1) -> [UInt8] {
        [0x47, sender, UInt8(number >> 8 & 255), UInt8(number & 255)] + [UInt8](repeating: 0, count: 184)
    }

    private func received(_ packets: [[UInt8]], by receiver: inout RTPReceiver) -> [Int] {
        let bytes = packets.flatMap { receiver.take($0) }
        return stride(from: 0, to: bytes.count, by: 188).map { Int(bytes[$0 + 2]) << 8 | Int(bytes[$0 + 3]) }
    }

    @Test(
        "Packets are reordered, and duplicates are dropped",
        arguments: [
            [5, 6, 7], [5, 7, 6, 8], [5, 5, 6, 6, 7], [5, 8, 7, 6, 6, 9], [65_534, 0, 65_535, 1],
        ]
    )
    func order(numbers: [Int]) {
        var receiver = RTPReceiver()
        let found = received(numbers.map { packet($0) }, by: &receiver)
        var expected: [Int] = []
        for number in 0..<Set(numbers).count { expected.append((numbers[0] + number) & 65_535) }
        #expect(found == expected)
        #expect(receiver.counts.lost == 0 && Int(receiver.counts.repeated) == numbers.count - Set(numbers).count)
    }

    @Test("A missing packet is given up once enough later packets have arrived")
    func loss() {
        var receiver = RTPReceiver()
        let numbers = [1] + Array(3..<3 + RTPReceiver.depth)
        #expect(received(numbers.dropLast().map { packet($0) }, by: &receiver) == [1])
        #expect(received([packet(numbers[numbers.count - 1])], by: &receiver) == Array(numbers.dropFirst()))
        #expect(receiver.counts.lost == 1)
        // Now the missing packet is too late.
        #expect(received([packet(2)], by: &receiver).isEmpty && receiver.counts.repeated == 1)
    }

    @Test(
        "In a slow stream, a missing packet is given up by time",
        arguments: [UInt32(0), UInt32.max - 3 * 9000]
    )
    func slowLoss(start: UInt32) {
        var receiver = RTPReceiver()
        func packets(_ numbers: ClosedRange<Int>) -> [[UInt8]] {
            numbers.map { packet($0, at: start &+ UInt32($0) * 9000) }
        }
        // Ten packets a second: half a second after packet 3, packet 2 may still arrive.
        #expect(received(packets(1...1) + packets(3...8), by: &receiver) == [1])
        #expect(received(packets(9...9), by: &receiver) == [3, 4, 5, 6, 7, 8, 9])
        #expect(receiver.counts.lost == 1)
        #expect(received(packets(11...12) + packets(10...10), by: &receiver) == [10, 11, 12])
        #expect(receiver.counts.lost == 1 && receiver.counts.repeated == 0)
    }

    @Test("The packets of a restarted sender are returned at once, after those held back before")
    func restart() {
        var receiver = RTPReceiver()
        #expect(received([packet(1), packet(3)], by: &receiver) == [1])
        #expect(received([packet(40_000)], by: &receiver) == [3, 40_000])
        #expect(received([packet(7, sender: 2)], by: &receiver) == [7])
    }

    @Test("Header extensions, contributing sources and padding are skipped; other datagrams are counted")
    func headers() {
        var receiver = RTPReceiver()
        let contributors = packet(1, head: [0x82], extra: [UInt8](repeating: 9, count: 8))
        let extended = packet(2, head: [0x90], extra: [0xBE, 0xDE, 0, 1, 9, 9, 9, 9])
        let padded = packet(3, head: [0xA0]) + [0, 0, 3]
        #expect(received([contributors, extended, padded], by: &receiver) == [1, 2, 3])
        let repair: [UInt8] = [0x80, 96, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3]
        for other in [repair, [], [0x80], payload(9), packet(4, head: [0x9F])] {
            #expect(receiver.take(other).isEmpty)
        }
        #expect(receiver.counts.foreign == 5)
        var lenient = RTPReceiver(takesOthers: true)
        #expect(lenient.take(payload(9)) == payload(9))
        #expect(received([packet(5)], by: &lenient) == [5])
    }
}
