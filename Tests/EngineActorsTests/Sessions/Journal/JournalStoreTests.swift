// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Foundation
import Testing

@testable import Sessions

/// A directory of a journal, and what has been written to it.
private struct Folder: ~Copyable {
    /// In memory if possible: these tests do not measure the disk.
    let url = URL(
        filePath: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    )
    .appending(path: "engine-journal-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    subscript(name: String) -> [UInt8]? {
        get { (try? Data(contentsOf: url.appending(path: name))).map { Array($0) } }
    }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url.appending(path: name)) }

    func store() -> JournalStore { JournalStore(directory: url.path, isSynced: false) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}

@Suite("The journal's database", .timeLimit(.minutes(10)))
struct JournalStoreTests {
    private static let files = ["sessions.db", "sessions.db-wal", "sessions.players"]

    private func record(_ id: Int, seconds: Double = 0) -> SessionRecord {
        var record = SessionRecord(
            id: SessionID(rawValue: "\(id)"),
            token: String(repeating: "\(id % 10)", count: 40),
            request: LoadRequest(source: "/films/\(id).mkv")
        )
        record.position = .seconds(seconds)
        return record
    }

    private func settle(_ records: [SessionRecord], _ queue: Locked<JournalQueue>, in store: JournalStore) async {
        let number = queue.withLock { queue in
            records.compactMap { queue.note($0, stamp: UInt64($0.position.microseconds)) }.last
        }
        #expect(await store.settle(number ?? 0, of: queue) == nil)
    }

    private func queue(_ records: [SessionRecord]) -> Locked<JournalQueue> {
        let queue = Locked(JournalQueue())
        for record in records { queue.withLock { $0.begin(record.id, token: record.token, nil) } }
        return queue
    }

    @Test("Gives the next process every session in its order, and the port")
    func roundTrip() async throws {
        let folder = try Folder()
        let copy = try Folder()
        let store = folder.store()
        #expect(try await store.open().rows.isEmpty)
        let records = [5, 1, 3].map { record($0) }
        let queue = queue(records)
        await settle(records, queue, in: store)
        let last = queue.withLock { queue in
            _ = queue.note(httpPort: 8080)
            return queue.end(records[1].id, token: records[1].token)
        }
        #expect(await store.settle(try #require(last), of: queue) == nil)
        for name in Self.files { if let bytes = folder[name] { try copy.write(bytes, to: name) } }
        let left = try await copy.store().open()
        #expect(left.rows.map(\.record) == [records[0], records[2]] && left.httpPort == 8080 && left.losses.isEmpty)
        await #expect(throws: EngineError.self) { _ = try await folder.store().open() }
    }

