// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Headers of Ogg pages")
struct OggPageTests {
    private static func header(flags: UInt8 = 0, segments: [UInt8]) -> [UInt8] {
        Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 7, count: 20) + [UInt8(segments.count)] + segments
    }

    @Test("a page is as long as its header and its segments together")
    func length() throws {
        let page = try #require(OggPage(Self.header(segments: [255, 255, 3]) + [1, 2, 3]))
        #expect(page.byteCount == 30 + 513 && !page.isFirst)
        #expect(try #require(OggPage(Self.header(flags: 2, segments: []))).isFirst)
        // Also the last one.
        #expect(try #require(OggPage(Self.header(flags: 6, segments: [1]))).isFirst)
        #expect(try #require(OggPage(Self.header(flags: 5, segments: [1]))).isFirst == false)
    }

    @Test("bytes that begin with no whole header are no page")
    func none() {
        let header = Self.header(segments: [1, 2])
        for count in 0..<header.count { #expect(OggPage(Array(header.prefix(count))) == nil) }
        #expect(OggPage([1] + header) == nil)
        var other = header
        other[4] = 1
        #expect(OggPage(other) == nil)
    }
}
