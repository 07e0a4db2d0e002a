// SPDX-License-Identifier: Apache-2.0

import EngineModel
import NIOCore
import NIOHTTP1
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
            ("bytes=0-1,5-6", .parts([0..<2, 5..<7])),
            ("bytes=5-6, 0-1", .parts([5..<7, 0..<2])),
            ("bytes=0-1,,-1", .parts([0..<2, 999..<1000])),
            ("bytes=0-4,2-9", .part(0..<10)),
            ("bytes=20-29,0-9,10-15", .parts([0..<16, 20..<30])),
            ("bytes=0-1,2000-", .part(0..<2)),
            ("bytes=2000-,-0", .unsatisfiable),
            ("bytes=0-1,x", .whole),
            ("bytes=,", .whole),
            (
                "bytes=" + (0..<32).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","),
                .parts((0..<32).map { $0 * 2..<$0 * 2 + 1 })
            ),
            ("bytes=" + (0..<33).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","), .whole),
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
        "Only hosts that are safe from DNS rebinding are accepted",
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
        "URLs have the bound address, or the one of the default route if all are bound",
        arguments: [
            ("127.0.0.1", ["192.0.2.1": "10.0.0.2"], "127.0.0.1"), ("10.0.0.7", ["192.0.2.1": "10.0.0.2"], "10.0.0.7"),
            ("0.0.0.0", ["192.0.2.1": "10.0.0.2"], "10.0.0.2"), ("0.0.0.0", ["2001:db8::1": "fd00::2"], "127.0.0.1"),
            ("::", ["192.0.2.1": "10.0.0.2", "2001:db8::1": "fd00::2"], "10.0.0.2"),
            ("::", ["2001:db8::1": "fd00::2"], "fd00::2"), ("::", [:], "127.0.0.1"),
        ] as [(String, [String: String], String)]
    )
    func servedHosts(bound: String, routes: [String: String], expected: String) async {
        #expect(await ServedHost.host(boundTo: bound) { routes[$0] } == expected)
    }

    @Test(
        "A target is split into token and path, without decoding",
        arguments: [
            ("/tok/master.m3u8", "tok", "master.m3u8"), ("/tok/v/1.m4s?a=b#c", "tok", "v/1.m4s"), ("/tok", "tok", ""),
            ("/tok/", "tok", ""), ("http://localhost:1/tok/x", "tok", "x"),
            ("Http://localhost:1/tok/x", "tok", "x"), ("/tok/../x", "tok", "../x"),
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
        #expect(tag.isListed(weaklyIn: "\"x\", W/\"a1\""))
        #expect(!tag.isListed(weaklyIn: "\"a\", a1"))
        #expect(tag.isListed(in: "\"x\", \"a1\""))
        #expect(!tag.isListed(in: "W/\"a1\""))
        #expect(tag.matches(ifRange: "\"a1\""))
        #expect(!tag.matches(ifRange: "W/\"a1\""))
    }

    @Test(
        "Preconditions are evaluated in the order of RFC 9110 §13.2.2",
        arguments: [
            ([], .met),
            ([("If-Match", "\"a1\"")], .met), ([("If-Match", "*")], .met), ([("If-Match", "\"b\", \"a1\"")], .met),
            ([("If-Match", "\"b\""), ("If-Match", "\"a1\"")], .met),
            ([("If-Match", "\"b\"")], .failed), ([("If-Match", "W/\"a1\"")], .failed), ([("If-Match", "")], .failed),
            ([("If-None-Match", "\"a1\"")], .notModified), ([("If-None-Match", "W/\"a1\"")], .notModified),
            ([("If-None-Match", "*")], .notModified), ([("If-None-Match", "\"b\"")], .met),
            ([("If-None-Match", "\"b\", *")], .met),
            ([("If-None-Match", "\"a1\""), ("If-Match", "\"b\"")], .failed),
            ([("If-None-Match", "\"a1\""), ("If-Match", "\"a1\"")], .notModified),
            ([("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")], .met),
            ([("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")], .met),
            ([("If-None-Match", "\"b\""), ("If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")], .met),
        ] as [([(String, String)], Precondition)]
    )
    func preconditions(headers: [(String, String)], expected: Precondition) {
        #expect(Precondition(HTTPHeaders(headers), tag: EntityTag("a1")) == expected)
    }

    @Test("A resource without a tag matches * but no tag")
    func untagged() {
        #expect(Precondition(["If-Match": "*"], tag: nil) == .met)
        #expect(Precondition(["If-Match": "\"a\""], tag: nil) == .failed)
        #expect(Precondition(["If-None-Match": "*"], tag: nil) == .notModified)
        #expect(Precondition(["If-None-Match": "\"a\""], tag: nil) == .met)
    }

    @Test(
        "A slice of a body has exactly the bytes of its range, across regions",
        arguments: [0..<9, 0..<1, 2..<4, 3..<6, 1..<8, 8..<9, 4..<4]
    )
    func slices(range: Range<Int>) {
        let bytes = Array<UInt8>(0..<9)
        let body = ByteBody([[0, 1, 2], [], [3, 4, 5], [6, 7, 8]].map { ArrayRegion($0) })
        var found: [UInt8] = []
        for region in body.slice(range) {
            region.withBytes { span in for index in span.indices { found.append(span[index]) } }
        }
        #expect(found == Array(bytes[range]))
        #expect(ByteBody(body.slice(range)).byteCount == range.count)
    }

    @Test("Several ranges become parts, each with its type and range")
    func multipart() {
        let parts = MultipartRanges([0..<2, 5..<6], of: ByteBody(Array("abcdef".utf8)), type: "a/b", boundary: "x")
        var buffer = ByteBuffer()
        var cursor = BodyCursor(parts.body, range: 0..<parts.body.byteCount)
        cursor.write(upTo: 1000, to: &buffer)
        #expect(
            String(buffer: buffer) == "--x\r\nContent-Type: a/b\r\nContent-Range: bytes 0-1/6\r\n\r\nab"
                + "\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 5-5/6\r\n\r\nf\r\n--x--\r\n"
        )
        #expect(parts.contentType == "multipart/byteranges; boundary=x")
    }

    @Test(
        "Dates have the IMF-fixdate form",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func dates(seconds: Int64, text: String) { #expect(HTTPDate.format(unixSeconds: seconds) == text) }

    @Test("Any range of a body is read completely, for every piece size", arguments: [1, 2, 3, 7, 100])
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
