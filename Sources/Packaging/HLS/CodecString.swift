// SPDX-License-Identifier: Apache-2.0

/// Elements of the CODECS attribute (RFC 6381 §3.3, and each codec's own binding).
package enum CodecString {
    /// `avc1.PPCCLL`: profile, constraint flags and level in hexadecimal.
    static func h264(profile: Int, constraints: Int, level: Int) -> String {
        "avc1." + hex(profile) + hex(constraints) + hex(level)
    }

    /// `mp4a.40.N`, N the audio object type in decimal.
    static func mpeg4Audio(objectType: Int) -> String { "mp4a.40.\(objectType)" }

    /// The low byte as two upper-case digits.
    static func hex(_ value: Int) -> String {
        let digits = String(value & 0xFF, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    /// At least two decimal digits.
    static func decimal(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
