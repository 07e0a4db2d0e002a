// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging

/// Writes one JSON object per line to stderr: `time` (RFC 3339, UTC, milliseconds), `level`, `part`, `message`, and the
/// metadata under its own keys. Metadata with one of these four keys is left out.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable (Data) -> Void

    /// - Parameter write: receives each line, including its line end; may be called from any thread.
    init(label: String, write: @escaping @Sendable (Data) -> Void = Log.write) {
        self.label = label
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = [
            "time": Self.timestamp(Date()),
            "level": event.level.rawValue,
            "part": label,
            "message": event.message.description,
        ]
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for (key, value) in all where line[key] == nil { line[key] = value.description }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data: Data
        do { data = try encoder.encode(line) } catch { preconditionFailure("strings alone always encode: \(error)") }
        data.append(UInt8(ascii: "\n"))
        write(data)
    }

    static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
