// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation
import Logging
import Testing

@testable import engined

@Suite(.timeLimit(.minutes(10)))
struct LoggingTests {
    @Test("A JSON line has time, level, part, message and metadata, whatever they contain")
    func line() throws {
        let lines = Locked<[Data]>([])
        let handler = JSONLogHandler(label: "http") { data in lines.withLock { $0.append(data) } }
        let logger = Logger(label: "http") { _ in handler }
        logger.warning("a \"quoted\"\nline", metadata: ["port": "80", "level": "shadow"])
        let data = try #require(lines.withLock { $0 }.first)
        #expect(data.last == UInt8(ascii: "\n"))
        #expect(data.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
        #expect(object["message"] == "a \"quoted\"\nline")
        #expect(object["level"] == "warning")
        #expect(object["part"] == "http")
        #expect(object["port"] == "80")
        #expect(object["time"]?.hasSuffix("Z") == true)
    }

    @Test("A text line stays one line without terminal control sequences, whatever it contains")
    func textLine() throws {
        let lines = Locked<[Data]>([])
        let stream = EscapedLines { data in lines.withLock { $0.append(data) } }
        let logger = Logger(label: "engined") { StreamLogHandler(label: $0, stream: stream) }
        logger.info("opened x\n2026-01-01 critical engined: forged\r\n", metadata: ["source": "a\nb\u{1b}[2J"])
        let data = try #require(lines.withLock { $0 }.first)
        let line = String(decoding: data, as: UTF8.self)
        #expect(lines.withLock { $0.count } == 1)
        #expect(line.unicodeScalars.filter { $0.value < 0x20 } == ["\n"])
        #expect(line.hasSuffix("opened x\\n2026-01-01 critical engined: forged\\r\\n\n"))
        #expect(line.contains("source=a\\nb\\u{1B}[2J"))
    }
}
