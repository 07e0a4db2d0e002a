// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Transfers

@Suite("Streams that are pushed", .timeLimit(.minutes(5)))
struct FeedSourceTests {
    /// A live stream that is passed on as it is.
    private struct Plain: StreamIntake {
        private(set) var reception = StreamReception()
        let canContinue = true
        private var isRequired = false

        /// Makes the stream end before the next byte 255.
        mutating func require(stream: Int) { isRequired = true }

        mutating func take(_ bytes: [UInt8]) -> [UInt8] {
            guard isRequired, let end = bytes.firstIndex(of: 255) else { return bytes }
            reception.isReplaced = true
            return Array(bytes[..<end])
        }

        mutating func disconnected() -> [UInt8] { [] }
    }

    private static let pieceByteCount = 1316

    /// A source that reads a pipe of its own in `folder`, and its path.
    private static func pipe(in folder: TemporaryDirectory) throws -> (source: FeedSource, path: String) {
        let path = "\(folder.path)/pipe"
        let made = unsafe mkfifo(path, 0o600)
        try #require(made == 0)
        let source = FeedSource(
            path,
            try .pipe(at: path),
            canWait: true,
            windowByteLimit: 4 << 20,
            intake: { Plain() }
        )
        return (source, path)
    }

    // A piece may be stored between two checks of a reader that waits for it, and must not count as lost.
    @Test("A reader at the newest byte gets every byte, however small the pieces are in which they arrive")
    func newest() async throws {
        let folder = try TemporaryDirectory()
        let (source, path) = try Self.pipe(in: folder)
        let writer = try #require(FileHandle(forWritingAtPath: path))
        let count = 30_000
        async let sent = Blocking().run { () -> Bool in
            for number in 0..<count {
                let piece = Data(repeating: UInt8(truncatingIfNeeded: number), count: Self.pieceByteCount)
                do { try writer.write(contentsOf: piece) } catch { return false }
            }
            do { try writer.close() } catch { return false }
            return true
        }
        let found = await Blocking().run { () -> (end: Int, failure: EngineError?) in
            let cursor = source.cursor(InterruptFlag())
            var end = 0
            while true {
                do throws(EngineError) {
                    let bytes = try [UInt8](upTo: 64 << 10) { output throws(EngineError) in
                        _ = try cursor.read(at: Int64(end), into: &output)
                    }
                    guard let first = bytes.first else { return (end, nil) }
                    #expect(first == UInt8(truncatingIfNeeded: end / Self.pieceByteCount))
                    end += bytes.count
                } catch {
                    return (end, error)
                }
            }
        }
        #expect(found.failure == nil && found.end == count * Self.pieceByteCount)
        #expect(await sent)
    }

    @Test("A stream whose video has another codec ends there, although its sender goes on")
    func codecChange() async throws {
        let folder = try TemporaryDirectory()
        let (source, path) = try Self.pipe(in: folder)
        source.require(stream: 0x100)
        let writer = try #require(FileHandle(forWritingAtPath: path))
        try writer.write(contentsOf: Data([1, 2, 3, 255, 4]))
        let found = await Blocking().run { () -> [UInt8] in
            let cursor = source.cursor(InterruptFlag())
            var found: [UInt8] = []
            do throws(EngineError) {
                while true {
                    let bytes = try [UInt8](upTo: 100) { output throws(EngineError) in
                        _ = try cursor.read(at: Int64(found.count), into: &output)
                    }
                    guard !bytes.isEmpty else { return found }
                    found += bytes
                }
            } catch {
                return []
            }
        }
        #expect(found == [1, 2, 3] && source.growth == nil && source.reception.hasEnded)
        try writer.close()
    }
}
