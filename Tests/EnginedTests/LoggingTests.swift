// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Foundation
import Logging
import Testing

@testable import engined

@Suite(.timeLimit(.minutes(10)))
struct LoggingTests {
    @Test("A JSON line carries time, level, part, message and metadata, whatever is in them")
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
}
