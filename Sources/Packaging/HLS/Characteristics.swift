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
}
