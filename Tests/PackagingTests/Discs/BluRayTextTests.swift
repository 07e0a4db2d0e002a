// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
@testable import Packaging
import Testing

@Suite("Text subtitles of Blu-ray discs")
struct BluRayTextTests {
    private typealias Bytes = BluRayTextBytes

    private static let styles = Bytes.styles([.init(1), .init(7, top: 40, horizontal: 1, vertical: 1, font: 6)])
    private static let hello = Bytes.dialog(from: 900_000, to: 990_000, (0, 1, [.text(Array("Hello".utf8))]))

    private static func run(_ text: String, isBold: Bool = false, isItalic: Bool = false) -> TextDialog.Run {
        TextDialog.Run(bytes: Array(text.utf8), font: .init(isBold: isBold, isItalic: isItalic))
    }

    @Test("a dialog has its times, regions, lines and fonts")
    func dialog() throws {
        let dialog = Bytes.dialog(
            from: (1 << 33) - 1,
            to: 90_000,
            hasPalette: true,
            (
                0x40, 1,
                [.text(Array("One ".utf8)), .font(1), .text(Array("two".utf8)), .newline, .reset, .text([0x33])]
            ),
            (0x80, 7, [.size(30), .text([0x34]), .font(0), .text([0x35])])
        )
        let found = BluRayText(Bytes.clip([Self.styles, dialog]), pid: 0x1800).dialogs
        try #require(found.count == 1 && found[0].regions.count == 2)
        #expect(found[0].start == (1 << 33) - 1 && found[0].end == 90_000)
        let (first, second) = (found[0].regions[0], found[0].regions[1])
        #expect(first.isForced && first.style == TextDialog.Style(line: 1000))
        #expect(first.lines == [[Self.run("One "), Self.run("two", isBold: true)], [Self.run("3")]])
        // Continuous presentation says nothing about whether text is forced. An outline is not italic.
        #expect(!second.isForced)
        #expect(second.style == TextDialog.Style(line: 40, column: .left, font: .init(isItalic: true)))
        #expect(second.lines == [[Self.run("4", isItalic: true), Self.run("5")]])
    }

    @Test("a segment may be split over PES packets of either kind, and a PES packet may hold several segments")
    func packets() {
        let all = Self.styles + Self.hello + Self.hello
        let whole = BluRayText(Bytes.clip([Self.styles, Self.hello, Self.hello]), pid: 0x1800).dialogs
        #expect(whole.count == 2 && whole[0].regions[0].style?.line == 1000)
        for isPrivate in [true, false] {
            #expect(BluRayText(Bytes.clip([all], isPrivate: isPrivate), pid: 0x1800).dialogs == whole)
            for cut in [1, 3, Self.styles.count - 1, Self.styles.count + 2, all.count - 1] {
                let parts = [Array(all.prefix(cut)), Array(all.dropFirst(cut))]
                #expect(BluRayText(Bytes.clip(parts, isPrivate: isPrivate), pid: 0x1800).dialogs == whole, "\(cut)")
            }
        }
        #expect(BluRayText(Bytes.clip([all]), pid: 0x1801).dialogs.isEmpty)
    }

    @Test("damaged segments are left out, and the others are kept")
    func damage() {
        func count(_ payloads: [UInt8]...) -> Int { BluRayText(Bytes.clip(payloads), pid: 0x1800).dialogs.count }
        let short = [0x82] + BluRayBytes.big(10, 2) + BluRayBytes.zeros(10)
        #expect(count(Self.styles, short, Self.hello) == 1)
        #expect(count(short + Self.hello) == 1)
        // Bytes after a segment of an unknown kind are skipped up to the next packet.
        #expect(count(Self.styles, [0x17, 0, 0] + Self.hello, Self.hello) == 1)
        // A dialog whose style is not known is kept.
        #expect(BluRayText(Bytes.clip([Self.hello]), pid: 0x1800).dialogs.map(\.regions[0].style) == [nil])
        #expect(count(Array(Self.hello.dropLast())) == 0)
        let clip = Bytes.clip([Self.styles, Self.hello])
        for end in 0..<clip.count { #expect(BluRayText(Array(clip.prefix(end)), pid: 0x1800).dialogs.isEmpty) }
        var lost = Bytes.clip([Self.styles, Self.hello, Self.hello])
        lost[4] = 0
        #expect(BluRayText(lost, pid: 0x1800).dialogs.count == 2)
    }

    @Test(
        "the edge of its region to which text is aligned determines the line and the row",
        arguments: [
            (UInt8(1), 0, 0, TextDialog.Row.top), (1, 800, 800, .bottom), (2, 440, 540, .middle), (2, 0, 100, .top),
            (3, 0, 200, .top), (3, 300, 500, .middle), (3, 800, 1000, .bottom),
        ]
    )
    func rows(vertical: UInt8, top: Int, line: Int, row: TextDialog.Row) {
        let styles = Bytes.styles([.init(1, top: top, vertical: vertical)])
        let found = BluRayText(Bytes.clip([styles, Self.hello]), pid: 0x1800).dialogs.first?.regions[0].style
        #expect(found?.line == line && found?.row(height: 1080) == row)
    }

    @Test("a playlist states the charset and the clips of text, even if some paths are missing")
    func playlist() throws {
        var item = BluRayBytes.Item()
        (item.texts, item.charset) = (["fra", "jpn"], 3)
        let clips = [BluRayBytes.SubItem(clip: "00009", start: 45_000, end: 90_000, item: 1, time: 135_000)]
        let paths: [(kind: UInt8, items: [BluRayBytes.SubItem])] = [(5, clips), (4, clips + clips), (4, [])]
        let playlist = try BluRayPlaylist(BluRayBytes.playlist([item, item], paths: paths))
        let text = BluRayPlaylist.SubItem(clip: "00009", inTime: 45_000, outTime: 90_000, item: 1, start: 135_000)
        #expect(playlist.texts == [1: [text, text]])
        #expect(
            playlist.items[1].table.texts == [
                .init(pid: 0x1800, language: "fra", charset: "CP932", path: 0),
                .init(pid: 0x1801, language: "jpn", charset: "CP932", path: 1),
            ]
        )
        item.charset = 99
        #expect(try BluRayPlaylist(BluRayBytes.playlist([item])).items[0].table.texts.isEmpty)
        // Only text depends on these paths.
        let broken = try BluRayPlaylist(BluRayBytes.playlist([item, item], paths: [(4, clips)], pathCount: 3))
        #expect(broken.items.count == 2 && broken.texts[0]?.count == 1)
    }
}
