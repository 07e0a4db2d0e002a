// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

/// The history on disk: JSON, so that people can read it. The latest entry is the last.
struct HistoryFile: Codable, Equatable {
    static let currentVersion = 1
    /// Above this number, the least recently played entries are dropped.
    static let limit = 1000

    var version = currentVersion
    private(set) var entries: [Entry] = []

    struct Entry: Codable, Equatable {
        /// See `ContentIdentity`.
        var identity: String
        var source: String
        var position: Int64
        var duration: Int64?
        var finished: Bool
        var played: Int64
        /// The program that was played, if the source has several.
        var program: PlayedProgram?
    }

    /// Adds or replaces the entry of a source.
    ///
    /// - Parameter program: the program that was played, if the source has several; each program has its own entry.
    mutating func note(_ entry: HistoryEntry, as identity: String, playing program: PlayedProgram? = nil) {
        entries.removeAll { $0.identity == identity && $0.program?.number == program?.number }
        entries.append(
            Entry(
                identity: identity,
                source: entry.source,
                position: entry.position.microseconds,
                duration: entry.duration?.microseconds,
                finished: entry.isFinished,
                played: entry.playedUnixMicroseconds,
                program: program
            )
        )
        entries.removeFirst(max(0, entries.count - Self.limit))
    }

    /// - Returns: how many entries were removed: those with the source's name or identity, or all if `source` is `nil`.
    mutating func remove(source: String?, identity: String?) -> Int {
        let before = entries.count
        entries.removeAll { source == nil || $0.source == source || $0.identity == identity }
        return before - entries.count
    }

    /// - Parameter selection: selects the program of the source that will be played.
    func entry(of identity: String, playing selection: ProgramSelection = .automatic) -> HistoryEntry? {
        entries.last { $0.identity == identity && $0.program?.fits(selection) ?? true }.map(Self.value)
    }

    /// The latest first.
    var all: [HistoryEntry] { entries.reversed().map(Self.value) }

    /// An invalid position is read as 0, an invalid duration as unknown.
    private static func value(_ entry: Entry) -> HistoryEntry {
        let times: ClosedRange<Int64> = 0...1 << 53
        return HistoryEntry(
            source: entry.source,
            position: MediaTime(microseconds: times.contains(entry.position) ? entry.position : 0),
            duration: entry.duration.flatMap { times.contains($0) ? MediaTime(microseconds: $0) : nil },
            isFinished: entry.finished,
            playedUnixMicroseconds: entry.played
        )
    }
}
