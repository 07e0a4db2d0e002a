// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite("Heads of HTTP responses")
struct ResponseHeadParserTests {
    private func progress(_ lines: [String]) -> [ResponseHeadParser.Progress] {
        var parser = ResponseHeadParser()
        return lines.map { parser.take($0 + "\r\n", byteCount: $0.utf8.count + 2) }
    }

    private func head(_ status: Int, _ fields: [(String, String)] = []) -> ResponseHeadParser.Progress {
        .complete(ResponseHead(status: status, fields: fields.map { ResponseHead.Field($0.0, $0.1) }))
    }

    @Test("fields have names in lower case, and values without surrounding spaces")
    func fields() {
        let lines = ["HTTP/1.1 206 Partial Content", "Content-Range:  bytes 0-1/2 \t", "X: a:b", "no field", "Y:", ""]
        let expected = head(206, [("content-range", "bytes 0-1/2"), ("x", "a:b"), ("y", "")])
        #expect(progress(lines) == Array(repeating: .more, count: 5) + [expected])
    }

    @Test("informational heads and trailers are dropped")
    func otherHeads() {
        let lines = ["HTTP/1.1 103 Early Hints", "A: 1", "", "HTTP/2 200", "B: 2", "", "C: 3", ""]
        let more = ResponseHeadParser.Progress.more
        #expect(progress(lines) == [more, more, more, more, more, head(200, [("b", "2")]), more, more])
    }

    @Test("a status that is not a number becomes 0, and lines before the first head are dropped")
    func damaged() {
        #expect(progress(["A: 1", "", "HTTP/1.1 what", ""]).last == head(0))
    }

    @Test("a line that is not UTF-8 is ISO 8859-1; the bytes of a URL are kept")
    func encodings() {
        func text(_ bytes: [UInt8]) -> String { ResponseHeadParser.text(of: bytes) }
        #expect(text(Array("X: é".utf8)) == "X: é")
        #expect(text(Array("X: ".utf8) + [0xE9]) == "X: é")
        #expect(text(Array("Location: /Am".utf8) + [0xE9] + Array("lie".utf8)) == "Location: /Am%e9lie")
        #expect(text(Array("LOCATION: é".utf8)) == "LOCATION: é")
    }

    @Test("a head has at most 256 fields and 64 KiB")
    func limits() {
        let field = "A: 1"
        let full = ["HTTP/1.1 200 OK"] + Array(repeating: field, count: ResponseHeadParser.fieldLimit)
        #expect(progress(full).allSatisfy { $0 == .more } && progress(full + [field]).last == .tooLong)
        let long = "A: " + String(repeating: "x", count: ResponseHeadParser.byteLimit - 5)
        #expect(progress(["HTTP/1.1 200 OK", long]).last == .more)
        #expect(progress(["HTTP/1.1 200 OK", long + "x"]).last == .tooLong)
    }
}
