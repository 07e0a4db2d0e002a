// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineTestKit
import Testing

@testable import Decoding

@Suite("Falling back from a device to the processor")
struct DecoderFallbackTests {
    private func backends(
        _ devices: [FakeDecoder?] = [],
        processor: FakeDecoder? = FakeDecoder()
    ) -> DecoderBackends<FakeDecoder> {
        let kinds = Array(HardwareDevice.Kind.allCases.prefix(devices.count))
        return DecoderBackends(
            kinds: kinds,
            device: { (kind) throws(FFmpegError) -> FakeDecoder in
                guard let decoder = kinds.firstIndex(of: kind).flatMap({ devices[$0] }) else {
                    throw FFmpegError(-1, in: "open")
                }
                return decoder
            },
            processor: { () throws(FFmpegError) -> FakeDecoder in
                guard let processor else { throw FFmpegError(-1, in: "open") }
                return processor
            }
        )
    }

    /// Sends the packets one by one and receives frames after each, then drains.
    private func decode(
        _ packets: [Packet],
        _ decoder: inout FallbackDecoder<FakeDecoder>,
        _ step: FrameDropPolicy.Step = .everything
    ) throws -> [Int64] {
        var times: [Int64] = []
        for packet in packets {
            try decoder.send(packet, step, privateData: nil)
            try receive(&decoder, &times)
        }
        try decoder.drain()
        try receive(&decoder, &times)
        return times
    }

    private func choice(_ backends: DecoderBackends<FakeDecoder>) throws -> DecoderChoice {
        try FallbackDecoder.open(backends).choice
    }

    private func receive(_ decoder: inout FallbackDecoder<FakeDecoder>, _ times: inout [Int64]) throws {
        while case .frame(let frame) = try decoder.receive() { times.append(frame.pts ?? -1) }
    }

    @Test("the processor decodes if there is no device")
    func processor() throws {
        var decoder = try FallbackDecoder.open(backends())
        let times = try decode(PacketScript().packets("K0 2 1 K3 5 4"), &decoder)
        #expect(times == Array(0..<6))
        let choice = decoder.choice
        #expect(choice == DecoderChoice([]))
    }

    @Test("the first device that opens decodes; if none opens, the processor decodes or its error is thrown")
    func opening() throws {
        let second = try choice(backends([nil, FakeDecoder()]))
        #expect(second.backend == .device(HardwareDevice.Kind.allCases[1]))
        #expect(second.reasons.count == 1)
        let none = try choice(backends([nil, nil]))
        #expect(none.backend == .processor)
        #expect(none.reasons.count == 2)
        #expect(throws: FFmpegError.self) { try choice(backends([nil], processor: nil)) }
    }

    @Test(
        "wherever a device fails, no frame is missing and none is shown twice",
        arguments: (0...9).flatMap { [FakeDecoder.Fault.refuses(from: $0), .breaks(after: $0 + 1)] },
        [1, 2]
    )
    func failing(fault: FakeDecoder.Fault, depth: Int) throws {
        let device = FakeDecoder(reorderDepth: depth, fault)
        var decoder = try FallbackDecoder.open(backends([device], processor: FakeDecoder(reorderDepth: 2)))
        let packets = PacketScript().packets("K0 2 1 K3 5 4 K6 8 7 K9")
        let times = try decode(packets, &decoder)
        #expect(times == Array(0..<10))
        let backend = decoder.choice.backend
        #expect(backend == .processor)
    }

    @Test("a device that outputs nothing for more than 100 packets has failed, unless frames are skipped on purpose")
    func silence() throws {
        let line = "K0 " + (1..<150).map(String.init).joined(separator: " ")
        let packets = PacketScript().packets(line)
        var decoder = try FallbackDecoder.open(backends([FakeDecoder(.isSilent)]))
        var times: [Int64] = []
        for packet in packets.prefix(100) { try decoder.send(packet, .everything, privateData: nil) }
        try receive(&decoder, &times)
        var backend = decoder.choice.backend
        #expect(backend != .processor)
        try decoder.send(packets[100], .everything, privateData: nil)
        try receive(&decoder, &times)
        backend = decoder.choice.backend
        #expect(backend == .processor)
        #expect(times == Array(0..<100))
        var leaving = try FallbackDecoder.open(backends([FakeDecoder(.isSilent)]))
        for packet in packets { try leaving.send(packet, .keyframes, privateData: nil) }
        try receive(&leaving, &times)
        backend = leaving.choice.backend
        #expect(backend != .processor)
    }

    @Test("a device that has output nothing by the end of the source has failed")
    func silentEnd() throws {
        var decoder = try FallbackDecoder.open(backends([FakeDecoder(.isSilent)]))
        let times = try decode(PacketScript().packets("K0 2 1"), &decoder)
        #expect(times == [0, 1, 2])
        let backend = decoder.choice.backend
        #expect(backend == .processor)
    }

    @Test("after a flush, neither decoder outputs a frame of an earlier packet", arguments: [2, 9])
    func flush(failing: Int) throws {
        var decoder = try FallbackDecoder.open(backends([FakeDecoder(reorderDepth: 2, .refuses(from: failing))]))
        for packet in PacketScript().packets("K0 2 1 3") { try decoder.send(packet, .everything, privateData: nil) }
        decoder.flush()
        let times = try decode(PacketScript().packets("K7 9 8"), &decoder)
        #expect(times == [7, 8, 9])
    }
}
