// SPDX-License-Identifier: Apache-2.0

/// The choice of variants of a multivariant playlist that a session may use.
package struct HLSVariantPolicy: Hashable, Sendable {
    package enum Choice: Hashable, Sendable {
        /// All usable variants.
        case ladder
        /// Only this variant, counted from 0 in playlist order.
        case fixed(Int)
    }

    package var choice: Choice
    /// In lines. Variants without a resolution are always allowed.
    package var maxHeight: Int?
    /// In bits per second.
    package var maxBandwidth: Int64?

    package init(choice: Choice = .ladder, maxHeight: Int? = nil, maxBandwidth: Int64? = nil) {
        self.choice = choice
        self.maxHeight = maxHeight
        self.maxBandwidth = maxBandwidth
    }
}

/// The variants that a session uses, and the reasons for excluding the others. Pure.
package struct HLSLadder: Hashable, Sendable {
    package struct Rung: Hashable, Sendable {
        /// The variant's index in the playlist.
        package let place: Int
        package let variant: HLSVariant
        /// Indices of variants that are the same stream at another URL, used when this one fails (RFC 8216 §6.2.4).
        package internal(set) var backups: [Int] = []
    }

    package enum Exclusion: Hashable, Sendable {
        /// No player of the session decodes these codecs.
        case codecs([String])
        case height(Int)
        case bandwidth(Int64)
        /// The variant has no video, but others have.
        case audioOnly
        /// The same as another variant, at another URL.
        case backup(of: Int)
        case notChosen
    }

    package enum Failure: Error, Hashable, Sendable {
        /// The playlist has no variants.
        case empty
        /// The reason for each variant, by its index.
        case noneDecodable([Int: Exclusion])
        /// The fixed choice does not exist: the playlist has only `count` variants.
        case noSuchVariant(Int, count: Int)
        case notDecodable(Int, [String])
    }

    /// In ascending order of bandwidth; never empty.
    package private(set) var rungs: [Rung]
    /// By the variant's index.
    package private(set) var excluded: [Int: Exclusion] = [:]

    /// - Parameter unsupported: returns those codecs of a variant that the session cannot use. A variant that states no
    ///   codecs is tried.
    package init(
        _ variants: [HLSVariant],
        policy: HLSVariantPolicy,
        unsupported: ([String]) -> [String]
    ) throws(Failure) {
        guard !variants.isEmpty else { throw .empty }
        var excluded: [Int: Exclusion] = [:]
        var rungs: [Rung] = []
        for (place, variant) in variants.enumerated() {
            let missing = unsupported(variant.codecs)
            if !missing.isEmpty {
                excluded[place] = .codecs(missing)
            } else if let known = rungs.firstIndex(where: { $0.variant.isBackup(variant) }) {
                rungs[known].backups.append(place)
                excluded[place] = .backup(of: rungs[known].place)
            } else {
                rungs.append(Rung(place: place, variant: variant))
            }
        }
        if case .fixed(let place) = policy.choice {
            guard variants.indices.contains(place) else { throw .noSuchVariant(place, count: variants.count) }
            if case .codecs(let missing) = excluded[place] { throw .notDecodable(place, missing) }
            for rung in rungs where rung.place != place { excluded[rung.place] = .notChosen }
            excluded[place] = nil
            self.rungs = [Rung(place: place, variant: variants[place])]
            self.excluded = excluded
            return
        }
        guard !rungs.isEmpty else { throw .noneDecodable(excluded) }
        func exclude(_ reason: (HLSVariant) -> Exclusion?) {
            for rung in rungs { excluded[rung.place] = reason(rung.variant) ?? excluded[rung.place] }
            rungs.removeAll { reason($0.variant) != nil }
        }
        if rungs.contains(where: { $0.variant.hasVideo }) { exclude { $0.hasVideo ? nil : .audioOnly } }
        // If no variant meets the cap, the smallest ones are kept, so that something plays.
        if let cap = policy.maxHeight, rungs.contains(where: { $0.variant.height <= cap }) {
            exclude { $0.height > cap ? .height($0.height) : nil }
        } else if policy.maxHeight != nil, let least = rungs.map(\.variant.height).min() {
            exclude { $0.height > least ? .height($0.height) : nil }
        }
        if let cap = policy.maxBandwidth, rungs.contains(where: { $0.variant.bandwidth <= cap }) {
            exclude { $0.bandwidth > cap ? .bandwidth($0.bandwidth) : nil }
        } else if policy.maxBandwidth != nil, let least = rungs.map(\.variant.bandwidth).min() {
            exclude { $0.bandwidth > least ? .bandwidth($0.bandwidth) : nil }
        }
        // Variants of equal bandwidth keep their playlist order.
        rungs.sort { ($0.variant.bandwidth, $0.place) < ($1.variant.bandwidth, $1.place) }
        self.rungs = rungs
        self.excluded = excluded
    }
}

