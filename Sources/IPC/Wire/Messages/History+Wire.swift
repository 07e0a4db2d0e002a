// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Encoding and decoding of `ListHistory` and `ClearHistory`.

/// The messages of `ListHistory`.
package enum HistoryList {
    package static func framedRequest() -> [UInt8] { Proto.ListHistoryRequest().framed() }

    package static func check(_ bytes: [UInt8]) throws(EngineError) { _ = try Proto.ListHistoryRequest(bytes) }

    package static func framed(_ entries: [HistoryEntry]) -> [UInt8] {
        Proto.ListHistoryResponse(entries: entries.map(\.wire)).framed()
    }

    package static func entries(wire bytes: [UInt8]) throws(EngineError) -> [HistoryEntry] {
        try Proto.ListHistoryResponse(bytes, fieldLimit: .max).entries.map(HistoryEntry.init(wire:))
    }
}

/// The messages of `ClearHistory`.
package enum HistoryClearing {
    package static func framedRequest(_ source: String?) -> [UInt8] {
        Proto.ClearHistoryRequest(source: source ?? "").framed()
    }

    package static func source(wire bytes: [UInt8]) throws(EngineError) -> String? {
        let source = try Proto.ClearHistoryRequest(bytes).source
        return source.isEmpty ? nil : source
    }

    package static func framed(removed: Int) -> [UInt8] {
        Proto.ClearHistoryResponse(removed: UInt32(clamping: removed)).framed()
    }

    package static func removed(wire bytes: [UInt8]) throws(EngineError) -> Int {
        Int(try Proto.ClearHistoryResponse(bytes).removed)
    }
}

extension HistoryEntry {
    fileprivate var wire: Proto.HistoryEntry {
        Proto.HistoryEntry(
            source: source,
            positionMicroseconds: position.microseconds,
            durationMicroseconds: duration?.microseconds ?? -1,
            finished: isFinished,
            playedUnixMicroseconds: playedUnixMicroseconds
        )
    }

    fileprivate init(wire: Proto.HistoryEntry) {
        self.init(
            source: wire.source,
            position: MediaTime(microseconds: wire.positionMicroseconds),
            duration: wire.durationMicroseconds < 0 ? nil : MediaTime(microseconds: wire.durationMicroseconds),
            isFinished: wire.finished,
            playedUnixMicroseconds: wire.playedUnixMicroseconds
        )
    }
}
