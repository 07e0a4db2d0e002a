// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Choosing subtitles", .timeLimit(.minutes(10)))
struct SubtitleChooserTests {
    private static func track(_ id: Int, _ language: String, _ words: String = "", isText: Bool = true) -> SubtitleTrack
    {
        SubtitleTrack(
            id: id,
            codec: CodecID(rawValue: isText ? "subrip" : "hdmv_pgs_subtitle"),
            language: language,
            dispositions: words.split(separator: " ").map(String.init),
            isText: isText,
            origin: .embedded(stream: id)
        )
    }

    private let chooser = SubtitleChooser([
        track(2, "eng", "comment"), track(3, "eng", "forced"), track(4, "eng", "hearing_impaired"),
        track(5, "eng", isText: false), track(6, "eng"), track(7, "ger", "default"), track(8, "pt-BR"),
    ])

    @Test(
        "A selection resolves to the named tracks, or to the best track in the first language that the source has",
        arguments: [
            (.automatic, [7], false), (.none, [], false), (.tracks([6, 3, 6]), [6, 3], false),
            (.tracks([6, 99]), [6], true), (.languages(["fr", "English"]), [6], false),
            (.languages(["de", "en"]), [7], false),
            (.languages(["pt"]), [8], false), (.languages(["xx"]), [], true),
        ] as [(SubtitleSelection, [Int], Bool)]
    )
    func selections(_ selection: SubtitleSelection, _ ids: [Int], _ isIncomplete: Bool) {
        let found = chooser.ids(selection)
        #expect(found.ids == ids)
        #expect(found.isIncomplete == isIncomplete)
    }

    @Test(
        "A choice resolves to a track by its mark, position, id or language, if there is one",
        arguments: [
            (.automatic, 7), (.number(0), 2), (.number(6), 8), (.number(7), nil), (.id(5), 5), (.id(0), nil),
            (.language("eng"), 6), (.language("Klingon"), nil),
        ] as [(SubtitleChoice, Int?)]
    )
    func choices(_ choice: SubtitleChoice, _ id: Int?) {
        #expect(chooser.track(choice)?.id == id)
    }

    @Test("Without a marked track, none is shown and the first is read")
    func withoutMark() {
        let plain = SubtitleChooser([Self.track(2, "eng"), Self.track(3, "ger")])
        #expect(plain.ids(.automatic).ids == [])
        #expect(plain.track(.automatic)?.id == 2)
        #expect(SubtitleChooser([]).track(.automatic) == nil)
    }
}