extension HLSVariant {
    private static let audioCodecs: Set<String> = [
        "mp4a", "ac-3", "ec-3", "ac-4", "fLaC", "flac", "Opus", "opus", "alac", "mha1", "mhm1", "dtsc", "dtse", "dtsx",
    ]

    private static let textCodecs: Set<String> = ["stpp", "wvtt"]

    private static func family(_ codec: String) -> String { String(codec.prefix { $0 != "." }) }

    /// Whether the variant may have video: it states a resolution, a video codec, or no codecs.
    package var hasVideo: Bool {
        resolution != nil || codecs.isEmpty || !videoCodecs.isEmpty
    }

    /// The codecs that are neither audio nor text.
    package var videoCodecs: [String] {
        codecs.filter { !Self.audioCodecs.union(Self.textCodecs).contains(Self.family($0)) }
    }

    /// The audio codecs that the playlist states.
    package var audioCodecs: Set<String> { Set(codecs.filter { Self.audioCodecs.contains(Self.family($0)) }) }

    /// Whether the variant may have audio, judging by the playlist.
    package var hasAudio: Bool {
        codecs.isEmpty || audioGroup != nil || codecs.contains { Self.audioCodecs.contains(Self.family($0)) }
    }

    /// 0 if unknown.
    package var height: Int { resolution?.height ?? 0 }

    /// The video codec and VIDEO-RANGE. Playback can switch only between variants in which both are equal. The two
    /// sample entry names of a codec count as one.
    package var videoKind: String {
        let names = ["avc3": "avc1", "hev1": "hvc1", "dvhe": "dvh1"]
        let codec = videoCodecs.first.map(Self.family) ?? ""
        return "\(names[codec] ?? codec) \(videoRange ?? "SDR")"
    }

    /// Whether `other` is the same stream at another URL.
    fileprivate func isBackup(_ other: HLSVariant) -> Bool {
        bandwidth > 0 && bandwidth == other.bandwidth && codecs == other.codecs && resolution == other.resolution
            && frameRate == other.frameRate && videoRange == other.videoRange
            && (pathway != other.pathway || audioGroup == other.audioGroup)
            && subtitleGroup == other.subtitleGroup && captionGroup == other.captionGroup && url != other.url
    }
}

extension HLSLadder.Exclusion: CustomStringConvertible {
    package var description: String {
        switch self {
        case .codecs(let codecs): "\(codecs.joined(separator: ", ")) cannot be decoded"
        case .height(let height): "its \(height) lines are above the cap"
        case .bandwidth(let bandwidth): "its \(bandwidth) bit/s are above the cap"
        case .audioOnly: "it has no video, and others have"
        case .backup(let place): "it is variant \(place) at another URL"
        case .notChosen: "another one was chosen"
        }
    }
}

extension HLSLadder.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the playlist names none"
        case .noneDecodable(let excluded):
            excluded.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
        case .noSuchVariant(let place, let count): "there is no variant \(place), only \(count)"
        case .notDecodable(let place, let codecs): "\(place): \(codecs.joined(separator: ", ")) cannot be decoded"
        }
    }
}
