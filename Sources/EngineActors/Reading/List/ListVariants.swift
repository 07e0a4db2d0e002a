// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Another variant of the presentation, which players may switch to.
package struct ListSibling: Hashable, Sendable {
    package let variant: SourceVariant
    /// Whether its segments contain audio, with the same tracks as this source. If not, it is played with the audio of this
    /// source.
    package let hasOwnAudio: Bool
    /// The codecs that the playlist states. Empty if it states none.
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
struct ListVariants: Sendable {
    /// All variants, including this source. Empty if the source has no variants.
    var all: [SourceVariant] = []
    /// Those that players may switch to, in the order in which they are listed.
    var siblings: [ListSibling] = []
    /// The variants between which the engine switches in a live presentation. `nil` if it keeps to one.
    var ladder: LiveLadder?
    /// The variants of any other presentation from which the software path reads. `nil` if it keeps to one.
    var readable: LiveLadder?
    /// Opens one of `siblings`, or of the variants in `readable`.
    var open: @Sendable (Opening, InterruptFlag) throws(EngineError) -> SegmentListSource =
        { (opening, _) throws(EngineError) in throw EngineError(.internal, "there is no variant \(opening.index)") }

    /// The variant that is opened, and the way to open it.
    struct Opening: Sendable {
        /// `SourceVariant.index`.
        let index: Int
        /// Whether the list has to be fetched again first, because its URLs may have been signed again.
        let isStale: Bool
        /// `ListFacts.originOffset` of the variant.
        let originOffset: MediaTime?
        /// As for `ListFetcher`.
        var measured: Locked<SegmentThroughput>?
        /// Whether segments that cannot be read are read from the variant that was opened.
        var isReplaceable = false
    }
}

/// What the multivariant playlist states about a list, and what opening it has found.
struct ListFacts: Sendable {
    /// The peak bit rate that the list states, in bits per second. 0 if it states none.
    var bitRate: Int64 = 0
    var variants = ListVariants()
    /// The kinds of media that the list may have.
    var kinds: Set<StreamKind> = [.video, .audio]
    /// For a variant whose timeline must begin at the same picture as that of another: where the timeline begins,
    /// relative to the first picture. If `nil`, the first packets determine it.
    var originOffset: MediaTime?
    /// Notices for the user.
    var notices: [Notice] = []
}
