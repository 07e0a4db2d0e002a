// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("The audio track that a selection resolves to")
struct AudioChoiceTests {
    /// Streams 1 … 6.
    private let candidates: [AudioChoice.Candidate] = [
        .init(stream: 1, language: "eng", dispositions: ["comment"]),
        .init(stream: 2, language: "ger", dispositions: []),
        .init(stream: 3, language: "en-GB", dispositions: []),
        .init(stream: 4, language: "pt-BR", dispositions: ["default"]),
        .init(stream: 5, language: "nob", dispositions: []),
        .init(stream: 6, language: "", dispositions: []),
    ]

    @Test(
        "By index, otherwise by the first matching language, otherwise by the source's default",
        arguments: [
            (.automatic, 4, false), (.stream(2), 2, false), (.stream(9), 4, true),
            (.languages(["de"]), 2, false), (.languages(["DEU"]), 2, false), (.languages(["ger"]), 2, false),
            (.languages(["german"]), 2, false), (.languages(["fr", "German"]), 2, false),
            (.languages(["de-CH"]), 2, false), (.languages(["pt-PT"]), 4, false),
            // The nearest tag decides first, even if its track is a commentary.
            (.languages(["en"]), 1, false), (.languages(["en-GB"]), 3, false), (.languages(["en_gb"]), 3, false),
            (.languages(["en-US"]), 1, false), (.languages(["no"]), 5, false),
            (.languages(["Norwegian Nynorsk"]), 5, false),
            (.languages(["und"]), 4, true), (.languages(["", "x", "Klingon"]), 4, true), (.languages([]), 4, true),
        ] as [(AudioSelection, Int, Bool)]
    )
    func choice(selection: AudioSelection, stream: Int, isFallback: Bool) throws {
        let choice = try #require(AudioChoice(selection, among: candidates))
        #expect(candidates[choice.place].stream == stream)
        #expect(choice.isFallback == isFallback)
    }

    @Test("Among tracks of one language, a main track precedes a commentary, and the marked one comes first")
    func kinds() {
        var candidates: [AudioChoice.Candidate] = [
            .init(stream: 1, language: "en", dispositions: ["visual_impaired"]),
            .init(stream: 2, language: "en", dispositions: []),
            .init(stream: 3, language: "en", dispositions: ["default"]),
        ]
        #expect(AudioChoice(.languages(["en"]), among: candidates)?.place == 2)
        candidates.removeLast()
        #expect(AudioChoice(.languages(["en"]), among: candidates)?.place == 1)
        #expect(AudioChoice(.automatic, among: candidates)?.place == 0)
        #expect(AudioChoice(.automatic, among: []) == nil)
    }
}
