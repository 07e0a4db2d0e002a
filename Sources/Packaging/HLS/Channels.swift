// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The CHANNELS attribute (RFC 8216bis §4.4.6.1; for joint object coding, Dolby's "Codec type indication for Dolby
/// Atmos content" in the Dolby Digital Plus Online Delivery Kit).
enum Channels {
    /// The largest possible complexity index, which nearly every stream uses.
    private static let usualObjectCount = 16

    /// `6`; `16/JOC` for E-AC-3 with joint object coding, where the number is the complexity index, that is, the number
    /// of decodable objects. `nil` if unknown.
    static func text(_ audio: AudioProperties) -> String? {
        if case .dolbyAtmos(let complexity) = audio.objects { return "\(complexity ?? usualObjectCount)/JOC" }
        return audio.channels > 0 ? "\(audio.channels)" : nil
    }
}
