// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Caption services", .timeLimit(.minutes(10)))
struct CaptionServiceTests {
    private static let define0: [UInt8] = [0x98, 0x38, 0x46, 0x69, 0x72, 0x1F, 0x09]

    /// One packet with one service block.
    private func triplets(_ data: [UInt8], service: UInt8 = 1, sequence: UInt8 = 0) -> [UInt8] {
        var body = service < 7 ? [service << 5 | UInt8(data.count)] : [7 << 5 | UInt8(data.count), service]
        body += data
        if body.count % 2 == 0 { body.append(0) }
        var out: [UInt8] = [0xFF, sequence << 6 | UInt8((body.count + 1) / 2), body[0]]
        for index in stride(from: 1, to: body.count, by: 2) { out += [0xFE, body[index], body[index + 1]] }
        return out
    }

    private func blocks(_ number: Int, _ triplets: [UInt8]) -> [ServicePackets.Piece] {
        var packets = ServicePackets(number: number)
        return packets.pieces(from: triplets)
    }

    /// The text on the screen after a sequence of codes.
    private func shown(_ codes: [UInt8], isWide: Bool = true) -> [CueText] {
        var screen = ServiceScreen(grid: ServiceGrid(isWide: isWide))
        var rest = codes[...]
        while let (code, count) = ServiceCode.first(of: rest) {
            _ = screen.apply(code, at: .zero)
            rest = rest.dropFirst(count)
        }
        return screen.remaining().map(\.text)
    }

    private func defined(
        rows: UInt8 = 3,
        columns: UInt8 = 12,
        anchor: UInt8 = 7,
        relative: (vertical: UInt8, horizontal: UInt8)? = nil,
        attributes: UInt8? = nil
    ) -> [UInt8] {
        let place: [UInt8] = relative.map { [0x80 | $0.vertical, $0.horizontal] } ?? [70, 105]
        var codes: [UInt8] = [0x98, 0x38]
        codes += place
        codes += [anchor << 4 | rows - 1, columns - 1, 0x09]
        if let attributes { codes += [0x97, 0, 0, attributes, 0] }
        return codes
    }

    @Test("Blocks of one service are extracted from packets, whatever is between them")
    func packets() {
        let first = triplets([1, 2, 3], service: 1) + [0xFC, 0x94, 0x20] + triplets([4], service: 2, sequence: 1)
        #expect(blocks(1, first) == [.block([1, 2, 3])])
        #expect(blocks(2, first) == [.block([4])])
        #expect(blocks(40, triplets([9, 9], service: 40)) == [.block([9, 9])])
        #expect(ServicePackets.services(in: first + triplets([1], service: 40)) == [1, 2, 40])
        // Invalid triplets, and data that belongs to no packet.
        #expect(blocks(1, [0xFB, 0x02, 0x21, 0xFE, 0x41, 0x42]).isEmpty)
        #expect(ServicePackets.services(in: [0xFE, 0x21, 0x42]).isEmpty)
    }

    @Test("A packet truncated by the next one gives its complete blocks")
    func cutPackets() {
        let cut: [UInt8] = [0xFF, 0x05, 0x21, 0xFE, 0x41, 0x23]
        #expect(blocks(1, cut).isEmpty)
        #expect(blocks(1, cut + triplets([7], sequence: 1)) == [.block([0x41]), .block([7])])
    }

    @Test("A missing packet is a gap; a number that is repeated, as by encoders that do not count, is not")
    func sequence() {
        let numbers: [UInt8] = [0, 1, 1, 2, 3, 0, 2]
        let all = numbers.flatMap { triplets([$0], sequence: $0) }
        let found = blocks(1, all)
        #expect(found == [0, 1, 1, 2, 3, 0].map { .block([$0]) } + [.gap, .block([2])])
    }

