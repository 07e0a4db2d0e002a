// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import Loopback

@Suite("Splitting a stream into request heads")
struct HeadFramerTests {
    private let two = "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n\r\n"

    @Test("Pipelined heads are returned one by one, however the bytes arrive", arguments: [1, 2, 5, 1000])
    func pipelined(piece: Int) {
        var framer = HeadFramer(requestLineLimit: 100, headLimit: 200)
        var heads: [String] = []
        let bytes = Array(two.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            framer.append(ByteBuffer(bytes: bytes[start..<min(start + piece, bytes.count)]))
            while case .head(let head) = framer.next() { heads.append(String(buffer: head)) }
        }
        #expect(heads == ["GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /b HTTP/1.1\r\n\r\n"])
        #expect(framer.pendingByteCount == 0)
    }

    @Test("Empty lines before a request are skipped")
    func emptyLines() {
        var framer = HeadFramer(requestLineLimit: 100, headLimit: 200)
        framer.append(ByteBuffer(string: "\r\n\r\nGET / HTTP/1.1\r\n\r\n"))
        #expect(framer.next() == .head(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")))
    }

    @Test("The length of a request line is limited, even before its end arrives")
    func requestLine() {
        var framer = HeadFramer(requestLineLimit: 20, headLimit: 200)
        framer.append(ByteBuffer(string: String(repeating: "a", count: 20)))
        #expect(framer.next() == .needsBytes)
        framer.append(ByteBuffer(string: "a"))
        #expect(framer.next() == .requestLineTooLong)
        var ended = HeadFramer(requestLineLimit: 20, headLimit: 200)
        ended.append(ByteBuffer(string: String(repeating: "a", count: 20) + "\r\n\r\n"))
        #expect(ended.next() == .requestLineTooLong)
        let line = "GET /abc HTTP/1.1\r\n"
        var fits = HeadFramer(requestLineLimit: line.utf8.count, headLimit: 200)
        fits.append(ByteBuffer(string: line + "\r\n"))
        #expect(fits.next() == .head(ByteBuffer(string: line + "\r\n")))
    }

    @Test("The length of a head is limited to the byte")
    func head() {
        let fits = "GET / HTTP/1.1\r\nA: " + String(repeating: "b", count: 100 - 19 - 4) + "\r\n\r\n"
        var framer = HeadFramer(requestLineLimit: 50, headLimit: 100)
        framer.append(ByteBuffer(string: fits))
        #expect(framer.next() == .head(ByteBuffer(string: fits)))
        framer.append(ByteBuffer(string: fits.replacing("A: ", with: "A: b")))
        #expect(framer.next() == .headTooLong)
        var endless = HeadFramer(requestLineLimit: 50, headLimit: 100)
        endless.append(ByteBuffer(string: fits.replacing("\r\n\r\n", with: "bbbb")))
        #expect(endless.next() == .headTooLong, "it can no longer end within the limit")
    }
}
