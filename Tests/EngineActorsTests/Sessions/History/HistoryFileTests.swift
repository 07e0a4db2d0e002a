// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Sessions

@Suite("The history file")
struct HistoryFileTests {
    private func entry(_ source: String, _ position: Double, isFinished: Bool = false) -> HistoryEntry {
        HistoryEntry(
            source: source,
            position: .seconds(position),
            duration: nil,
            isFinished: isFinished,
            playedUnixMicroseconds: 5
        )
    }

    @Test("a source has one entry, the latest, even if its name has changed")
    func renamed() throws {
        var file = HistoryFile()
        file.note(entry("/a", 1), as: "x")
        file.note(entry("/b", 2), as: "y")
        file.note(entry("/c", 3), as: "x")
        #expect(file.all == [entry("/c", 3), entry("/b", 2)])
        #expect(file.entry(of: "x") == entry("/c", 3))
        #expect(file.entry(of: "z") == nil)
        #expect(try JSONDecoder().decode(HistoryFile.self, from: JSONEncoder().encode(file)) == file)
    }

    @Test("times that no engine writes are read as 0 and as unknown")
    func hostileTimes() {
        var edited = entry("/a", 0)
        (edited.position, edited.duration) = (MediaTime(microseconds: -1), MediaTime(microseconds: -2))
        var file = HistoryFile()
        file.note(edited, as: "x")
        #expect(file.all == [entry("/a", 0)])
    }

    @Test("each program of a source has its own entry; without a selection, the default program's entry counts")
    func programs() throws {
        func played(_ number: Int) throws -> PlayedProgram {
            var media = MediaDescription()
            media.programs = [7, 3].map { number in
                var program = Program(number: number)
                program.name = "P\(number)"
                return program
            }
            media.program = number
            return try #require(PlayedProgram(of: media))
        }
        var file = HistoryFile()
        file.note(entry("/a", 1), as: "x", playing: try played(7))
        file.note(entry("/a", 2), as: "x", playing: try played(3))
        #expect(file.entry(of: "x") == entry("/a", 1))
        #expect(file.entry(of: "x", playing: .number(3)) == entry("/a", 2))
        #expect(file.entry(of: "x", playing: .name("p3")) == entry("/a", 2))
        #expect(file.entry(of: "x", playing: .number(7)) == entry("/a", 1))
        #expect(file.entry(of: "x", playing: .number(8)) == nil)
        #expect(try JSONDecoder().decode(HistoryFile.self, from: JSONEncoder().encode(file)) == file)
        #expect(PlayedProgram(of: MediaDescription()) == nil)
    }

    @Test("beyond the limit, the least recently played entries are dropped")
    func limit() {
        var file = HistoryFile()
        for number in 0..<(HistoryFile.limit + 3) { file.note(entry("/\(number)", 1), as: "\(number)") }
        #expect(file.all.count == HistoryFile.limit)
        #expect(file.entry(of: "2") == nil)
        #expect(file.entry(of: "3") != nil)
    }

    @Test(
        "one source or all can be forgotten, by name or by identity",
        arguments: [(nil, nil, 3), ("/a", nil, 1), ("/new", "y", 1), ("/new", nil, 0), ("/a", "y", 2)]
            as [(String?, String?, Int)]
    )
    func forgotten(source: String?, identity: String?, count: Int) {
        var file = HistoryFile()
        for (name, identity) in [("/a", "x"), ("/b", "y"), ("/c", "z")] { file.note(entry(name, 1), as: identity) }
        let removed = file.remove(source: source, identity: identity)
        #expect(removed == count)
        #expect(file.all.count == 3 - count)
    }
}
