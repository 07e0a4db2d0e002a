// SPDX-License-Identifier: Apache-2.0

/// A caption service within the video, as the container announces it.
package struct CaptionService: Hashable, Sendable {
    /// In the syntax of INSTREAM-ID: `CC1`, `CC3`, `SERVICE1` to `SERVICE63`.
    package var name: String
    /// As the source spells it. Empty if unknown.
    package var language: String

    package init(name: String, language: String) {
        self.name = name
        self.language = language
    }
}
