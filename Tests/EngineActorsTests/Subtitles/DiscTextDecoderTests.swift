// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading
@testable import Subtitles

@Suite("Cues of text subtitles on Blu-ray discs")
struct DiscTextDecoderTests {
    private static func run(_ bytes: [UInt8], isBold: Bool = false, isItalic: Bool = false) -> TextDialog.Run {
        TextDialog.Run(bytes: bytes, font: .init(isBold: isBold, isItalic: isItalic))
    }

    private static func run(_ text: String, isBold: Bool = false, isItalic: Bool = false) -> TextDialog.Run {
        run(Array(text.utf8), isBold: isBold, isItalic: isItalic)
    }

    /// A decoder of dialogs of one second that start every two seconds. The timeline begins half a second into the
    /// source's clock.
    private static func decoder(
        _ regions: [TextDialog.Region]...,
        charset: String = "UTF-8",
        height: Int? = 1080
    ) -> DiscTextDecoder {
        let dialogs = regions.enumerated().map { number, regions in
            TextDialog(start: Int64(number) * 180_000, end: Int64(number) * 180_000 + 90_000, regions: regions)
        }
        let text = DiscText(dialogs: dialogs, charset: charset)
        return DiscTextDecoder(text, track: 3, origin: TimelineOrigin(.seconds(0.5)), videoHeight: height)
    }

    private static func texts(_ decoder: DiscTextDecoder) -> [CueText] {
        decoder.cues().compactMap { if case .text(let text) = $0.content { text } else { nil } }
    }

    @Test("each region is a cue, with its lines and fonts")
    func regions() throws {
        let decoder = Self.decoder([
            .init(isForced: true, lines: [[Self.run("a"), Self.run("b")], [Self.run("c", isBold: true)], []]),
            .init(lines: [[Self.run("d", isItalic: true)]]),
            .init(lines: [[Self.run(" ")], []]),
        ])
        let cues = decoder.cues()
        try #require(cues.count == 2)
        #expect(cues.map(\.isForced) == [true, false] && cues.allSatisfy { $0.track == 3 })
        #expect(cues[0].start == .seconds(-0.5) && cues[0].end == .seconds(0.5))
        let texts = Self.texts(decoder)
        #expect(texts.map(\.plain) == ["ab\nc", "d"])
        #expect(texts[0].runs.map(\.text) == ["ab\n", "c"] && texts[0].runs.map(\.isBold) == [false, true])
        #expect(texts[1].runs.map(\.isItalic) == [true])
    }

    @Test(
        "text is converted from the charset of the disc",
        arguments: [
            ("UTF-8", [0xC3, 0xA4], "ä"), ("UTF-16BE", [0x65, 0xE5], "日"), ("CP932", [0x93, 0xFA], "日"),
            ("CP949", [0xB0, 0xA1], "가"), ("GB18030", [0xC8, 0xD5], "日"), ("BIG5", [0xA4, 0xE9], "日"),
        ] as [(String, [UInt8], String)]
    )
    func charsets(name: String, bytes: [UInt8], text: String) {
        let decoder = Self.decoder([.init(lines: [[Self.run(bytes)]])], charset: name)
        #expect(Self.texts(decoder).map(\.plain) == [text])
    }

    @Test(
        "a region is placed in one of nine parts of the picture",
        arguments: [
            (nil, 1080, 2), (TextDialog.Style(line: 1000, column: .left), 1080, 1), (.init(line: 540), 1080, 5),
            (.init(line: 40, column: .right), 1080, 9), (.init(line: 700), 720, 2), (.init(line: 700), 2160, 5),
            (.init(line: 700), nil, 5),
        ] as [(TextDialog.Style?, Int?, Int)]
    )
    func alignments(style: TextDialog.Style?, height: Int?, alignment: Int) {
        let decoder = Self.decoder([.init(style: style, lines: [[Self.run("a")]])], height: height)
        #expect(Self.texts(decoder).map(\.alignment) == [alignment])
    }

    @Test("the packets of a part of the timeline are those of the dialogs that begin in it")
    func packets() {
        let decoder = Self.decoder(
            [.init(lines: [[Self.run("a")]])],
            [.init(lines: [[Self.run("b")]])],
            [.init(lines: [[Self.run("c")]])]
        )
        func plain(_ start: Double, _ end: Double) -> [CueText] {
            let range = MediaTimeRange(start: .seconds(start), end: .seconds(end))
            return decoder.packets(of: 5, in: range).flatMap { decoder.cues(of: $0) }.compactMap {
                if case .text(let text) = $0.content { text } else { nil }
            }
        }
        #expect(plain(-10, 1.5).map(\.plain) == ["a"])
        #expect(plain(1.5, 3.5).map(\.plain) == ["b"])
        #expect(plain(1.6, 100).map(\.plain) == ["c"])
        #expect(
            decoder.packets(of: 5, in: MediaTimeRange(start: .zero, end: .seconds(9))).map(\.streamIndex) == [5, 5]
        )
        // Other packets name no dialog.
        #expect(decoder.cues(of: Packet(Array("3".utf8), stream: 5)).isEmpty)
        #expect(decoder.cues(of: Packet([], stream: 5)).isEmpty)
    }
}
