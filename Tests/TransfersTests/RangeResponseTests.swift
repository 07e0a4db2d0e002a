// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Range responses")
struct RangeResponseTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let status: Int
        let fields: [String]
        var asked = RequestedRange.bytes(100..<200)
        var known = ResourceState(byteCount: 1000, tag: "\"a\"")
        let response: RangeResponse
        var testDescription: String { "\(status) \(fields) to \(asked)" }

        var head: ResponseHead {
            ResponseHead(
                status: status,
                fields: fields.map {
                    let parts = $0.split(separator: ":", maxSplits: 1)
                    return ResponseHead.Field(String(parts[0]), String(parts[1].drop { $0 == " " }))
                }
            )
        }
    }

    private static let range = "Content-Range: bytes 100-199/1000"
    private static let full = ResourceState(byteCount: 1000)

    @Test(
        "A response is classified as the requested range or as something else",
        arguments: [
            Row(status: 206, fields: [range, "Content-Length: 100"], response: .part(100..<200, full)),
            Row(status: 206, fields: [range], response: .part(100..<200, full)),
            Row(
                status: 206,
                fields: [range, "ETag: \"a\""],
                response: .part(100..<200, ResourceState(byteCount: 1000, tag: "\"a\""))
            ),
            Row(
                status: 206,
                fields: [range, "ETag: W/\"a\""],
                response: .part(100..<200, ResourceState(byteCount: 1000, weakTag: "\"a\""))
            ),
            Row(
                status: 206,
                fields: [range, "ETag: W/\"z\""],
                response: .changed(ResourceState(byteCount: 1000, weakTag: "\"z\""))
            ),
            Row(
                status: 206,
                fields: [range, "ETag: W/\"z\""],
                known: ResourceState(byteCount: 1000, weakTag: "\"y\""),
                response: .changed(ResourceState(byteCount: 1000, weakTag: "\"z\""))
            ),
            Row(
                status: 206,
                fields: [range, "Last-Modified: b"],
                known: ResourceState(byteCount: 1000, modified: "a"),
                response: .changed(ResourceState(byteCount: 1000, modified: "b"))
            ),
            Row(
                status: 206,
                fields: [range, "ETag: \"a\"", "Last-Modified: b"],
                known: ResourceState(byteCount: 1000, tag: "\"a\"", modified: "a"),
                response: .part(100..<200, ResourceState(byteCount: 1000, tag: "\"a\"", modified: "b"))
            ),
            Row(
                status: 206,
                fields: [range, "Last-Modified: b", "Date: b"],
                known: ResourceState(byteCount: 1000, modified: "a"),
                response: .part(100..<200, full)
            ),
            Row(
                status: 200,
                fields: ["Transfer-Encoding: chunked", "Last-Modified: b"],
                asked: .whole,
                known: ResourceState(modified: "a"),
                response: .whole(ResourceState(modified: "b"))
            ),
            Row(
                status: 206,
                fields: [range, "ETag: \"b\""],
                response: .changed(ResourceState(byteCount: 1000, tag: "\"b\""))
            ),
            Row(status: 206, fields: ["Content-Range: bytes 100-149/1000"], response: .part(100..<150, full)),
            Row(status: 206, fields: ["Content-Range: bytes 100-199/*"], response: .part(100..<200, ResourceState())),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 100-199/999"],
                response: .changed(ResourceState(byteCount: 999))
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 100-1000/*"],
                asked: .from(100),
                response: .changed(ResourceState())
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 100-999/*"],
                asked: .from(100),
                response: .part(100..<1000, ResourceState())
            ),
            Row(status: 206, fields: [range, "Content-Length: 99"], response: .invalid(.lengths)),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 0-99/1000"],
                response: .invalid(.otherRange("bytes 0-99/1000"))
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 100-200/1000"],
                response: .invalid(.otherRange("bytes 100-200/1000"))
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 100-1000/1000"],
                asked: .from(100),
                response: .invalid(.otherRange("bytes 100-1000/1000"))
            ),
            Row(status: 206, fields: [], response: .invalid(.noContentRange)),
            Row(status: 206, fields: ["Content-Range: bytes */1000"], response: .invalid(.noContentRange)),
            Row(status: 206, fields: ["Content-Range: bytes 199-100/1000"], response: .invalid(.noContentRange)),
            Row(status: 206, fields: ["Content-Range: bytes 100-199/-5"], response: .invalid(.noContentRange)),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 0-99999999999999999999/1"],
                response: .invalid(.noContentRange)
            ),
            Row(
                status: 206,
                fields: ["Content-Type: multipart/byteranges; boundary=x"],
                response: .invalid(.noContentRange)
            ),
            Row(status: 206, fields: [range, "Content-Encoding: gzip"], response: .invalid(.encoded("gzip"))),
            Row(
                status: 206,
                fields: [range, "Transfer-Encoding: gzip, chunked"],
                response: .invalid(.encoded("gzip, chunked"))
            ),
            Row(status: 206, fields: [range, "Content-Encoding: identity"], response: .part(100..<200, full)),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 900-999/1000"],
                asked: .last(100),
                response: .part(900..<1000, full)
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 0-99/100"],
                asked: .last(500),
                known: ResourceState(),
                response: .part(0..<100, ResourceState(byteCount: 100))
            ),
            Row(
                status: 206,
                fields: ["Content-Range: bytes 0-99/1000"],
                asked: .last(100),
                response: .invalid(.otherRange("bytes 0-99/1000"))
            ),
            Row(status: 200, fields: ["Content-Length: 1000"], response: .notRanged(full)),
            Row(status: 200, fields: ["Content-Length: 1000"], asked: .last(9), response: .notRanged(full)),
            Row(status: 200, fields: ["Content-Length: 1000"], asked: .bytes(0..<9), response: .whole(full)),
            Row(status: 200, fields: [], asked: .whole, known: ResourceState(), response: .whole(ResourceState())),
            Row(
                status: 200,
                fields: ["Content-Length: 7", "Transfer-Encoding: chunked"],
                asked: .from(0),
                response: .whole(ResourceState())
            ),
            Row(status: 200, fields: ["Content-Length: 999"], response: .changed(ResourceState(byteCount: 999))),
            Row(
                status: 200,
                fields: ["Content-Length: 1000", "ETag: \"b\""],
                response: .changed(ResourceState(byteCount: 1000, tag: "\"b\""))
            ),
            Row(status: 200, fields: ["Content-Encoding: br"], asked: .whole, response: .invalid(.encoded("br"))),
            Row(status: 204, fields: [], response: .invalid(.status(204))),
            Row(status: 302, fields: ["Location: /"], response: .redirect),
            Row(status: 304, fields: [], response: .refused(304, retryAfter: nil)),
            Row(status: 412, fields: [], response: .changed(ResourceState())),
            Row(status: 416, fields: ["Content-Range: bytes */1000"], asked: .from(1000), response: .pastEnd(full)),
            Row(status: 416, fields: [], asked: .from(1000), response: .pastEnd(ResourceState())),
            Row(status: 416, fields: ["Content-Range: bytes */50"], response: .changed(ResourceState(byteCount: 50))),
            Row(status: 416, fields: ["Content-Range: bytes */1000"], response: .refused(416, retryAfter: nil)),
            Row(status: 503, fields: ["Retry-After: 5"], response: .refused(503, retryAfter: "5")),
        ]
    )
    func judges(row: Row) { #expect(RangeResponse(row.head, to: row.asked, known: row.known) == row.response) }

    @Test("Two differing Content-Length fields count as no length")
    func refusesTwoLengths() {
        let row = Row(
            status: 200,
            fields: ["Content-Length: 1", "Content-Length: 2"],
            asked: .whole,
            known: ResourceState(),
            response: .whole(ResourceState())
        )
        judges(row: row)
    }
}

