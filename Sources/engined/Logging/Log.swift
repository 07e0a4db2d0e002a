// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging

/// The process's log: one line per event, on stderr.
enum Log {
    /// Must be called once, before the first logger is made (`LoggingSystem.bootstrap`).
    static func start(_ settings: Settings) {
        let (level, format) = (settings.log.level, settings.log.format)
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch format {
                case .text: StreamLogHandler(label: label, stream: EscapedLines())
                case .json: JSONLogHandler(label: label)
                }
            handler.logLevel = level
            return handler
        }
    }

    static func write(_ line: Data) {
        do { try FileHandle.standardError.write(contentsOf: line) } catch {
            // This failure cannot be logged: the log is on stderr.
        }
    }
}
