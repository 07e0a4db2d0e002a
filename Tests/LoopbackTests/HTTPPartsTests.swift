// SPDX-License-Identifier: Apache-2.0

import EngineModel
import NIOCore
import Testing

@testable import Loopback

@Suite("Parts of HTTP")
struct HTTPPartsTests {
    @Test(
        "Range headers are parsed as in RFC 9110 §14",
        arguments: [
            (nil, .whole),
            ("bytes=0-99", .part(0..<100)),
            ("bytes=900-", .part(900..<1000)),
            ("bytes=900-99999999999999999999999", .part(900..<1000)),
            ("bytes=-1", .part(999..<1000)),
            ("bytes=-5000", .part(0..<1000)),
            ("bytes=999-999", .part(999..<1000)),
            ("Bytes= 1 - 2 ", .part(1..<3)),
            ("bytes=1000-", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=5-4", .whole),
            ("bytes=0-1,5-6", .whole),
            ("bytes=-", .whole),
            ("bytes=a-b", .whole),
            ("bytes=--1", .whole),
            ("bytes", .whole),
            ("lines=1-2", .whole),
        ] as [(String?, ByteRange)]
    )
    func ranges(header: String?, expected: ByteRange) {
        #expect(ByteRange(header: header, byteCount: 1000) == expected)
    }

    @Test(
        "Only hosts that cannot be rebound are accepted",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.1:8080", true), ("localhost", true), ("LocalHost:1", true),
            ("evil.example", false), ("evil.example:80", false), ("127.0.0.1.evil.example", false), ("", false),
            ("127.0.0.1:80a", false), ("127.0.0.1:123456", false), ("192.168.1.2", false), ("[::1", false),
        ]
    )
    func hosts(host: String, isAllowed: Bool) {
        #expect(HostCheck(boundAddress: "127.0.0.1").allows(host) == isAllowed)
    }

    @Test("A server bound to a network accepts numeric hosts, but still no names")
    func networkHosts() {
        let check = HostCheck(boundAddress: "0.0.0.0")
        #expect(check.allows("192.168.1.2:80"))
        #expect(check.allows("[fe80::1]:80"))
        #expect(!check.allows("evil.example"))
    }

    @Test(
        "A target is split into token and path, without decoding",
        arguments: [
            ("/tok/master.m3u8", "tok", "master.m3u8"), ("/tok/v/1.m4s?a=b#c", "tok", "v/1.m4s"), ("/tok", "tok", ""),
            ("/tok/", "tok", ""), ("http://localhost:1/tok/x", "tok", "x"), ("/tok/../x", "tok", "../x"),
        ]
    )
    func targets(target: String, token: String, path: String) {
        let parsed = RequestTarget(target)
        #expect(parsed?.token == token)
        #expect(parsed?.path == path)
    }

    @Test(
        "Targets that cannot name a resource are rejected",
        arguments: ["/", "//x", "*", "", "/a%2e/x", "/a\\b", "tok/x", "http://h"]
    )
    func badTargets(target: String) { #expect(RequestTarget(target) == nil) }

    @Test("If-None-Match compares weakly against each member, If-Range strongly")
    func entityTags() {
        let tag = EntityTag("a1")
        #expect(tag.matches(anyIn: "\"x\", W/\"a1\""))
        #expect(tag.matches(anyIn: "*"))
        #expect(!tag.matches(anyIn: "\"a\", a1"))
        #expect(tag.matches(ifRange: "\"a1\""))
        #expect(!tag.matches(ifRange: "W/\"a1\""))
    }

    @Test(
        "Dates have the IMF-fixdate form",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func dates(seconds: Int64, text: String) { #expect(HTTPDate.format(unixSeconds: seconds) == text) }

    @Test("Any range of a body is complete, for every piece size", arguments: [1, 2, 3, 7, 100])
    func cursor(piece: Int) {
        let regions: [[UInt8]] = [[0, 1, 2], [], [3], [4, 5, 6, 7], [], [8, 9]]
        let body = ByteBody(regions.map { ArrayRegion($0) })
        for start in 0...10 {
            for end in start...10 {
                var cursor = BodyCursor(body, range: start..<end)
                var buffer = ByteBuffer()
                while cursor.remaining > 0 { cursor.write(upTo: piece, to: &buffer) }
                #expect(Array(buffer.readableBytesView) == (start..<end).map { UInt8($0) })
            }
        }
    }
}
