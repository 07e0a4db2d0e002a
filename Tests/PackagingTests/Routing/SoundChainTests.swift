// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("The filters that change audio")
struct SoundChainTests {
    private static func treatment(night: Bool = false, dialogue: Double = 0, target: Double? = nil) -> SoundTreatment {
        var treatment = SoundTreatment()
        treatment.isNightMode = night
        treatment.dialogueLift = dialogue
        treatment.loudnessTarget = target
        return treatment
    }

    private static let compressor =
        "acompressor=threshold=-36dB:ratio=4:knee=8:attack=20:release=1000:makeup=12dB:link=maximum:detection=rms"
    private static let speech = "equalizer=frequency=1500:width_type=o:width=3:gain=6.0"

    @Test(
        "are none if nothing is to be changed, or the loudness is not known",
        arguments: [
            (treatment(), nil), (treatment(), -30), (treatment(target: -23), nil), (treatment(target: -23), -.infinity),
        ] as [(SoundTreatment, Double?)]
    )
    func none(treatment: SoundTreatment, loudness: Double?) {
        #expect(SoundChain(treatment, loudness: loudness) == nil)
    }

    @Test(
        "bring a track to the target by a constant gain, within limits",
        arguments: [
            (-23, -30, "volume=7.0dB:precision=float"), (-23, -16.5, "volume=-6.5dB:precision=float"), (-23, -23, ""),
            (-16, -60, "volume=20.0dB:precision=float"), (-40, -3, "volume=-30.0dB:precision=float"),
        ] as [(Double, Double, String)]
    )
    func gain(target: Double, loudness: Double, filters: String) throws {
        let chain = try #require(SoundChain(Self.treatment(target: target), loudness: loudness))
        #expect(chain.shaping(0x3) == filters)
    }

    @Test(
        "raise dialogue in the centre channel, or the band of speech where there is none",
        arguments: [
            // Mono, stereo, 2.1, quadraphonic.
            (0x4, speech),
            (
                0x3,
                "pan=0x3|c0=0.5*c0+0.5*c1|c1=0.5*c0-0.5*c1,\(speech):channels=FL,pan=0x3|c0=c0+c1|c1=c0-c1"
            ),
            (
                0xB,
                "pan=0xb|c0=0.5*c0+0.5*c1|c1=0.5*c0-0.5*c1|c2=c2,\(speech):channels=FL,"
                    + "pan=0xb|c0=c0+c1|c1=c0-c1|c2=c2"
            ),
            // 3.0, 5.1 with back and side channels.
            (0x7, "pan=0x7|c0=c0|c1=c1|c2=1.9952623149688795*c2"),
            (0x3F, "pan=0x3f|c0=c0|c1=c1|c2=1.9952623149688795*c2|c3=c3|c4=c4|c5=c5"),
            (0x60F, "pan=0x60f|c0=c0|c1=c1|c2=1.9952623149688795*c2|c3=c3|c4=c4|c5=c5"),
            // A centre without front channels.
            (0xC, "pan=0xc|c0=1.9952623149688795*c0|c1=c1"),
            // Side channels alone.
            (0x600, speech),
        ] as [(UInt64, String)]
    )
    func dialogue(mask: UInt64, filters: String) throws {
        let chain = try #require(SoundChain(Self.treatment(dialogue: 6)))
        #expect(chain.shaping(mask) == filters)
    }

    @Test("level a track first, then raise dialogue, then compress")
    func order() throws {
        let chain = try #require(SoundChain(Self.treatment(night: true, dialogue: 6, target: -23), loudness: -30))
        #expect(chain.shaping(0x4) == "volume=7.0dB:precision=float,\(Self.speech),\(Self.compressor)")
        // Night mode and dialogue need no loudness.
        let unknown = try #require(SoundChain(Self.treatment(night: true, target: -23)))
        #expect(unknown.shaping(0x4) == Self.compressor)
    }

    @Test(
        "limit true peaks at four times the usual rates",
        arguments: [
            (8000, 192_000), (44_100, 176_400), (48_000, 192_000), (96_000, 192_000), (192_000, nil), (176_400, nil),
        ]
            as [(Int, Int?)]
    )
    func limiter(rate: Int, inner: Int?) {
        let limiter = "alimiter=limit=-1.5dB:level=0:attack=5:release=50:latency=1"
        let expected = inner.map { "aresample=\($0),\(limiter),aresample=\(rate)" } ?? limiter
        #expect(SoundChain.limiter(rate: rate) == expected)
    }

    @Test(
        "say why a track is re-encoded",
        arguments: [
            (treatment(night: true), "night mode"), (treatment(dialogue: 3), "louder dialogue"),
            (treatment(night: true, dialogue: 3, target: -23), "night mode and louder dialogue"),
            (treatment(target: -23), "another loudness"),
        ]
    )
    func reason(treatment: SoundTreatment, words: String) throws {
        #expect(try #require(SoundChain(treatment, loudness: -30)).reason == "the load asks for \(words)")
    }

    @Test("use the level of their stream; streams without a known level are listed as unmeasured")
    func levels() {
        var options = LoadOptions()
        #expect(options.unmeasured([1, 2]).isEmpty)
        options.sound.loudnessTarget = -23
        #expect(options.unmeasured([1, 2]) == [1, 2] && options.soundChain(of: 1) == nil)
        options.soundLevels = [1: -30, 2: -.infinity]
        #expect(options.unmeasured([1, 2, 3]) == [3])
        #expect(options.soundChain(of: 1)?.shaping(0x3) == "volume=7.0dB:precision=float")
        #expect(options.soundChain(of: 2) == nil && options.soundChain(of: 3) == nil)
    }
}
