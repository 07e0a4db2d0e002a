// SPDX-License-Identifier: Apache-2.0

/// The CHARACTERISTICS attribute (RFC 8216 §4.3.4.1): media characteristics as Uniform Type Identifiers.
package enum Characteristics {
    /// The words there are for sound. Dubbed, original and commentary tracks have none: their NAME tells.
    ///
    /// - Parameter dispositions: `AV_DISPOSITION_*` words of the source.
    package static func ofAudio(_ dispositions: [String]) -> [String] {
        let describes = dispositions.contains("visual_impaired") || dispositions.contains("descriptions")
        return describes ? ["public.accessibility.describes-video"] : []
    }

    /// What subtitles for the hard of hearing tell beside the words (§4.3.4.1; the pair is Apple's for such subtitles).
    /// Plain-language subtitles have no disposition.
    package static func ofSubtitles(_ dispositions: [String]) -> [String] {
        let describes = dispositions.contains("hearing_impaired") || dispositions.contains("captions")
        guard describes else { return [] }
        return [
            "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
        ]
    }
}
