// SPDX-License-Identifier: Apache-2.0

import EngineJSON
import EngineModel
import Testing

@testable import enginectl

@Suite("How enginectl shows loudness")
struct LoudnessTextTests {
    private static let loudness = Loudness(
        integrated: -23.04,
        range: 6.25,
        truePeak: -.infinity,
        duration: .seconds(83.5)
    )

    @Test("as text, there is one value per line")
    func text() {
        let expected = """
            integrated  -23.0 LUFS
            range       6.3 LU
            true peak   silence
            measured    1:23.500
            """
        #expect(LoudnessText(loudness: Self.loudness).lines == expected)
    }

    @Test("as JSON, silence is null")
    func json() {
        var step = LoudnessStep(stream: 1)
        step.loudness = Self.loudness
        let expected =
            #"{"stream":1,"integrated_lufs":-23.04,"range_lu":6.25,"true_peak_dbtp":null,"duration_us":83500000}"#
        #expect(step.json().text == expected)
    }
}
