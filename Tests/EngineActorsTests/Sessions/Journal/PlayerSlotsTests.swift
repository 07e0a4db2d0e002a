// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Sessions

@Suite("Slots of players", .timeLimit(.minutes(10)))
struct PlayerSlotsTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "players-\(UUID())").path
    private let token = String(repeating: "a", count: 40)

    private func player(_ seconds: Double) -> PlayerRecord {
        var record = SessionRecord(id: SessionID(rawValue: "1"), token: token, request: LoadRequest(source: "/a"))
        (record.position, record.rate, record.volume) = (.seconds(seconds), 1.5, 0.25)
        (record.isMuted, record.isPlaying, record.rest) = (true, true, .ended)
        return PlayerRecord(record)
    }

    private func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    @Test("The next process reads the last complete write, and ignores a torn copy")
    func copies() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slots = try PlayerSlots(path: path)
        #expect(!FileManager.default.fileExists(atPath: path), "the file of the last process stays until then")
        try slots.adopt()
        let slot = try #require(slots.take(token))
        for seconds in 1...5 { slot.write(player(Double(seconds)), stamp: UInt64(seconds)) }
        let whole = try bytes()
        let left = RestoredSlots(whole)
        #expect(left.isReadable && !left.hasDamagedCopies && left.ending == .killed && left.lastStamp == 5)
        #expect(left.slot(ofToken: token, at: 0)?.player == player(5))
        #expect(left.slot(ofToken: "b", at: 0) == nil)
        // The two copies are written in turn: the fifth write is in the first copy.
        var torn = whole
        torn[PlayerSlots.headerBytes + 16 + 9] ^= 1
        #expect(RestoredSlots(torn).slot(ofToken: token, at: 0)?.player == player(4))
        #expect(RestoredSlots(torn).hasDamagedCopies)
        // The process was killed while it wrote the copy.
        var unfinished = torn
        for byte in 0..<8 { unfinished[PlayerSlots.headerBytes + 16 + 40 + byte] = 0 }
        #expect(RestoredSlots(unfinished).slot(ofToken: token, at: 0)?.player == player(4))
        #expect(!RestoredSlots(unfinished).hasDamagedCopies)
        torn[PlayerSlots.headerBytes + 64 + 9] ^= 1
        #expect(RestoredSlots(torn).slot(ofToken: token, at: 0)?.player == nil)
        #expect(!RestoredSlots(Array(whole.dropLast())).isReadable && !RestoredSlots([]).isReadable)
    }

    @Test("Words that no engine writes hold no player")
    func impossible() {
        let known = player(5).words
        #expect(PlayerRecord(words: known) == player(5))
        let (rate, volume) = ((17.0).bitPattern, (1.5).bitPattern)
        for words in [
            (UInt64.max, known.1, known.2, known.3), (known.0, rate, known.2, known.3),
            (known.0, Double.nan.bitPattern, known.2, known.3), (known.0, known.1, volume, known.3),
            (known.0, known.1, known.2, 99 << 3),
        ] {
            #expect(PlayerRecord(words: words) == nil)
        }
    }

    @Test("A released slot belongs to the next session that takes it")
    func released() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slots = try PlayerSlots(path: path)
        try slots.adopt()
        let old = try #require(slots.take(token))
        old.write(player(1), stamp: 1)
        slots.release(old)
        let new = try #require(slots.take("b"))
        #expect(new.tag == old.tag)
        old.write(player(2), stamp: 2)
        new.write(player(3), stamp: 3)
        old.write(player(4), stamp: 4)
        let left = RestoredSlots(try bytes())
        #expect(left.slot(ofToken: token, at: 0) == nil && left.lastStamp == 3)
        #expect(left.slot(ofToken: "b", at: 0)?.player == player(3))
    }

    @Test("A slot that is released twice becomes free only once")
    func releasedTwice() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slots = try PlayerSlots(path: path)
        try slots.adopt()
        let old = try #require(slots.take(token))
        for _ in 0..<2 { slots.release(old) }
        let (first, second) = (try #require(slots.take("b")), try #require(slots.take("c")))
        #expect(first.tag != second.tag)
        slots.release(old)
        #expect(RestoredSlots(try bytes()).slot(ofToken: "b", at: 0) != nil)
    }

    @Test("The next process knows when earlier ones crashed, whether or not any session was to blame")
    func crashTimes() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slots = try PlayerSlots(path: path)
        try slots.adopt()
        slots.note(RecentCrashes([5, 4, 3, 2]))
        var file = try bytes()
        #expect(RestoredSlots(file).crashes(at: 9).times == [5, 4, 3, 2], "it was killed")
        // The word that the signal handler writes.
        file[16] = 11
        #expect(RestoredSlots(file).crashes(at: 9).times == [9, 5, 4, 3])
        #expect(RestoredSlots(Array(file.prefix(16))).crashes(at: 9).times == [])
    }

    @Test("A clean end does not count against any session")
    func ending() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let slots = try PlayerSlots(path: path)
        try slots.adopt()
        let slot = try #require(slots.take(token))
        slot.write(CrashHistory(crashes: 1, killedOpenings: 1, lastCrash: 77), .opening)
        #expect(RestoredSlots(try bytes()).slot(ofToken: token, at: 80)?.history.killedOpenings == 2)
        slots.close()
        let left = RestoredSlots(try bytes())
        #expect(left.ending == .clean)
        #expect(
            left.slot(ofToken: token, at: 80)?.history == CrashHistory(crashes: 1, killedOpenings: 1, lastCrash: 77)
        )
    }
}
