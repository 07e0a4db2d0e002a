// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation

@testable import Sessions

/// The input is the journal of an earlier process: the slots of players, or sessions as JSON.
func exerciseJournal(_ bytes: [UInt8]) {
    let left = RestoredSlots(bytes)
    for slot in left.slots.values {
        expect(slot.stamp <= left.lastStamp, "no slot is newer than the last")
        guard let player = slot.player else { continue }
        expect(PlayerRecord(words: player.words) == player, "a player is read as it is written")
        expect(player.position >= .zero && (0...1).contains(player.volume), "a player is in range")
    }
    for slot in left.slots.values {
        let word = PackedHistory(slot.history, slot.activity)
        expect(PackedHistory(packed: word.packed) == word, "a history is read as it is written")
    }
    let decoder = JSONDecoder()
    if let file = try? decoder.decode(JournalJSON.self, from: Data(bytes)) {
        for record in file.records.records { exerciseRecord(record) }
    }
    guard let entry = try? decoder.decode(JournalJSON.Entry.self, from: Data(bytes)) else { return }
    exerciseRecord(entry.restored.record)
}

/// A restored record that is written and restored again is the same.
private func exerciseRecord(_ record: SessionRecord) {
    let (again, invalid) = JournalJSON.Entry(record).restored
    expect(invalid.isEmpty, "what is restored is valid: \(invalid)")
    expect(again == record, "a record is restored as it was written")
    expect(record.nextRevision > record.revision, "a restored session goes on above its revision")
}
