// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineTestKit
import Foundation
import Testing

@testable import Transfers

private let mib: Int64 = 1 << 20

@Suite("Bytes of a live stream that leave memory", .timeLimit(.minutes(5)))
struct StreamSpoolTests {
    /// Repeats after a prime number of bytes, so that no block is like another.
    private static let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }

    /// The bytes of the stream in a range.
    private static func bytes(_ range: Range<Int64>) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            let place = Int((range.lowerBound + Int64(bytes.count)) % Int64(pattern.count))
            bytes += pattern[place..<min(pattern.count, place + range.count - bytes.count)]
        }
        return bytes
    }

    private static func read(_ file: SpoolFile, at offset: Int64, _ count: Int) throws -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](upTo: count) { output in
            do throws(Errno) { _ = try file.read(at: offset, into: &output) } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func spooled(_ spool: StreamSpool, at offset: Int64) -> [UInt8] {
        [UInt8](upTo: 1000) { output in _ = spool.read(at: offset, into: &output) }
    }

    @Test("A ring keeps its newest bytes, wherever they begin, up to its limit")
    func ring() throws {
        let folder = try TemporaryDirectory()
        let file = try SpoolFile(in: "\(folder.path)/a/b", byteLimit: 3 * mib)
        var end: Int64 = 77
        for _ in 0..<12 {
            let next = end + 700_001
            try file.append(Self.bytes(end..<next), at: end)
            end = next
            #expect(file.held == max(77, end - 3 * mib)..<end)
            for place in stride(from: file.held.lowerBound, to: end, by: 599_999) {
                let found = try Self.read(file, at: place, 1000)
                #expect(!found.isEmpty && found == Self.bytes(place..<place + Int64(found.count)))
            }
            let gone = try Self.read(file, at: file.held.lowerBound - 1, 10)
            let later = try Self.read(file, at: end, 10)
            #expect(gone.isEmpty && later.isEmpty)
        }
        #expect(try file.allocatedByteCount() <= 3 * mib + 65_536)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/a/b").isEmpty, "it has no name")
        // After a gap, all earlier bytes are dropped.
        try file.append(Self.bytes(50_000_000..<50_000_100), at: 50_000_000)
        #expect(file.held == 50_000_000..<50_000_100)
    }

    @Test("Dropped bytes free their space in the file system")
    func dropping() throws {
        let folder = try TemporaryDirectory()
        let file = try SpoolFile(in: folder.path, byteLimit: 32 * mib)
        for index in Int64(0)..<40 {
            try file.append([UInt8](repeating: UInt8(index), count: Int(mib)), at: index * mib)
        }
        #expect(try file.allocatedByteCount() >= 32 * mib)
        file.drop(before: 36 * mib)
        #expect(file.held == 36 * mib..<40 * mib)
        #expect(try file.allocatedByteCount() <= 8 * mib)
        #expect(try Self.read(file, at: 37 * mib - 1, 1000) == [36] + [UInt8](repeating: 37, count: 999))
    }

    @Test("A stream goes to disk when half of the memory is full, and is whole from its oldest byte on")
    func spilling() async throws {
        let folder = try TemporaryDirectory()
        let memory = RangeCache(byteLimit: Int(8 * mib), eviction: .first(after: mib))
        let source = memory.makeSource()
        let settings = SpoolSettings(directory: folder.path, byteLimit: 8 * mib)
        let spool = StreamSpool(settings, of: source, in: memory, after: mib)
        for start in stride(from: Int64(0), to: 24 * mib, by: 65_536) {
            let bytes = Self.bytes(start..<start + 65_536)
            bytes.lend { memory.write($0, at: start, of: source) }
            spool.received(to: start + 65_536)
            if start < 4 * mib { #expect(spool.held.isEmpty) }
            // Lets the disk keep up with the stream.
            if start % mib == 0 { try await eventually { start - spool.held.upperBound <= 5 * mib || start < 6 * mib } }
        }
        try await eventually {
            let held = spool.held
            return held.upperBound >= 21 * mib && held.upperBound - held.lowerBound == 8 * mib
        }
        #expect(spool.problem == nil)
        var held = memory.held(source)
        held.insert(spool.held)
        #expect(held.contains(spool.held.lowerBound..<24 * mib) && held.contains(0..<mib))
        #expect(Self.spooled(spool, at: 16 * mib) == Self.bytes(16 * mib..<16 * mib + 1000))
        spool.drop(before: 18 * mib)
        try await eventually { spool.held.lowerBound == 18 * mib }
        #expect(Self.spooled(spool, at: 17 * mib).isEmpty)
    }

    @Test("If the disk cannot be written, bytes that leave memory are lost, and the reason is reported")
    func noDisk() async throws {
        let memory = RangeCache(byteLimit: Int(8 * mib), eviction: .first(after: mib))
        let source = memory.makeSource()
        let spool = StreamSpool(
            .init(directory: "/proc/none", byteLimit: 16 * mib),
            of: source,
            in: memory,
            after: mib
        )
        for start in stride(from: Int64(0), to: 12 * mib, by: Int(mib)) {
            Self.bytes(start..<start + mib).lend { memory.write($0, at: start, of: source) }
            spool.received(to: start + mib)
        }
        try await eventually { spool.problem != nil }
        #expect(spool.held.isEmpty && spool.problem?.contains("mkdir") == true)
    }
}
