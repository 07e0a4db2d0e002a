// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Another variant of the presentation, which players may switch to.
package struct ListSibling: Hashable, Sendable {
    package let variant: SourceVariant
    /// Whether its segments hold its audio: the same tracks as those of this source. Otherwise this source has its
    /// audio.
    package let hasOwnAudio: Bool
    /// As the playlist states them. Empty if it does not.
    package let videoCodecs: [String]
    package let supplementalCodecs: [String]

    package init(
        _ variant: SourceVariant,
        hasOwnAudio: Bool,
        videoCodecs: [String] = [],
        supplementalCodecs: [String] = []
    ) {
        self.variant = variant
        self.hasOwnAudio = hasOwnAudio
        self.videoCodecs = videoCodecs
        self.supplementalCodecs = supplementalCodecs
    }
}

/// The variants of a presentation.
package struct ListVariants: Sendable {
    /// All of them, of which the source is one. Empty if there is only one form.
    package var all: [SourceVariant] = []
    /// Those that players may switch to, in the order in which they are listed.
    package var siblings: [ListSibling] = []
    /// Opens one of `siblings`.
    package var open: @Sendable (Opening, InterruptFlag) throws(EngineError) -> SegmentListSource =
        { (opening, _) throws(EngineError) in throw EngineError(.internal, "there is no variant \(opening.index)") }

    /// Which variant is opened, and how.
    package struct Opening: Hashable, Sendable {
        /// `SourceVariant.index`.
        package let index: Int
        /// Whether the list has to be fetched again first, because its URLs may have been signed again.
        package let isStale: Bool
        /// `SegmentListSource.originOffset` of the variant.
        package let originOffset: MediaTime?
    }

    package init() {}
}
