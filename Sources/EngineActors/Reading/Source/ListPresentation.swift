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
            let url = place == 0 ? leadingURL(of: variant) : urls[place]
            do throws(EngineError) {
                if place == 0 {
                    part.playlist = try leading(at: url, directives, by: loader, interrupt)
                } else if let lead = later[0].playlist, let own = request(of: place, besides: lead, directives) {
                    part.playlist = try loader.currentMedia(url, importing: variables, own, interrupt)
                } else {
                    part.playlist = nil
                }
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

    /// Loads the leading playlist. If another variant leads from now on, the present leading playlist may report how
    /// much the playlist of that variant lists. The request then asks for that much; if it fails, a plain request
    /// follows.
    private func leading(
        at url: String?,
        _ directives: HLSDirectives,
        by loader: PlaylistLoader,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> HLSMediaPlaylist {
        guard directives == HLSDirectives(), let reported = reported(at: url, by: parts[0].playlist) else {
            return try loader.currentMedia(url, importing: variables, directives, interrupt)
        }
        do throws(EngineError) {
            return try loader.currentMedia(url, importing: variables, reported, interrupt)
        } catch {
            if error.code == .cancelled { throw error }
            return try loader.currentMedia(url, importing: variables, directives, interrupt)
        }
    }

    /// The directives for a playlist beside the leading one. `nil` if it need not be loaded: the leading playlist was
    /// loaded for a part and has no new segment, and this playlist holds text or already lists all that the leading one
    /// reports about it.
    ///
    /// - Parameter lead: the leading playlist, as just loaded.
    private func request(
        of place: Int,
        besides lead: HLSMediaPlaylist,
        _ directives: HLSDirectives
    ) -> HLSDirectives? {
        let known = parts[place].playlist
        let isOnlyPart = directives.part != nil && lead.nextSequence == parts[0].playlist?.nextSequence
        if isOnlyPart {
            // Text has no parts.
            if parts[place].kind == .text { return nil }
            if let known, let report = lead.report(about: urls[place]), known.lists(report) { return nil }
        }
        // The server has what it reports, so it answers at once. Reports are used only for parts, because a whole
        // segment may be reported later than it is needed.
        if directives.part != nil, known?.control.canBlock == true, let report = reported(at: urls[place], by: lead) {
            return report
        }
        // The other playlists have the next segment at about the same time, so their responses may wait for it too.
        return known?.directives(following: directives) ?? HLSDirectives()
    }

    /// The directives that request a playlist up to what another playlist reports about it (`EXT-X-RENDITION-REPORT`).
    /// `nil` if that other playlist reports no segment of it, or its server does not support blocking requests.
    private func reported(at url: String?, by playlist: HLSMediaPlaylist?) -> HLSDirectives? {
        guard let url, let playlist, playlist.control.canBlock, let report = playlist.report(about: url),
            let sequence = report.lastSequence
        else { return nil }
        return HLSDirectives(sequence: sequence, part: report.lastPart)
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
    /// The directives for requesting this playlist together with the leading one. Empty if the leading request is not a
    /// blocking one, or the server of this playlist does not support blocking requests.
    fileprivate func directives(following lead: HLSDirectives) -> HLSDirectives {
        guard lead.isBlocking, control.canBlock else { return HLSDirectives() }
        let isForPart = lead.part != nil && partTarget != nil
        return HLSDirectives(sequence: nextSequence, part: isForPart ? Int64(parts.count) : nil)
    }

    /// What this playlist reports about the playlist at a URL. The queries of URLs are ignored.
    fileprivate func report(about url: String) -> HLSRenditionReport? {
        let path = url.prefix { $0 != "?" }
        return reports.first { $0.url.prefix { $0 != "?" } == path }
    }
}
