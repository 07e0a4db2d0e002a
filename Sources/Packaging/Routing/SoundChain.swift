// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Glibc

/// Decides which filters change the audio of one track. Pure.
///
/// Filters are written as on ffmpeg's command line. None of them delays its output or changes the number of samples.
/// Their memory ends within `preroll`, so the samples of a segment depend only on the audio shortly before it.
package struct SoundChain: Hashable, Sendable {
    /// The highest true peak, in dBTP: the limit of EBU R 128 for production.
    package static let peak = -1.0
    /// By how much the limiter stays below `peak`, in dB: the conversion back to the rate of the audio raises peaks a
    /// little.
    private static let margin = 0.5
    /// The gain that leveling may apply, in dB. More would lift noise, or hide a wrong measurement.
    package static let gains = -30.0...20.0
    /// How long before a wanted sample the filters must start. After this time the compressor's detector has forgotten
    /// even full scale: it is below the level from which the compressor acts.
    package static let preroll = MediaTime.seconds(3)

    private static let frontPair: UInt64 = 0x3
    private static let center: UInt64 = 0x4
    /// The limiter works at four times the usual rates, because the peaks between samples count (ITU-R BS.1770-4, annex
    /// 2).
    private static let highestRate = 192_000

    private let isNightMode: Bool
    private let dialogueLift: Double
    /// In dB. 0: none.
    private let gain: Double

    /// `nil` if the audio passes unchanged.
    ///
    /// - Parameter loudness: the integrated loudness of the track in LUFS. `nil`: it is not known, and the track keeps
    ///   its level. So does a silent track, whose loudness is not finite.
    package init?(_ treatment: SoundTreatment, loudness: Double? = nil) {
        isNightMode = treatment.isNightMode
        dialogueLift = treatment.dialogueLift
        let wanted = treatment.loudnessTarget.flatMap { target in loudness.map { target - $0 } } ?? 0
        gain = wanted.isFinite ? min(max(wanted, Self.gains.lowerBound), Self.gains.upperBound) : 0
        let isLeveled = treatment.loudnessTarget != nil && loudness?.isFinite == true
        guard isNightMode || dialogueLift > 0 || isLeveled else { return nil }
    }

    /// The filters for channels of the source, before any of them are mixed. Empty: none.
    ///
    /// - Parameter mask: the channels (`AV_CH_*`).
    package func shaping(_ mask: UInt64) -> String {
        var filters: [String] = []
        if gain != 0 { filters.append("volume=\(gain)dB:precision=float") }
        if dialogueLift > 0 { filters += Self.dialogue(mask, by: dialogueLift) }
        if isNightMode { filters.append(Self.compressor) }
        return filters.joined(separator: ",")
    }

    /// The filters for the channels that are heard: they keep true peaks below `peak`.
    ///
    /// - Parameter rate: samples per second of input and output.
    package static func limiter(rate: Int) -> String {
        let factor = max(1, highestRate / max(1, rate))
        let limiter = "alimiter=limit=\(peak - margin)dB:level=0:attack=5:release=50:latency=1"
        return factor == 1 ? limiter : "aresample=\(rate * factor),\(limiter),aresample=\(rate)"
    }

    /// Why a track is re-encoded.
    package var reason: String {
        var effects: [String] = []
        if isNightMode { effects.append("night mode") }
        if dialogueLift > 0 { effects.append("louder dialogue") }
        if !isNightMode, dialogueLift == 0 { effects.append("another loudness") }
        return "the load asks for \(effects.joined(separator: " and "))"
    }

    // MARK: Filters

    /// Quiet audio becomes 12 dB louder; above a soft knee around -36 dBFS, four decibels of the source become one. So
    /// dialogue at the usual -27 becomes 3 dB louder, and a full-scale tone 15 dB quieter. The loudest channel decides
    /// for all, so that the directions of sounds remain.
    private static let compressor =
        "acompressor=threshold=-36dB:ratio=4:knee=8:attack=20:release=1000:makeup=12dB:link=maximum:detection=rms"

    /// Raises what usually carries speech: the centre channel; without one, the band of speech in what both front
    /// channels have in common; otherwise that band in all channels.
    private static func dialogue(_ mask: UInt64, by lift: Double) -> [String] {
        let count = mask.nonzeroBitCount
        if count > 1, mask & center != 0 {
            let place = (mask & (center - 1)).nonzeroBitCount
            let factor = pow(10, lift / 20)
            let terms = (0..<count).map { $0 == place ? "c\($0)=\(factor)*c\($0)" : "c\($0)=c\($0)" }
            return [pan(mask, terms)]
        }
        guard count > 1, mask & frontPair == frontPair else { return [speech(by: lift)] }
        let rest = (2..<max(2, count)).map { "c\($0)=c\($0)" }
        return [
            pan(mask, ["c0=0.5*c0+0.5*c1", "c1=0.5*c0-0.5*c1"] + rest),
            "\(speech(by: lift)):channels=FL",
            pan(mask, ["c0=c0+c1", "c1=c0-c1"] + rest),
        ]
    }

    /// A broad peak around 1.5 kHz: half of the lift, in decibels, at 530 Hz and 4.2 kHz.
    private static func speech(by lift: Double) -> String {
        "equalizer=frequency=1500:width_type=o:width=3:gain=\(lift)"
    }

    private static func pan(_ mask: UInt64, _ terms: [String]) -> String {
        "pan=0x\(String(mask, radix: 16))|\(terms.joined(separator: "|"))"
    }
}

extension LoadOptions {
    /// How the audio of a stream is changed; `nil`: it passes unchanged.
    package func soundChain(of stream: Int) -> SoundChain? { SoundChain(sound, loudness: soundLevels?[stream]) }

    /// The streams that keep their level although the load asks for another, because their loudness is not known.
    package func unmeasured(_ streams: [Int]) -> [Int] {
        guard sound.loudnessTarget != nil else { return [] }
        return streams.filter { soundLevels?[$0] == nil }
    }
}
