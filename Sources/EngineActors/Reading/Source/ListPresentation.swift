// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The contents of a media playlist, or of one variant of a multivariant playlist and of its renditions.
struct ListPresentation: Sendable {
    /// The variant's own playlist first.
    var parts: [ListPart] = []
    var facts = ListFacts()
    /// The URLs of the media playlists, in the order of `parts`. Empty if the source is a media playlist itself.
    var urls: [String] = []
    /// The URLs of the media playlists of all variants, by `SourceVariant.index`.
    var variantURLs: [String] = []
    var variables: [String: String] = [:]

    var content: ListContent { ListContent(parts: parts, digest: Self.digest(of: parts)) }

    /// Loads the media playlists of a live presentation again. If a playlist other than the leading one cannot be
    /// loaded, the others are used without it.
    ///
    /// - Parameter variant: the variant whose playlist leads; `nil` for the one that was opened.
    func reloaded(
        _ directives: HLSDirectives,
        leadBy variant: Int?,
        by loader: PlaylistLoader,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> ListContent {
        var later: [ListPart] = []
        var failure: EngineError?
        for (place, part) in parts.enumerated() {
            var part = part
            // The other playlists have the next segment at about the same time, so their responses may wait for it too.
            let own = place == 0 ? directives : part.playlist?.directives(following: directives) ?? HLSDirectives()
            let url = place == 0 ? leadingURL(of: variant) : urls[place]
            do throws(EngineError) {
                part.playlist = try loader.currentMedia(url, importing: variables, own, interrupt)
            } catch {
                if place == 0 || error.code == .cancelled { throw error }
                part.playlist = nil
                // A missing text playlist is no failure, because nothing waits for text.
                if part.kind == .media { failure = failure ?? error }
            }
            later.append(part)
        }
        return ListContent(parts: later, digest: "", failure: failure)
    }

    private func leadingURL(of variant: Int?) -> String? {
        guard let variant, variantURLs.indices.contains(variant) else { return urls.first }
        return variantURLs[variant]
    }

    /// Replaces the media playlists with those that a later load fetched.
    mutating func keepPlaylists(of later: ListContent) {
        for (place, part) in later.parts.enumerated() where part.playlist != nil {
            parts[place].playlist = part.playlist
        }
    }

    /// A hash of the contents of lists, without the queries of URLs, which change when URLs are signed again.
    static func digest(of parts: [ListPart]) -> String {
        var hash = StableHash()
        for segment in parts.flatMap(\.list.segments) {
            for resource in [segment.map, segment.resource].compactMap(\.self) {
                hash.add(resource.url.prefix { $0 != "?" }.utf8)
                hash.add(UInt64(bitPattern: resource.range?.lowerBound ?? -1))
            }
            hash.add(UInt64(bitPattern: segment.duration.microseconds))
            hash.add(UInt64(segment.group))
        }
        return hash.hexadecimal
    }
}

extension HLSMediaPlaylist {
    /// The directives for requesting this playlist together with the leading one.
    fileprivate func directives(following lead: HLSDirectives) -> HLSDirectives {
        HLSDirectives(sequence: lead.isBlocking && control.canBlock ? nextSequence : nil)
    }
}
