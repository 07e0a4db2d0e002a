// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging

/// Decides which variants of a presentation are tried and in which order, and describes all variants to clients. Pure.
package struct VariantChoice {
    /// The codecs that the engine serves or decodes. A variant with any other codec is not tried.
    private static let families: Set<Substring> = [
        "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "av01", "dav1", "vp09", "vp08", "mp4v",
        "mp4a", "ac-3", "ec-3", "fLaC", "flac", "Opus", "opus", "alac", "dtsc", "dtse", "dtsh", "dtsl",
        "stpp", "wvtt",
    ]

    /// The variants' positions in the playlist, in the order in which they are tried. Never empty.
    package let places: [Int]
    private let variants: [HLSVariant]
    private let options: LoadOptions
    private let ladder: HLSLadder
    private var failures: [Int: EngineError] = [:]

    /// - Parameter path: the path of the source, for messages.
    /// - Throws: `invalidArgument` if the options name a variant that does not exist; `noPlayableStream` if no variant
    ///   can be played.
    package init(_ variants: [HLSVariant], for options: LoadOptions, of path: String) throws(EngineError) {
        self.variants = variants
        self.options = options
        let selection = options.variants
        let wanted = try Self.wanted(selection.choice, variants, path)
        do throws(HLSLadder.Failure) {
            let policy = HLSVariantPolicy(
                choice: wanted.map { .fixed($0) } ?? .ladder,
                maxHeight: selection.maxHeight,
                maxBandwidth: selection.maxBandwidth
            )
            ladder = try HLSLadder(variants, policy: policy) { $0.filter { !Self.families.contains($0.codecFamily) } }
        } catch {
            throw EngineError(.noPlayableStream, "no variant of \(path) can be played", cause: "\(error)")
        }
        let rungs = ladder.rungs.reversed()
        let supported = rungs.filter { Self.isSupported($0.variant, by: options.profile) }
        let others = rungs.filter { !Self.isSupported($0.variant, by: options.profile) }
        places = (supported + others).flatMap { [$0.place] + $0.backups }
    }

    /// The position of the variant that the client selects; `nil` if the engine chooses.
    private static func wanted(
        _ choice: VariantSelection.Choice,
        _ variants: [HLSVariant],
        _ path: String
    ) throws(EngineError) -> Int? {
        let place: Int?
        let what: String
        switch choice {
        case .automatic: return nil
        case .index(let index): (place, what) = (variants.indices.contains(index) ? index : nil, "number \(index)")
        case .bandwidth(let bandwidth):
            (place, what) = (variants.firstIndex { $0.bandwidth == bandwidth }, "\(bandwidth) bit/s")
        case .name(let name):
            (place, what) = (variants.firstIndex { $0.name == name || $0.stableID == name }, "the name \(name)")
        }
        guard let place else {
            let known = variants.enumerated().map { index, variant in
                "\(index)\(variant.name.map { " \($0)" } ?? "") (\(variant.bandwidth) bit/s)"
            }
            throw EngineError(
                .invalidArgument,
                "\(path) has no variant with \(what), only \(known.joined(separator: ", "))",
                field: "options.variants"
            )
        }
        return place
    }

    /// Whether a player with this profile decodes the video of a variant, as far as the playlist states its codecs.
    private static func isSupported(_ variant: HLSVariant, by profile: PlayerProfile) -> Bool {
        let entries: [Substring: String] = ["avc3": "avc1", "hev1": "hvc1", "dvhe": "dvh1"]
        return variant.videoCodecs.allSatisfy { codec in
            let family = codec.codecFamily
            return profile.formats.contains(entries[family] ?? String(family))
        }
    }

    /// Records that the playlist of a variant could not be read.
    package mutating func noteFailure(of place: Int, _ error: EngineError) { failures[place] = error }

    /// The positions of the variants that players may switch to from the played one, in descending order of bandwidth.
    /// Each can continue the video of the played one. Empty if the client selected a variant, or if the player does not
    /// decode the played one.
    package func offered(beside played: Int) -> [Int] {
        guard Self.isSupported(variants[played], by: options.profile) else { return [] }
        return continuing(played).filter { Self.isSupported(variants[$0], by: options.profile) }
    }

    /// The positions of the variants that can continue the video of the played one, in descending order of bandwidth.
    /// Empty if the client selected a variant, or if the played one has no video.
    private func continuing(_ played: Int) -> [Int] {
        let lead = variants[played]
        guard options.variants.choice == .automatic, lead.hasVideo else { return [] }
        return ladder.rungs.reversed().filter { rung in
            let variant = rung.variant
            return rung.place != played && variant.url != lead.url && failures[rung.place] == nil
                && variant.videoKind == lead.videoKind && variant.hasVideo && variant.hasAudio == lead.hasAudio
        }.map(\.place)
    }

    /// The positions of the variants that the engine may play instead of the played one while a live presentation runs,
    /// in descending order of bandwidth. Each has the same audio, because the configuration of the audio cannot change.
    /// Variants that state no bandwidth are left out, because they cannot be compared with others.
    package func alternatives(to played: Int) -> [Int] {
        let lead = variants[played]
        let isSupported = Self.isSupported(lead, by: options.profile)
        guard lead.bandwidth > 0 else { return [] }
        return continuing(played).filter { place in
            let variant = variants[place]
            return variant.bandwidth > 0 && variant.audioGroup == lead.audioGroup
                && variant.audioCodecs == lead.audioCodecs
                && Self.isSupported(variant, by: options.profile) == isSupported
        }
    }

    /// The positions of the variants from which the software path may read segments instead of those of the played one,
    /// in descending order of bandwidth. Their audio may be in another codec, because the software path decodes it.
    /// Variants that state no bandwidth are left out, because they cannot be compared with others.
    package func readable(insteadOf played: Int) -> [Int] {
        guard variants[played].bandwidth > 0 else { return [] }
        return continuing(played).filter { variants[$0].bandwidth > 0 }
    }

    // MARK: Descriptions

    /// All variants, each with its use and the reason for it.
    ///
    /// - Parameters:
    ///   - offered: the positions in `offered(beside:)` that can be offered.
    ///   - alternatives: the positions of the variants that the engine may switch to.
    ///   - slides: whether the window of the presentation moves, so that the engine switches only between variants with
    ///     the same audio.
    package func described(
        playing played: Int,
        offering offered: Set<Int> = [],
        switchingTo alternatives: Set<Int> = [],
        slides: Bool = false
    ) -> [SourceVariant] {
        variants.enumerated().map { place, variant in
            var found = SourceVariant(index: place)
            found.name = variant.name ?? variant.stableID ?? ""
            found.bandwidth = variant.bandwidth
            found.averageBandwidth = variant.averageBandwidth ?? 0
            (found.width, found.height) = (variant.resolution?.width ?? 0, variant.height)
            found.frameRate = variant.frameRate ?? 0
            found.codecs = variant.codecs
            found.videoRange = variant.videoRange ?? ""
            if place == played {
                (found.use, found.reason) = (.played, reasonToPlay(variant))
            } else if offered.contains(place) {
                (found.use, found.reason) = (.offered, "players may switch to it")
            } else if alternatives.contains(place) {
                (found.use, found.reason) = (.unused, SourceVariant.reasonForAlternative)
            } else {
                let audio = slides && continuing(played).contains(place) ? reasonOfAudio(place, beside: played) : nil
                (found.use, found.reason) = (.unused, audio ?? reasonNotToPlay(place))
            }
            return found
        }
    }

    private func reasonToPlay(_ variant: HLSVariant) -> String {
        switch options.variants.choice {
        case .index: return "chosen by its number"
        case .bandwidth: return "chosen by its bandwidth"
        case .name: return "chosen by its name"
        case .automatic: break
        }
        guard isWithinCaps(variant) else { return "the lowest one, because none is within the caps" }
        let ability =
            Self.isSupported(variant, by: options.profile) ? " that the player can play" : " that can be decoded"
        let caps = options.variants.maxHeight == nil && options.variants.maxBandwidth == nil ? "" : " within the caps"
        return "the highest bandwidth\(caps)\(ability)\(failures.isEmpty ? "" : ", of those that can be fetched")"
    }

    /// Why the engine cannot switch from the played variant to another one, if that is because of the audio.
    private func reasonOfAudio(_ place: Int, beside played: Int) -> String? {
        let (variant, lead) = (variants[place], variants[played])
        func names(_ variant: HLSVariant) -> String {
            variant.audioCodecs.isEmpty ? "not stated" : variant.audioCodecs.sorted().joined(separator: ", ")
        }
        if variant.audioCodecs != lead.audioCodecs {
            return "its audio is \(names(variant)), but that of the played variant is \(names(lead))"
        }
        return variant.audioGroup == lead.audioGroup ? nil : "it does not have the audio of the played variant"
    }

    private func isWithinCaps(_ variant: HLSVariant) -> Bool {
        let selection = options.variants
        return variant.height <= selection.maxHeight ?? .max && variant.bandwidth <= selection.maxBandwidth ?? .max
    }

    private func reasonNotToPlay(_ place: Int) -> String {
        if let error = failures[place] { return "its playlist cannot be read: \(error)" }
        if let exclusion = ladder.excluded[place] { return "\(exclusion)" }
        guard Self.isSupported(variants[place], by: options.profile) else {
            return "\(options.profile.label) does not decode its video"
        }
        return options.variants.choice == .automatic
            ? "it does not continue the one that is played" : "another one was chosen"
    }
}

extension String {
    fileprivate var codecFamily: Substring { prefix { $0 != "." } }
}
