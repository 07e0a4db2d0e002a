// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The CHANNELS attribute (RFC 8216bis §4.4.6.1).
enum Channels {
    /// What a Dolby Digital Plus stream with joint object coding counts as when it does not say: the number in every
    /// example of the HLS Authoring Specification for Apple Devices.
    private static let usualObjectCount = 16

    /// `6`; `16/JOC` for E-AC-3 with joint object coding, the number being the complexity index: the objects a decoder has
    /// to render. `nil` when nothing is known.
    static func text(_ audio: AudioProperties) -> String? {
        if case .dolbyAtmos(let complexity) = audio.objects { return "\(complexity ?? usualObjectCount)/JOC" }
        return audio.channels > 0 ? "\(audio.channels)" : nil
    }
}
