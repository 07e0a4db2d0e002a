// SPDX-License-Identifier: Apache-2.0

/// The CHARACTERISTICS attribute (RFC 8216 §4.3.4.1): media characteristics as Uniform Type Identifiers.
package enum Characteristics {
    /// The characteristics defined for audio. Dubbed, original and commentary tracks have none; only NAME identifies
    /// them.
    ///
    /// - Parameter dispositions: the source's `AV_DISPOSITION_*` words.
    package static func ofAudio(_ dispositions: [String]) -> [String] {
        let describes = dispositions.contains("visual_impaired") || dispositions.contains("descriptions")
        return describes ? ["public.accessibility.describes-video"] : []
    }

    /// The characteristics of subtitles for the hard of hearing (§4.3.4.1; Apple specifies this pair for them). There
    /// is no disposition for plain-language subtitles.
    package static func ofSubtitles(_ dispositions: [String]) -> [String] {
        let describes = dispositions.contains("hearing_impaired") || dispositions.contains("captions")
        guard describes else { return [] }
        return [
            "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
        ]
    }
}