@Suite("Origin budget")
struct OriginBudgetTests {
    private let here = ResourceURL.Origin(isSecure: true, host: "h", port: 443)
    private let there = ResourceURL.Origin(isSecure: false, host: "h", port: 443)

    @Test("Transfers beyond the limit wait, urgent ones first")
    func queues() {
        var budget = OriginBudget(limit: 2)
        let places = ([1, 2, 3, 4, 5] as [UInt64]).map { budget.acquire($0, at: here, isUrgent: $0 > 3) }
        let other = budget.acquire(9, at: there, isUrgent: false)
        #expect(other && places == [true, true, false, false, false])
        budget.withdraw(5, from: here)
        let served = (0..<4).map { _ in budget.release(at: here, now: 0) }
        #expect(served == [[4], [3], [], []])
    }

    @Test("A refusal halves the ceiling, and each minute without one raises it by one")
    func halves() {
        var budget = OriginBudget(limit: 4)
        let minute: Int64 = 60_000_000_000
        for id in 0..<6 as Range<UInt64> { _ = budget.acquire(id, at: here, isUrgent: false) }
        budget.refused(by: here, now: 0)
        budget.refused(by: here, now: 1000)
        #expect(budget.ceiling(of: here) == 2)
        let served = (0..<3).map { _ in budget.release(at: here, now: 2000) }
        #expect(served == [[], [], [4]])
        budget.refused(by: here, now: minute)
        budget.refused(by: here, now: 2 * minute)
        #expect(budget.ceiling(of: here) == 1)
        _ = budget.release(at: here, now: 4 * minute)
        #expect(budget.ceiling(of: here) == 3)
    }

