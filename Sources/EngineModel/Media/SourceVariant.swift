// SPDX-License-Identifier: Apache-2.0

/// One of the forms of the same media: a variant of an HLS presentation, or a size of the ladder that a load asks for.
public struct SourceVariant: Hashable, Sendable {
    /// How a session uses a variant.
    public enum Use: String, Hashable, Sendable, CaseIterable {
        /// The session plays its media.
        case played
        /// Players may switch to it: the master playlist names it too.
        case offered
        /// Neither played nor offered to players.
        case unused
    }

    /// Counted from 0 in the order of the source. The sizes of a ladder follow the variants of the source.
    public var index: Int
    /// The variant's name in the source. Empty if it has none.
    public var name = ""
    /// The peak in bits per second. 0 if unknown.
    public var bandwidth: Int64 = 0
    /// In bits per second. 0 if unknown.
    public var averageBandwidth: Int64 = 0
    /// In pixels. 0 if unknown.
    public var width = 0
    public var height = 0
    /// In frames per second. 0 if unknown.
    public var frameRate = 0.0
    /// As the source states them. Empty if it states none.
    public var codecs: [String] = []
    /// `SDR`, `HLG` or `PQ`. Empty if unknown.
    public var videoRange = ""
    public var use = Use.unused
    /// The reason for `use`, as a text for users.
    public var reason = ""

    public init(index: Int) { self.index = index }

    /// The `reason` of an unused variant to which the engine may switch.
    package static let reasonForAlternative = "the engine switches to it when the bandwidth suggests it"
}

/// Which variant of a source is played. No effect on a source that has only one form.
public struct VariantSelection: Hashable, Sendable {
    public enum Choice: Hashable, Sendable {
        /// The one with the highest bandwidth, within the caps, that the player can play. While a live source runs, and
        /// on the software path, the engine switches to others as the bandwidth changes.
        case automatic
        /// By `SourceVariant.index`.
        case index(Int)
        /// By the exact peak bandwidth that the source states, in bits per second.
        case bandwidth(Int64)
        /// By `SourceVariant.name`.
        case name(String)
    }

    package static let nameLimit = 256

    public var choice: Choice
    /// Variants with more lines are not played, unless all have more: then the smallest is. `nil`: no limit. No effect
    /// on a variant that is chosen explicitly.
    public var maxHeight: Int?
    /// The same for the peak bandwidth, in bits per second.
    public var maxBandwidth: Int64?

    public init(_ choice: Choice = .automatic, maxHeight: Int? = nil, maxBandwidth: Int64? = nil) {
        self.choice = choice
        self.maxHeight = maxHeight
        self.maxBandwidth = maxBandwidth
    }
}
