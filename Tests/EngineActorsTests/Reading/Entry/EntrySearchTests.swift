// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Reading

@Suite("The search for an entry from which to read a picture", .timeLimit(.minutes(10)))
struct EntrySearchTests {
    /// A search in a source that can be entered only near a time, not exactly.
    private func search(_ first: EntrySearch.Entry) -> EntrySearch {
        EntrySearch(first: first, earliest: 0, statedEnd: nil, timeBase: TimeBase(1, 90_000), hasIndex: false)
    }

    /// A run in which nothing was found.
    private let empty = PictureRun(target: 0, reorderLimit: 0, keepsAll: false)

    @Test("failed entries are followed by earlier and earlier ones, and finally by the start")
    func everEarlier() {
        var search = search(.time(100 * 90_000))
        var entries: [EntrySearch.Entry] = []
        while let entry = search.next() {
            entries.append(entry)
            search.failed(empty)
        }
        let seconds: [Int64] = [100, 99, 95, 79, 15]
        let expected: [EntrySearch.Entry] = seconds.map { .time($0 * 90_000) } + [.start]
        #expect(entries == expected)
    }

    @Test("after an entry far past the stated end, entries before that end are tried")
    func statedEnd() {
        let ticks: Int64 = 90_000
        var search = EntrySearch(
            first: .time(1 << 50),
            earliest: 0,
            statedEnd: 60 * ticks,
            timeBase: TimeBase(1, ticks),
            hasIndex: false
        )
        var entries: [EntrySearch.Entry?] = []
        for _ in 0..<3 {
            entries.append(search.next())
            search.failed(empty)
        }
        #expect(entries == [.time(1 << 50), .time(59 * ticks), .time(55 * ticks)])
    }

    @Test("even for a time far past the end, the start is tried again for an earlier random access point")
    func farBehindTheEnd() async throws {
        let found = try await TestPacket.shared.run()
        var search = search(.time(1 << 60))
        while let entry = search.next(), entry != .start { search.failed(empty) }
        for _ in 1..<10 {
            search.failed(found)
            #expect(search.next() == .start)
        }
        search.failed(found)
        #expect(search.next() == nil)
    }
}

/// Reads a packet on a thread that may block.
private actor TestPacket {
    static let shared = TestPacket()
    private let executor = ThreadExecutor(name: "test-packet")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// A run that begins with a random access point.
    func run() throws -> PictureRun {
        var context = try FormatContext.open(
            RegularFile(path: try Clip.matroska.path()),
            for: .reading,
            interrupt: InterruptFlag()
        )
        try context.findStreamInfo()
        var run = PictureRun(target: .max, reorderLimit: 0, keepsAll: false)
        while run.key == nil {
            let packet = try #require(try context.readPacket())
            _ = run.add(PictureRun.Entry(packet: packet, time: 0))
        }
        return run
    }
}