    @Test("Each connection that is not served lowers the ceiling to the number of the others, at least to one")
    func lowersCeiling() {
        var budget = OriginBudget(limit: 4)
        for id in 0..<3 as Range<UInt64> { _ = budget.acquire(id, at: here, isUrgent: false) }
        let ceilings = (0..<4).map { _ in
            budget.leftUnserved(by: here, now: 0)
            _ = budget.release(at: here, now: 0)
            return budget.ceiling(of: here)
        }
        #expect(ceilings == [2, 1, 1, 1])
    }

    @Test("A silent transfer gives its place to another, and counts again when its server sends")
    func silence() {
        var budget = OriginBudget(limit: 1)
        let places = ([1, 2, 3] as [UInt64]).map { budget.acquire($0, at: here, isUrgent: true) }
        #expect(places == [true, false, false])
        #expect(budget.fellSilent(at: here, now: 0) == [2])
        budget.spoke(at: here)
        // Two run now.
        #expect(budget.release(at: here, now: 0) == [])
        #expect(budget.release(at: here, now: 0) == [3])
        #expect(budget.fellSilent(at: here, now: 0) == [])
        budget.silentEnded(at: here)
        let last = budget.acquire(4, at: here, isUrgent: false)
        #expect(last)
    }

    @Test("At most six silent transfers for each place do not count")
    func manySilent() {
        var budget = OriginBudget(limit: 2)
        for id in 0..<20 as Range<UInt64> { _ = budget.acquire(id, at: here, isUrgent: true) }
        let started = (0..<13).map { _ in budget.fellSilent(at: here, now: 0) }
        #expect(started.map { $0?.count } == [Int?](repeating: 1, count: 12) + [nil])
        budget.silentEnded(at: here)
        #expect(budget.fellSilent(at: here, now: 0)?.count == 1)
    }
}

@Suite("Bandwidth meter")
struct BandwidthMeterTests {
    private let second: Int64 = 1_000_000_000

    @Test("The estimate is the lower of a fast and a slow mean, over busy time only")
    func measures() throws {
        var meter = BandwidthMeter()
        #expect(meter.bytesPerSecond == nil)
        meter.began(now: 0)
        for now in 1...20 { meter.received(1_000_000, now: Int64(now) * second) }
        meter.ended(now: 20 * second)
        #expect(abs(try #require(meter.bytesPerSecond) - 1_000_000) < 1)
        meter.began(now: 500 * second)
        for now in 1...3 { meter.received(4_000_000, now: Int64(500 + now) * second) }
        let rising = try #require(meter.estimates)
        #expect(rising.fast > rising.slow && meter.bytesPerSecond == rising.slow)
        for now in 4...9 { meter.received(10_000, now: Int64(500 + now) * second) }
        let falling = try #require(meter.estimates)
        #expect(falling.fast < falling.slow && meter.bytesPerSecond == falling.fast)
    }

    @Test("Concurrent transfers are added up, and few bytes give no estimate")
    func joins() {
        var meter = BandwidthMeter()
        meter.began(now: 0)
        meter.began(now: 0)
        meter.received(1000, now: second)
        #expect(meter.bytesPerSecond == nil)
        meter.received(999_000, now: second + 1)
        meter.received(1_000_000, now: 2 * second)
        meter.ended(now: 2 * second)
        #expect(meter.bytesPerSecond.map { $0 > 900_000 } == true)
    }
}
