// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
@testable import Reading
import Testing

/// What is read from a disc with blocks that cannot be read.
struct ZeroFilledSourceTests {
    private static let block: Int64 = 16
    private static let bytes = (1...100).map { UInt8($0) }
    private static let failure = EngineError(.sourceReadFailed, "reading failed", cause: "EIO")

    /// A source of which these blocks fail `times` times, or always.
    private static func scratched(_ blocks: Set<Int64>, times: Int = .max) -> ScriptedSource {
        let failures = Locked<[Int64: Int]>([:])
        return ScriptedSource(bytes) { range in
            for block in blocks where range.overlaps(block * Self.block..<(block + 1) * Self.block) {
                let count = failures.withLock { failures in
                    failures[block, default: 0] += 1
                    return failures[block, default: 0]
                }
                if count <= times { return .failure(failure) }
            }
            return .whole
        }
    }

    private static func expected(_ lost: Set<Int64>) -> [UInt8] {
        bytes.enumerated().map { lost.contains(Int64($0.offset) / block) ? 0 : $0.element }
    }

    private static func filled(_ source: ScriptedSource, _ losses: SourceLosses = SourceLosses()) -> ZeroFilledSource {
        ZeroFilledSource(source, blockByteCount: block, losses: losses)
    }

    @Test(arguments: [[], [0], [2, 3], [1, 4, 6]], [1, 5, 16, 40, 100])
    func lostBlocksAreZeros(lost: [Int64], step: Int) throws {
        let losses = SourceLosses()
        let source = Self.filled(Self.scratched(Set(lost)), losses)
        let cursor = source.cursor(InterruptFlag())
        var found: [UInt8] = []
        while found.count < Self.bytes.count { found += try cursor.read(at: Int64(found.count), count: step) }
        #expect(found == Self.expected(Set(lost)))
        #expect(losses.count == lost.count)
        #expect(try cursor.read(at: 100, count: 10).isEmpty)
    }

    @Test
    func failureThatPassesLosesNothing() throws {
        let losses = SourceLosses()
        let source = Self.filled(Self.scratched([1], times: 1), losses)
        #expect(try source.cursor(InterruptFlag()).read(at: 0, count: 100) == Self.bytes)
        #expect(losses.count == 0)
    }

    @Test
    func lostBlockIsNotReadAgain() throws {
        let original = Self.scratched([2])
        let source = Self.filled(original)
        _ = try source.cursor(InterruptFlag()).read(at: 0, count: 100)
        let before = original.requests.withLock(\.count)
        // Another reader of the same source.
        let bytes = try source.cursor(InterruptFlag()).read(at: 2 * Self.block, count: Int(Self.block))
        #expect(bytes == [UInt8](repeating: 0, count: Int(Self.block)))
        #expect(original.requests.withLock(\.count) == before)
    }

    @Test
    func mediumThatIsGoneEndsReading() throws {
        let original = ScriptedSource([UInt8](repeating: 1, count: 16 * 300)) { _ in .failure(Self.failure) }
        let losses = SourceLosses()
        let error = #expect(throws: EngineError.self) {
            _ = try Self.filled(original, losses).cursor(InterruptFlag()).read(at: 0, count: 16 * 300)
        }
        #expect(error == Self.failure && losses.count == 256)
    }

    @Test
    func otherFailuresAreThrown() throws {
        let changed = EngineError(.sourceChanged, "the disc was changed")
        let source = Self.filled(ScriptedSource(Self.bytes) { _ in .failure(changed) })
        let error = #expect(throws: EngineError.self) { _ = try source.cursor(InterruptFlag()).read(at: 0, count: 1) }
        #expect(error == changed)
    }

    @Test
    func lossesAreReportedOnce() async throws {
        let losses = SourceLosses()
        var reports = losses.stream().makeAsyncIterator()
        let source = Self.filled(Self.scratched([3]), losses)
        for _ in 0..<2 { _ = try source.cursor(InterruptFlag()).read(at: 0, count: 100) }
        #expect(await reports.next() == 1)
        #expect(losses.count == 1)
    }

    @Test
    func onlyLocalSourcesAreFilled() throws {
        for isRemote in [false, true] {
            let source = ScriptedSource(Self.bytes, isRemote: isRemote)
            let file = source.file.zeroFilled(blockByteCount: Self.block, losses: SourceLosses())
            #expect((file.pieces[0].source === source) == isRemote)
            #expect(file.pieces.map(\.range) == [0..<100])
        }
    }
}
