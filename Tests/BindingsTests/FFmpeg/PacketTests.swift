// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

@Suite("Packets")
struct PacketTests {
    private func bytes(_ packet: Packet) -> [UInt8] { packet.withBytes { span in span.indices.map { span[$0] } } }

    @Test("A new packet has exactly the given properties")
    func made() {
        let packet = Packet(
            [1, 2, 3],
            stream: 4,
            pts: 90,
            dts: -3,
            duration: 40,
            flags: [.key, .discarded],
            position: 1000,
            pictureOrder: 7,
            newPrivateData: [9],
            palette: [5, 6]
        )
        #expect(bytes(packet) == [1, 2, 3])
        #expect(packet.streamIndex == 4)
        #expect(packet.pts == 90)
        #expect(packet.dts == -3)
        #expect(packet.duration == 40)
        #expect(packet.isKey && packet.isDiscarded && !packet.isCorrupt)
        #expect(packet.position == 1000)
        #expect(packet.pictureOrder == 7)
        #expect(packet.newPrivateData == [9])
        #expect(packet.palette == [5, 6])
        let bare = Packet([], stream: 0)
        #expect(bare.byteCount == 0 && bytes(bare).isEmpty)
        #expect(bare.pts == nil && bare.dts == nil && bare.duration == 0)
        #expect(!bare.isKey && bare.position == nil && bare.palette == nil)
    }

    @Test("A copy with another payload keeps all other properties; a move shifts both times and wraps on overflow")
    func copies() {
        let packet = Packet([1], stream: 2, pts: 10, dts: 8, duration: 4, flags: .key, palette: [5])
        let other = packet.carrying([7, 8], lasting: 6)
        #expect(bytes(other) == [7, 8] && bytes(packet) == [1])
        #expect((other.pts, other.dts) == (10, 8))
        #expect(other.duration == 6 && other.isKey && other.streamIndex == 2 && other.palette == [5])
        #expect(packet.carrying([]).duration == 4)
        let moved = packet.moved(by: -9)
        #expect((moved.pts, moved.dts) == (1, -1))
        #expect(Packet([], stream: 0, pts: .max).moved(by: 2).pts == .min + 1)
        #expect(Packet([], stream: 0, dts: 1).moved(by: 2).pts == nil)
        #expect(Packet([], stream: 0, dts: 1).presented(at: 3).pts == 3)
        #expect(packet.painted([6]).palette == [6])
    }

    @Test("A script lists frames in decoding order; decode times never exceed presentation times")
    func script() {
        let packets = PacketScript(stream: 1, frame: 40).packets("K0 3 X1 2 K4", from: 100)
        #expect(packets.map(\.pts) == [0, 120, 40, 80, 160])
        #expect(packets.map(\.dts) == [-40, 0, 40, 80, 120])
        #expect(packets.map(\.isKey) == [true, false, false, false, true])
        #expect(packets.map(\.isCorrupt) == [false, false, true, false, false])
        #expect(packets.map(\.position) == [100, 104, 108, 112, 116])
    }
}

/// Opens stores on a thread that may block.
private actor StoreReader {
    private let executor = ThreadExecutor(name: "test-store")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// The number of packets in the store, and the error that ended reading, if any.
    func read(_ store: ScriptedByteStore, _ interrupt: InterruptFlag = InterruptFlag()) throws -> (Int, EngineError?) {
        var context = try FormatContext.open(store: store, for: .reading, interrupt: interrupt)
        try context.allowSeeks()
        var count = 0
        do throws(FFmpegError) {
            while try context.readPacket() != nil { count += 1 }
        } catch {
            return (count, error.source)
        }
        return (count, nil)
    }

    /// The stream, the time and the size of each packet, after the streams were identified.
    func timedPackets(_ store: ScriptedByteStore) throws -> [[Int64?]] {
        var context = try FormatContext.open(store: store, for: .reading, interrupt: InterruptFlag())
        try context.findStreamInfo()
        try context.allowSeeks()
        var found: [[Int64?]] = []
        while let packet = try context.readPacket() {
            found.append([Int64(packet.streamIndex), packet.pts, Int64(packet.byteCount)])
        }
        return found
    }
}

@Suite("Reading from a scripted store", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct ScriptedByteStoreTests {
    private static func film() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: try Clip.matroska.path())))
    }

    @Test("Short reads give the same packets as whole ones")
    func shortReads() async throws {
        let film = try Self.film()
        let whole = try await StoreReader().read(ScriptedByteStore(film))
        let short = try await StoreReader().read(ScriptedByteStore(film) { _ in .atMost(777) })
        #expect(whole.0 > 300)
        #expect(short.0 == whole.0)
        #expect(whole.1 == nil && short.1 == nil)
    }

    @Test("Packets of a growing source have the times of the complete source, even those read to identify the streams")
    func growing() async throws {
        let film = [UInt8](try Data(contentsOf: URL(filePath: try Clip.lowRate.path())))
        let whole = try await StoreReader().timedPackets(ScriptedByteStore(film))
        #expect(whole.count > 500 && whole.allSatisfy { $0[1] != nil })
        #expect(try await StoreReader().timedPackets(ScriptedByteStore(film, growingAnswers: .max)) == whole)
    }

    @Test("All fragments are read of a source that ends while it is being opened", arguments: [0, 1, 2, 3, .max])
    func ending(growingAnswers: Int) async throws {
        let fragments = (0..<4).map { number in
            [
                FragmentedMovieBytes.Run(
                    track: 1,
                    at: Int64(number) * 80,
                    [.init([1], lasting: 40), .init([2], lasting: 40)]
                )
            ]
        }
        let store = ScriptedByteStore(FragmentedMovieBytes(fragments).bytes, growingAnswers: growingAnswers)
        #expect(try await StoreReader().read(store).0 == 8)
    }

    @Test("A read that fails ends reading with the store's own error")
    func failure() async throws {
        let film = try Self.film()
        let failure = EngineError(.sourceReadFailed, "test")
        let read = try await StoreReader().read(
            ScriptedByteStore(film) { $0.lowerBound > 100_000 ? .failure(failure) : .whole }
        )
        #expect(read.0 > 10)
        #expect(read.1 == failure)
    }

    @Test("An interruption during a stalled read ends reading as soon as that read returns")
    func stall() async throws {
        let film = try Self.film()
        let gate = Gate()
        let interrupt = InterruptFlag()
        let store = ScriptedByteStore(film) { $0.lowerBound > 20_000 ? .after(gate) : .atMost(4096) }
        async let packets = StoreReader().read(store, interrupt).0
        await gate.arrival()
        interrupt.raise()
        gate.open()
        let count = try await packets
        let requests = store.requests.withLock { $0 }
        #expect(count < 300)
        #expect(requests.last.map { $0.upperBound < Int64(film.count) } == true)
    }
}
