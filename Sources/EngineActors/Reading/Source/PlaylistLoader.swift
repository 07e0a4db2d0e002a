// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Transfers

/// Fetches and parses the playlists of one source. Calls block until the playlist has been received or `interrupt` is
/// raised.
struct PlaylistLoader: Sendable {
    /// The path or URL of the source, for messages.
    let path: String
    var resources: any ListResources
    /// Sizes the caches of the sources that are made from the playlists.
    let caches: ListCaches

    /// - Parameters:
    ///   - name: the URL for messages.
    ///   - variables: the variables of the multivariant playlist, which `IMPORT` refers to (RFC 8216bis §4.4.2.3).
    /// - Throws: `sourceNotMedia` if the bytes are not a valid playlist.
    func parse(
        _ fetched: FetchedResource,
        name: String,
        importing variables: [String: String] = [:]
    ) throws(EngineError) -> HLSPlaylist {
        do throws(HLSPlaylistError) {
            return try HLSPlaylist.parse(fetched.bytes, url: fetched.url, importing: variables)
        } catch {
            throw EngineError(.sourceNotMedia, "the playlist \(name) cannot be used", cause: "\(error)")
        }
    }

    /// A media playlist that a multivariant playlist names.
    func media(
        _ url: String,
        of playlist: HLSMultivariantPlaylist,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> HLSMediaPlaylist {
        let name = SourceOpener.shown(url)
        let fetched = try resources.fetch(
            ListedResource(url: url, as: .playlist),
            byteLimit: HLSLimits.bytes,
            observer: { _ in },
            interrupt: interrupt
        )
        guard case .media(let media) = try parse(fetched, name: name, importing: playlist.variables) else {
            throw EngineError(.sourceNotMedia, "\(name), which \(path) names, has variants of its own")
        }
        return media
    }

    /// Fetches the current playlist of the source itself.
    func current(_ interrupt: InterruptFlag) throws(EngineError) -> HLSPlaylist {
        try parse(resources.fetchList(nil, nil, interrupt: interrupt), name: path)
    }

    /// Fetches the current multivariant playlist of the source.
    func currentVariants(_ interrupt: InterruptFlag) throws(EngineError) -> HLSMultivariantPlaylist {
        guard case .multivariant(let playlist) = try current(interrupt) else {
            throw EngineError(.sourceChanged, "\(path) no longer has variants")
        }
        return playlist
    }

    /// Fetches the current version of a media playlist.
    ///
    /// - Parameters:
    ///   - url: `nil` for the source itself.
    ///   - variables: as for `parse`.
    ///   - directives: as for `ListResources.fetchList`.
    func currentMedia(
        _ url: String?,
        importing variables: [String: String],
        _ directives: HLSDirectives?,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> HLSMediaPlaylist {
        let name = url.map(SourceOpener.shown) ?? path
        let fetched = try resources.fetchList(url, directives, interrupt: interrupt)
        guard case .media(let playlist) = try parse(fetched, name: name, importing: variables) else {
            throw EngineError(.sourceChanged, "\(name) is no longer a media playlist")
        }
        return playlist
    }
}
