// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Elements of the CODECS attribute (RFC 6381 §3.3, and the binding of each codec).
package enum CodecString {
    /// `avc1.PPCCLL`: profile, constraint flags and level in hexadecimal.
    static func h264(profile: Int, constraints: Int, level: Int) -> String {
        "avc1." + hex(profile) + hex(constraints) + hex(level)
    }

    /// `hvc1.<profile>.<compatibility>.<tier and level>.<constraints>` (ISO/IEC 14496-15 §E.3).
    static func hevc(_ profile: HEVCProfile) -> String {
        var reversed: UInt32 = 0
        for bit in 0..<32 where profile.compatibility >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
        let space = profile.space == 0 ? "" : ["", "A", "B", "C"][profile.space & 3]
        var parts = ["hvc1", "\(space)\(profile.profile)", String(reversed, radix: 16, uppercase: true)]
        parts.append("\(profile.isHighTier ? "H" : "L")\(profile.level)")
        let constraints = profile.constraints.reversed().drop { $0 == 0 }.reversed()
        return (parts + constraints.map { String($0, radix: 16, uppercase: true) }).joined(separator: ".")
    }

    /// `av01.P.LLT.DD`, with the optional fields if the bitstream specifies its colour (AV1-ISOBMFF §5).
    static func av1(_ header: AV1SequenceHeader) -> String {
        let tier = header.isHighTier ? "H" : "M"
        let base = "av01.\(header.profile).\(decimal(header.level))\(tier).\(decimal(header.bitDepth))"
        let color = header.display.color
        guard color.isSpecified else { return base }
        let position = header.subsamplingX && header.subsamplingY ? header.chromaSamplePosition : 0
        let subsampling = "\(header.subsamplingX ? 1 : 0)\(header.subsamplingY ? 1 : 0)\(position)"
        return base + ".\(header.isMonochrome ? 1 : 0).\(subsampling).\(decimal(color.primaries))"
            + ".\(decimal(color.transfer)).\(decimal(color.matrix)).\(color.isFullRange ? 1 : 0)"
    }

    /// `vp09.PP.LL.DD`, with the optional fields if colour is specified (VP codec binding §4).
    static func vp9(_ configuration: VP9Configuration) -> String {
        let numbers = [configuration.profile, configuration.level, configuration.bitDepth]
        let color = configuration.color
        let more = [
            configuration.chromaSubsampling, color.primaries, color.transfer, color.matrix, color.isFullRange ? 1 : 0,
        ]
        return (["vp09"] + (color.isSpecified ? numbers + more : numbers).map(decimal)).joined(separator: ".")
    }

    /// `mp4a.40.N`, where N is the audio object type in decimal.
    static func mpeg4Audio(objectType: Int) -> String { "mp4a.40.\(objectType)" }

    /// `mp4a.6B` for MPEG-1 audio, `mp4a.69` for MPEG-2: the object type indication of the entry's descriptor. Browsers
    /// accept these names. `mp4a.40.34` would be MPEG-4's own packaging of the format, which they reject.
    static func mpegAudio(sampleRate: Int) -> String {
        "mp4a." + hex(Int(ElementaryStreamDescriptor.mpegAudio(sampleRate: sampleRate)))
    }

    static let ac3 = "ac-3"
    static let eac3 = "ec-3"
    static let flac = "fLaC"
    static let alac = "alac"
    static let opus = "Opus"

    /// The low byte as two upper-case digits.
    static func hex(_ value: Int) -> String {
        let digits = String(value & 0xFF, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    /// At least two decimal digits.
    static func decimal(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
