// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("HTTP headers for a source", .timeLimit(.minutes(10)))
struct HTTPHeaderTests {
    @Test(
        "tokens and visible text are accepted unchanged",
        arguments: [("Authorization", "Bearer a b"), ("X-Ü".filter(\.isASCII), "ü\ttab"), ("a", "")]
    )
    func fine(name: String, value: String) throws {
        let header = try HTTPHeader(name: name, value: value)
        #expect(header.name == name && header.value == value)
    }

    @Test(
        "invalid headers and header injection are rejected, naming the field",
        arguments: [
            ("", "v", "http_headers.name"), ("a b", "v", "http_headers.name"), ("a:", "v", "http_headers.name"),
            ("ü", "v", "http_headers.name"), (String(repeating: "a", count: 129), "v", "http_headers.name"),
            ("Range", "bytes=0-10", "http_headers.name"), ("transfer-Encoding", "chunked", "http_headers.name"),
            ("a", "v\r\nb: c", "http_headers.value"), ("a", "v\n", "http_headers.value"),
            ("a", "\u{0}", "http_headers.value"),
            ("a", String(repeating: "v", count: 8193), "http_headers.value"),
        ]
    )
    func refused(name: String, value: String, field: String) {
        let error = #expect(throws: EngineError.self) { try HTTPHeader(name: name, value: value) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.field == field)
    }
}
