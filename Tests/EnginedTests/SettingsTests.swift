// SPDX-License-Identifier: Apache-2.0

import Logging
import Testing

@testable import engined

@Suite(.timeLimit(.minutes(1)))
struct SettingsTests {
    @Test("A later origin overrules an earlier one")
    func order() throws {
        var settings = Settings()
        try settings.take(file: "http-port = 1\ncache-bytes=2M\n# a comment\n\n  log-level =\tdebug \r\n", named: "f")
        try settings.take(environment: ["ENGINED_HTTP_PORT": "2", "ENGINED_LOG_LEVEL": "", "ENGINED_OTHER": "x"])
        try settings.set(.httpPort, to: "3", from: "--http-port")
        #expect(settings.httpPort == 3)
        #expect(settings.cacheBytes == 2 << 20)
        #expect(settings.logLevel == .debug)
    }

    @Test(
        "What cannot be meant is refused with its place",
        arguments: [
            ("http-port = 70000", "f:1: a port is 0 … 65535, not \"70000\""),
            ("\nhttp-port", "f:2: \"http-port\" is not of the form key = value"),
            ("colour = red", "f:1: \"colour\" is none of socket, http-port, "),
            ("cache-bytes = 12", "f:1: the cache takes 1M or more, not \"12\""),
            ("cache-bytes = 99999999999999999999G", "f:1: the cache takes 1M or more"),
            ("log-format = xml", "f:1: \"xml\" is none of text, json"),
            ("socket =", "f:1: a socket has a path"),
        ]
    )
    func refusals(_ text: String, _ message: String) {
        var settings = Settings()
        let error = #expect(throws: SettingsError.self) { try settings.take(file: text, named: "f") }
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test("Every key has a variable", arguments: Settings.Key.allCases)
    func variables(_ key: Settings.Key) {
        #expect(key.variable.hasPrefix("ENGINED_"))
        #expect(!key.variable.contains("-"))
    }
}