    @Test("Is readable wherever its log is cut, and a longer log never gives an older state")
    func everyPrefix() async throws {
        let folder = try Folder()
        let store = folder.store()
        _ = try await store.open()
        let queue = queue((0..<3).map { record($0) })
        for change in 1...12 { await settle([record(change % 3, seconds: Double(change))], queue, in: store) }
        let (database, log) = (try #require(folder["sessions.db"]), try #require(folder["sessions.db-wal"]))
        #expect(log.count > 12 * 4096, "every commit is in the log")
        var (newest, states) = (0.0, Set<Double>())
        for length in Array(stride(from: 0, to: log.count, by: 1021)) + [log.count] {
            let copy = try Folder()
            try copy.write(database, to: "sessions.db")
            try copy.write(Array(log.prefix(length)), to: "sessions.db-wal")
            let left = try await copy.store().open()
            #expect(left.losses.isEmpty)
            let positions = left.rows.map { Double($0.record.position.microseconds) / 1e6 }
            let last = positions.max() ?? 0
            #expect(last >= newest, "\(length) bytes")
            // The state after a prefix of the commits: no row is more than two commits older than the latest.
            #expect(positions.allSatisfy { $0 > last - 3 })
            newest = last
            states.insert(last)
        }
        #expect(states == Set((0...12).map(Double.init)))
    }

    @Test("Damaged at 1,000 random positions, returns only written sessions, reports losses, and stays writable")
    func damage() async throws {
        let folder = try Folder()
        var store: JournalStore? = folder.store()
        _ = try await store?.open()
        let rounds = (0..<3).map { round in (0..<10).map { record($0, seconds: Double($0 + 100 * round)) } }
        let records = rounds[0]
        let queue = queue(records)
        for record in rounds.joined() { await settle([record], queue, in: try #require(store)) }
        let slots = try PlayerSlots(path: folder.url.appending(path: "sessions.players").path)
        try slots.adopt()
        let taken = records.map { slots.take($0.token) }
        for (slot, record) in zip(taken, records) { slot?.write(PlayerRecord(record), stamp: 1 << 40) }
        let running = Self.files.map { folder[$0] ?? [] }
        // Closing moves the log into the file.
        store = nil
        while folder["sessions.db-wal"] != nil { await Task.yield() }
        let closed = Self.files.map { folder[$0] ?? [] }
        var generator = SplitMix(seed: 20_261_123)
        var lossCount = 0
        for _ in 0..<1000 {
            let file = Int.random(in: 0..<3, using: &generator)
            var files = file == 1 ? running : closed
            let kind = Int.random(in: 0..<8, using: &generator)
            let isCut = kind == 0
            let place = Int.random(in: 0..<files[file].count, using: &generator)
            if isCut {
                files[file].removeSubrange(place...)
            } else if kind == 1 {
                let bytes = (0..<Int.random(in: 1...64, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }
                files[file].insert(contentsOf: bytes, at: place)
            } else {
                for byte in place..<min(place + Int.random(in: 1...64, using: &generator), files[file].count) {
                    files[file][byte] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            let copy = try Folder()
            for (name, bytes) in zip(Self.files, files) { try copy.write(bytes, to: name) }
            let store = copy.store()
            let left = try await store.open()
            for row in left.rows {
                #expect(rounds.contains { $0.contains(row.record) }, "file \(file), byte \(place)")
            }
            if !left.losses.isEmpty { lossCount += 1 }
            // A killed process may leave a log that is cut off, which is not a loss. Damaged slots cost only positions.
            let isComplete =
                switch file {
                case 1: left.rows.map(\.record) == rounds[2] || isCut
                default: left.rows.count == records.count
                }
            #expect(isComplete || !left.losses.isEmpty, "file \(file), byte \(place)")
            let again = self.queue([record(99)])
            await settle([record(99)], again, in: store)
        }
        #expect(lossCount > 50)
    }

    @Test(
        "A whole frame that is invalid is damage, and bytes too many or too few; the cut end of a log and the rest of an older one are not"
    )
    func log() async throws {
        let folder = try Folder()
        let store = folder.store()
        _ = try await store.open()
        let queue = queue([record(1)])
        for change in 1...3 { await settle([record(1, seconds: Double(change))], queue, in: store) }
        let log = try #require(folder["sessions.db-wal"])
        let frame = 24 + 4096
        let count = (log.count - 32) / frame
        #expect(LogCheck.damagedPosition(in: log) == nil && count >= 3)
        for length in [0, 31, 32, 32 + 24, log.count - 1, log.count - frame] {
            #expect(LogCheck.damagedPosition(in: Array(log.prefix(length))) == nil, "\(length) bytes")
        }
        func damaged(at position: Int) -> Int? {
            var copy = log
            copy[position] ^= 0x40
            return LogCheck.damagedPosition(in: copy)
        }
        for position in [0, 9, 17, 24, 31] { #expect(damaged(at: position) == 0, "byte \(position) of the header") }
        for index in 0..<count {
            let start = 32 + index * frame
            for offset in [0, 7, 16, 23, 24, frame - 1] { #expect(damaged(at: start + offset) == start) }
            // The last frame with other salts could be of an older log.
            #expect(damaged(at: start + 8) == (index == count - 1 ? nil : start))
        }
        for position in [32, 32 + 4, 32 + 20, 32 + 24, 32 + frame - 1, 32 + (count - 1) * frame + 100] {
            let start = 32 + (position - 32) / frame * frame
            for added in [1, 8, 100] {
                let bytes = log[..<position] + [UInt8](repeating: 0xA5, count: added) + log[position...]
                #expect(LogCheck.damagedPosition(in: Array(bytes)) == start, "\(added) bytes more at \(position)")
            }
        }
        for length in [1, 8, 100] {
            let bytes = log[..<(32 + 200)] + log[(32 + 200 + length)...]
            #expect(LogCheck.damagedPosition(in: Array(bytes)) == 32, "\(length) bytes are missing")
        }
        var older = log[32..<(32 + frame)]
        older[32 + 8] ^= 1
        #expect(LogCheck.damagedPosition(in: log + older) == nil)
        // A frame of a transaction that was not committed: its size of the database is 0 (bytes 4 to 7).
        var unfinished = Array(log[32..<(32 + frame)])
        unfinished.replaceSubrange(4..<8, with: [0, 0, 0, 0])
        #expect(LogCheck.damagedPosition(in: log + unfinished) == nil)
        #expect(LogCheck.damagedPosition(in: log + unfinished + log.suffix(frame)) == log.count)
    }

    @Test(
        "Takes over the file of an older engine once, and sets aside one that cannot be read",
        arguments: [
            (nil, false, false),
            (#"{"version": 1, "httpPort": 8080, "sessions": []}"#, true, false),
            (#"{"version": 2, "httpPort": 8080, "sessions": []}"#, false, true),
            (#"{"version": 1}"#, false, true),
            ("", false, true),
        ] as [(String?, Bool, Bool)]
    )
    func olderEngine(content: String?, isTaken: Bool, isSetAside: Bool) async throws {
        let folder = try Folder()
        if let content { try folder.write(Array(content.utf8), to: "sessions.json") }
        let left = try await folder.store().open()
        #expect((left.httpPort == 8080) == isTaken && left.losses.isEmpty != isSetAside)
        #expect(folder["sessions.json"] == nil)
        #expect((folder["sessions.json.unreadable"] != nil) == isSetAside)
    }

    @Test("A session of an older engine is in the database before its file is gone")
    func oldSession() async throws {
        let folder = try Folder()
        let copy = try Folder()
        let old = JournalJSON(httpPort: 1, sessions: [JournalJSON.Entry(record(7))])
        try folder.write(Array(try JSONEncoder().encode(old)), to: "sessions.json")
        let store = folder.store()
        #expect(try await store.open().rows.map(\.record) == [record(7)])
        for name in Self.files { if let bytes = folder[name] { try copy.write(bytes, to: name) } }
        #expect(try await copy.store().open().rows.map(\.record) == [record(7)])
    }

    @Test("Reports the sessions whose slots are gone, but not those that never had one")
    func missingSlots() async throws {
        let folder = try Folder()
        let store = folder.store()
        _ = try await store.open()
        let slots = try PlayerSlots(path: folder.url.appending(path: "sessions.players").path)
        let records = [record(1), record(2)]
        let queue = Locked(JournalQueue())
        let taken = [slots.take(records[0].token), nil]
        taken[0]?.write(PlayerRecord(records[0]), stamp: 1)
        try slots.adopt()
        for (record, slot) in zip(records, taken) { queue.withLock { $0.begin(record.id, token: record.token, slot) } }
        await settle(records, queue, in: store)
        func losses(of slots: [UInt8]?) async throws -> [String] {
            let copy = try Folder()
            for name in Self.files { if let bytes = folder[name] { try copy.write(bytes, to: name) } }
            try FileManager.default.removeItem(at: copy.url.appending(path: "sessions.players"))
            if let slots { try copy.write(slots, to: "sessions.players") }
            let left = try await copy.store().open()
            #expect(left.rows.map(\.record) == records)
            return left.losses
        }
        let whole = try #require(folder["sessions.players"])
        #expect(try await losses(of: whole) == [])
        var damaged = whole
        // The token of the first slot.
        damaged[PlayerSlots.headerBytes] ^= 1
        for slots in [damaged, nil] {
            let losses = try await losses(of: slots)
            #expect(losses.count == 1 && losses.first?.contains("the players of 1 sessions") == true, "\(losses)")
        }
    }

    /// The database with one session, as a process leaves it when it ends normally.
    private func closedDatabase() async throws -> [UInt8] {
        let folder = try Folder()
        var store: JournalStore? = folder.store()
        _ = try await store?.open()
        await settle([record(7)], queue([record(7)]), in: try #require(store))
        // Closing moves the log into the file.
        store = nil
        while folder["sessions.db-wal"] != nil { await Task.yield() }
        return try #require(folder["sessions.db"])
    }

    @Test("A damaged index, through which a session could not be stopped, is found")
    func damagedIndex() async throws {
        let folder = try Folder()
        var bytes = try await closedDatabase()
        // The fifth page is the index of the sessions; an entry ends with the ID, because the first row has no bytes.
        let place = try #require(bytes[(4 * 4096)..<(5 * 4096)].lastIndex(of: UInt8(ascii: "7")))
        bytes[place] = UInt8(ascii: "8")
        try folder.write(bytes, to: "sessions.db")
        let left = try await folder.store().open()
        #expect(left.rows.map(\.record) == [record(7)] && !left.losses.isEmpty)
        #expect(try folder.names().contains("sessions.db.damaged"))
    }

    @Test("A database of a newer engine is set aside")
    func newerEngine() async throws {
        var database = try await closedDatabase()
        // The user version (https://sqlite.org/fileformat.html#database_header).
        database[63] += 1
        let folder = try Folder()
        try folder.write(database, to: "sessions.db")
        let left = try await folder.store().open()
        #expect(!left.losses.isEmpty)
        #expect(try folder.names().contains("sessions.db.damaged"))
    }

    @Test("A database whose structure is damaged is set aside, although all its rows can be read")
    func damagedStructure() async throws {
        var database = try await closedDatabase()
        // The number of unused pages, of which there are none (https://sqlite.org/fileformat.html#database_header).
        database[39] += 1
        let folder = try Folder()
        try folder.write(database, to: "sessions.db")
        let left = try await folder.store().open()
        #expect(left.rows.map(\.record) == [record(7)] && !left.losses.isEmpty)
        #expect(try folder.names().contains("sessions.db.damaged"))
    }

    @Test("A database that cannot be opened now is left as it is; one that cannot be created is created later")
    func unopened() async throws {
        let database = try await closedDatabase()
        let folder = try Folder()
        let empty = try Folder()
        try folder.write(database, to: "sessions.db")
        for each in [folder.url, empty.url] {
            // SQLite cannot open its log, because a directory has its name.
            let log = each.appending(path: "sessions.db-wal")
            try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
        }
        await #expect(throws: EngineError.self) { _ = try await folder.store().open() }
        #expect(folder["sessions.db"] == database)
        #expect(try folder.names().filter { $0.hasSuffix(".damaged") }.isEmpty)
        let store = empty.store()
        #expect(try await store.open().losses.count == 1)
        try FileManager.default.removeItem(at: empty.url.appending(path: "sessions.db-wal"))
        await settle([record(7)], queue([record(7)]), in: store)
        let copy = try Folder()
        for name in Self.files { if let bytes = empty[name] { try copy.write(bytes, to: name) } }
        #expect(try await copy.store().open().rows.map(\.record) == [record(7)])
    }

    @Test("A session whose row was changed is lost, although SQLite finds nothing wrong")
    func changedRow() async throws {
        var database = try await closedDatabase()
        let place = try #require(database.firstRange(of: Array("/films/7.mkv".utf8)))
        database[place.lowerBound + 7] = UInt8(ascii: "8")
        let folder = try Folder()
        try folder.write(database, to: "sessions.db")
        let left = try await folder.store().open()
        #expect(left.rows.isEmpty && left.losses.count == 1)
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