    @Test(
        "Codes of every set have the right length, and known codes the right meaning",
        arguments: [
            ([0x41], ServiceCode.character("A"), 1), ([0x7F], .character("♪"), 1), ([0xE9], .character("é"), 1),
            ([0x10, 0x25], .character("…"), 2), ([0x10, 0x26], .character("_"), 2), ([0x10, 0xA0], .character("🅲"), 2),
            ([0x18, 0xAC, 0x00], .character("가"), 3), ([0x18, 0xD8, 0x00], .character("\u{FFFD}"), 3),
            ([0x18, 0, 0x0A], .character("\u{FFFD}"), 3),
            ([0x03], .nothing, 1), ([0x11, 0], .nothing, 2), ([0x1F, 0, 0], .nothing, 3),
            ([0x10, 0x07], .nothing, 2), ([0x10, 0x0F, 0], .nothing, 3), ([0x10, 0x1F, 0, 0, 0], .nothing, 5),
            ([0x10, 0x87, 0, 0, 0, 0], .nothing, 6), ([0x10, 0x8F, 0, 0, 0, 0, 0], .nothing, 7),
            ([0x10, 0x90, 2, 0, 0], .nothing, 5), ([0x8D, 20], .delay(20), 2), ([0x8F], .reset, 1),
            ([0x92, 0xFF, 0xFF], .penLocation(row: 15, column: 63), 3), ([0x95], .nothing, 1),
        ] as [([UInt8], ServiceCode, Int)]
    )
    func codes(_ bytes: [UInt8], _ code: ServiceCode, _ count: Int) throws {
        let found = try #require(ServiceCode.first(of: (bytes + [0x41])[...]))
        #expect(found.code == code && found.count == count && bytes.count == count)
        for cut in 0..<count { #expect(ServiceCode.first(of: bytes[..<cut]) == nil) }
    }

    @Test("A code may span two packets")
    func straddling() {
        var decoder = ServiceDecoder(number: 1, isWide: true)
        let codes = Self.define0 + Array("ab".utf8)
        for (number, byte) in codes.enumerated() {
            let packet = triplets([byte], sequence: UInt8(number % 4))
            #expect(decoder.captions(from: packet, at: .seconds(Double(number))).isEmpty)
        }
        let found = decoder.finish()
        #expect(found.map(\.text.plain) == ["ab"] && found.map(\.start) == [.seconds(7)] && found[0].end == nil)
    }

    @Test("After missing packets the screen is empty")
    func gaps() {
        var decoder = ServiceDecoder(number: 1, isWide: true)
        #expect(decoder.captions(from: triplets(Self.define0 + [0x41]), at: .zero).isEmpty)
        let found = decoder.captions(from: triplets([0x42], sequence: 2), at: .seconds(2))
        #expect(found.map(\.text.plain) == ["A"] && found.map(\.end) == [.seconds(2)] && decoder.finish().isEmpty)
    }

    @Test("A full buffer ends a delay")
    func fullBuffer() {
        var decoder = ServiceDecoder(number: 1, isWide: true)
        _ = decoder.captions(from: triplets(Self.define0 + [0x8D, 255]), at: .zero)
        let letters = Array(repeating: UInt8(ascii: "A"), count: 30) + [0x0C]
        for number in 1...4 {
            #expect(decoder.captions(from: triplets(letters, sequence: UInt8(number % 4)), at: .zero).isEmpty)
            #expect(decoder.finish().isEmpty)
        }
        #expect(decoder.captions(from: triplets(Array("full".utf8), sequence: 1), at: .seconds(1)).isEmpty)
        #expect(decoder.finish().map(\.text.plain) == ["full"])
    }

    /// Word wrap, print direction, scroll direction, justification.
    private static func attributes(
        wraps: Bool = false,
        print: UInt8 = 0,
        scroll: UInt8 = 3,
        justify: UInt8 = 0
    ) -> UInt8 {
        (wraps ? 0x40 : 0) | print << 4 | scroll << 2 | justify
    }

    @Test("Lines scroll in the direction of their window, and are returned in reading order")
    func scrolling() {
        func lines(_ attributes: UInt8, _ text: String, rows: UInt8 = 2, columns: UInt8 = 12) -> String {
            let codes = text.utf8.map { $0 == UInt8(ascii: "|") ? 0x0D : $0 }
            let window = defined(rows: rows, columns: columns, attributes: attributes)
            return shown(window + [0x0C] + codes).map(\.plain).joined(separator: "/")
        }
        #expect(lines(Self.attributes(), "one|two|three") == "two\nthree")
        #expect(lines(Self.attributes(scroll: 2), "one|two|three") == "three\ntwo")
        #expect(lines(Self.attributes(print: 1), "one|two") == "one\ntwo")
        #expect(lines(Self.attributes(print: 2, scroll: 0), "ab|cd", rows: 4, columns: 2) == "ab\ncd")
        #expect(lines(Self.attributes(print: 2, scroll: 1), "ab|cd|ef", rows: 4, columns: 2) == "cd\nef")
        #expect(lines(Self.attributes(print: 3, scroll: 1), "ab|cd", rows: 4, columns: 2) == "ab\ncd")
    }

    @Test("Words wrap if the window has word wrap; otherwise text within the largest window is kept")
    func wrapping() {
        let long = Array("a long line of words".utf8)
        let wrapped = shown(defined(columns: 8, attributes: Self.attributes(wraps: true)) + long).map(\.plain)
        #expect(wrapped == ["a long\nline of\nwords"])
        #expect(shown(defined(columns: 8) + long).map(\.plain) == ["a long line of words"])
        let endless = shown(
            defined(columns: 8, attributes: Self.attributes(wraps: true)) + Array(repeating: 0x41, count: 20)
        )
        #expect(endless.map(\.plain) == ["AAAAAAAA\nAAAAAAAA\nAAAA"])
        #expect(shown(defined() + Array(repeating: 0x41, count: 200)).map(\.plain.count) == [64])
    }

    @Test("Text is positioned by the anchor of its window and by its justification")
    func places() throws {
        func place(_ anchor: UInt8, justify: UInt8, at: (UInt8, UInt8)) throws -> (Int, Double, Double) {
            let window = defined(
                rows: 2,
                columns: 21,
                anchor: anchor,
                relative: at,
                attributes: Self.attributes(justify: justify)
            )
            let text = try #require(shown(window + Array("text".utf8)).first)
            let position = try #require(text.position)
            return (text.alignment, position.x, position.y)
        }
        func near(_ found: (Int, Double, Double), _ wanted: (Int, Double, Double)) -> Bool {
            found.0 == wanted.0 && abs(found.1 - wanted.1) < 1e-9 && abs(found.2 - wanted.2) < 1e-9
        }
        // The grid covers the middle nine tenths; a window of 21 columns is half as wide.
        #expect(near(try place(0, justify: 0, at: (0, 0)), (7, 0.05, 0.05)))
        #expect(near(try place(8, justify: 1, at: (99, 99)), (3, 0.95, 0.95 - 0.9 / 15)))
        #expect(near(try place(7, justify: 2, at: (99, 49)), (2, 0.05 + 0.9 * 49 / 99, 0.95 - 0.9 / 15)))
        #expect(near(try place(4, justify: 2, at: (99, 99)), (5, 0.95, 0.95 - 0.9 / 30)))
        #expect(near(try place(6, justify: 0, at: (99, 0)), (1, 0.05, 0.95 - 0.9 / 15)))
    }

    @Test("A redefined window keeps its text, and its styles unless new ones are specified")
    func redefinition() {
        let written = defined() + [0x90, 5, 0x80] + Array("kept".utf8)
        let again: [UInt8] = [0x98, 0x38, 10, 10, 0x02, 0x0B, 0x00]
        let found = shown(written + again + Array(" on".utf8))
        #expect(found.map(\.plain) == ["kept on"] && found[0].runs.map(\.isItalic) == [true])
        #expect(found[0].alignment == 7)
        #expect(shown(written + [0x8C, 1] + defined() + [0x41]).map(\.runs) == [[TextRun(text: "A")]])
        // Without a window there is nowhere to write.
        #expect(shown([0x41, 0x0D, 0x08, 0x0C, 0x0E, 0x92, 1, 1, 0x83, 0x41]).isEmpty)
    }

    @Test("Text written within a moment is one caption; a line written later starts another")
    func moments() {
        var screen = ServiceScreen(grid: ServiceGrid(isWide: true))
        func apply(_ codes: [UInt8], at time: Double) -> [ServiceCaption] {
            var (rest, found) = (codes[...], [ServiceCaption]())
            while let (code, count) = ServiceCode.first(of: rest) {
                found += screen.apply(code, at: .seconds(time))
                rest = rest.dropFirst(count)
            }
            return found
        }
        #expect(apply(defined() + Array("one".utf8), at: 1).isEmpty)
        #expect(apply([0x0D] + Array("two".utf8), at: 1.2).isEmpty)
        #expect(apply(Array(" more".utf8) + [0x08, 0x08], at: 3).isEmpty)
        let ended = apply([0x0D] + Array("three".utf8), at: 4)
        #expect(ended.map(\.text.plain) == ["one\ntwo mo"])
        #expect(ended.map(\.start) == [.seconds(1)] && ended.map(\.end) == [.seconds(4)])
    }

    @Test("The captions that a broadcast announces are read")
    func announced() {
        let english = Array("eng".utf8)
        let line21: [UInt8] = english + [0x7F, 0x3F, 0xFF]
        let entries: [UInt8] = english + [0xC1, 0x3F, 0xFF] + Array("spa".utf8) + [0xC2, 0xBF, 0xFF]
        let services = CaptionService.services(descriptor: [0xC3] + entries + line21)
        #expect(services.map(\.name) == ["SERVICE1", "SERVICE2", "CC3"])
        #expect(services.map(\.language) == ["eng", "spa", "eng"])
        #expect(CaptionService.services(descriptor: [0xC3] + entries.prefix(8)).count == 1)
        #expect(CaptionService.services(descriptor: []).isEmpty)
        #expect(CaptionService.services(descriptor: [0xC1, 0, 0, 0, 0xC1, 0, 0]).map(\.language) == [""])
    }
}
