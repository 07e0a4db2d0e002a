// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation
internal import EngineClient
internal import Packaging
internal import Validation

/// Fetches a whole presentation and checks playlists, boxes, timeline, and that each segment decodes.
///
/// A growing playlist with an EXT-X-PLAYLIST-TYPE is followed until it ends. A live playlist without one, whose window
/// may slide, is fetched once, and only the segments that it then lists are checked. If a playlist that has not ended
/// offers delta updates, one is fetched and compared with the playlist.
struct StreamValidator {
    /// The pause before a growing playlist is fetched again, in seconds.
    private static let reloadPause = 0.5

    /// `nil` disables decoding.
    let client: EngineClient?
    let precision: TimelineCheck.Precision
    let showProgress: @Sendable (String) -> Void
    private let fetcher = ResourceFetcher()

    init(
        client: EngineClient?,
        precision: TimelineCheck.Precision,
        showProgress: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.precision = precision
        self.showProgress = showProgress
    }

    func validate(_ url: URL) async throws -> ValidationReport {
        var report = ValidationReport(source: url.shown)
        let top = try await playlist(at: url)
        guard top.isMaster else {
            try await follow(top, at: url, isIndependent: false, into: &report)
            return report
        }
        report.add(PlaylistRules.problems(of: top))
        var peaks: [String: Double] = [:]
        var demands: [String: Set<DecoderDemand>] = [:]
        var followed: [ParsedPlaylist] = []
        for uri in Self.mediaPlaylists(of: top) {
            guard let place = URL(string: uri, relativeTo: url) else {
                report.add([ValidationProblem("RFC 8216 §4.1", top.uri, "\"\(uri)\" is not a URI")])
                continue
            }
            do {
                let media = try await playlist(at: place, uri: uri)
                let independent = top.isIndependent
                let found = try await follow(media, at: place, isIndependent: independent, into: &report)
                peaks[uri] = found.peak
                demands[uri] = found.demands
                followed.append(found.playlist)
            } catch let failure as Failure {
                report.add([ValidationProblem("RFC 8216 §4.1", uri, failure.message)])
            }
        }
        report.add(PlaylistRules.discontinuityProblems(of: followed))
        report.add(Self.bandwidthProblems(of: top, peaks: peaks))
        report.add(PlaylistRules.codecProblems(of: top, demands: demands))
        return report
    }

    private func playlist(
        at url: URL,
        uri: String? = nil,
        updating base: ParsedPlaylist? = nil
    ) async throws -> ParsedPlaylist {
        let bytes = try await fetcher.fetch(url, limit: PlaylistParser.byteLimit)
        return PlaylistParser.parse(bytes, uri: uri ?? url.lastPathComponent, updating: base)
    }

    /// Asks for a delta update of a playlist that was just fetched, and checks it.
    private func checkDeltaUpdate(
        of playlist: ParsedPlaylist,
        at url: URL,
        into report: inout ValidationReport
    ) async throws {
        guard playlist.skipBoundary != nil, !playlist.hasEndList, !url.isFileURL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return }
        let query = parts.percentEncodedQuery.map { "\($0)&" } ?? ""
        parts.percentEncodedQuery = query + "_HLS_skip=YES"
        guard let place = parts.url else { return }
        let update = try await self.playlist(at: place, uri: playlist.uri, updating: playlist)
        report.add(PlaylistRules.problems(ofUpdate: update, of: playlist))
    }

    /// The URIs of all media playlists in a master playlist, without duplicates.
    private static func mediaPlaylists(of master: ParsedPlaylist) -> [String] {
        var uris: [String] = []
        let variants = (master.variants + master.keyframeVariants).map(\.uri)
        let named = variants + master.renditions.compactMap { $0["URI"] }
        for uri in named where !uris.contains(uri) { uris.append(uri) }
        return uris
    }

    /// BANDWIDTH must be at least the measured peak of the variant with its costliest renditions (RFC 8216 §4.3.4.2).
    static func bandwidthProblems(of master: ParsedPlaylist, peaks: [String: Double]) -> [ValidationProblem] {
        (master.variants + master.keyframeVariants).compactMap { variant in
            guard let bandwidth = variant.attributes["BANDWIDTH"].flatMap(Double.init) else { return nil }
            var peak = peaks[variant.uri] ?? 0
            for type in ["AUDIO", "VIDEO", "SUBTITLES"] {
                guard let group = variant.attributes[type] else { continue }
                let members = master.renditions.filter { $0["TYPE"] == type && $0["GROUP-ID"] == group }
                let others = members.compactMap { $0["URI"] }.filter { $0 != variant.uri }
                peak += others.compactMap { peaks[$0] }.max() ?? 0
            }
            guard peak.rounded(.down) > bandwidth else { return nil }
            return ValidationProblem(
                "RFC 8216 §4.3.4.2",
                master.uri,
                "BANDWIDTH \(Int(bandwidth)) of \(variant.uri) is below the measured peak \(Int(peak))"
            )
        }
    }

    /// Checks a media playlist and all its segments. Returns its final version, the highest bit rate of a segment, and what the
    /// media demands of decoders.
    ///
    /// - Parameter isIndependent: whether the master playlist has EXT-X-INDEPENDENT-SEGMENTS.
    @discardableResult
    private func follow(
        _ first: ParsedPlaylist,
        at url: URL,
        isIndependent: Bool,
        into report: inout ValidationReport
    ) async throws -> (playlist: ParsedPlaylist, peak: Double, demands: Set<DecoderDemand>) {
        var playlist = first
        var walk = SegmentWalk(
            playlist,
            base: url,
            client: client,
            fetcher: fetcher,
            isIndependent: isIndependent || first.isIndependent,
            precision: precision
        )
        report.add(PlaylistRules.problems(of: playlist))
        try await checkDeltaUpdate(of: playlist, at: url, into: &report)
        // In seconds.
        var idle = 0.0
        while true {
            while walk.done < playlist.segments.count {
                try Task.checkCancellation()
                try await walk.step(playlist)
                showProgress("\(playlist.uri): segment \(walk.done) of \(playlist.segments.count)")
            }
            let grows = !playlist.hasEndList && playlist.playlistType != nil
            guard grows, playlist.problems.isEmpty, idle < PlaylistRules.patience(with: playlist) else { break }
            try await Task.sleep(for: .seconds(Self.reloadPause))
            let next = try await self.playlist(at: url, uri: playlist.uri)
            report.add(PlaylistRules.problems(from: playlist, to: next))
            idle = next.segments.count > playlist.segments.count || next.hasEndList ? 0 : idle + Self.reloadPause
            if next.hasEndList { report.add(PlaylistRules.problems(of: next)) }
            playlist = next
        }
        if !playlist.hasEndList, idle >= PlaylistRules.patience(with: playlist) {
            report.add([PlaylistRules.stall(of: playlist)])
        }
        report.add(walk.problems)
        report.playlists.append(walk.summary(duration: playlist.duration))
        return (playlist, walk.timeline.peakBitRate, walk.demands)
    }
}
