// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging

/// The process's log: one line an event, to stderr.
enum Log {
    /// Must be called once, before the first logger is made (`LoggingSystem.bootstrap`).
    static func start(_ settings: Settings) {
        let (level, format) = (settings.logLevel, settings.logFormat)
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

    /// Whom could one tell that nobody reads what happens: the engine goes on.
    static func write(_ line: Data) { try? FileHandle.standardError.write(contentsOf: line) }
}
