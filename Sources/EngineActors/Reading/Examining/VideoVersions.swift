// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
package import Packaging

/// How the video of a list is served where the list continues in another codec after a discontinuity. Decided once for
/// each version; the decision depends only on the video of that version, the track and the load.
///
/// Thread-safety: safe.
package final class VideoVersions: Sendable {
    /// A video track in another codec.
    struct Version: Sendable {
        /// The track as it is served. A failure says why it cannot be served.
        let track: Result<PlayedTrack, PackagingError>
        /// Tells the user what becomes of the video. `nil` if there is nothing to report.
        var notice: Notice?
    }

    private struct State {
        /// How the video is served, by version of the leading list.
        var decided: [Int: Result<PlayedTrack, PackagingError>] = [:]
        /// The versions of the leading list in which `FormatReader` has looked for another codec.
        var searched: Set<Int> = []
        var notices: [Notice] = []
    }

    private let profile: PlayerProfile
    private let hasDolbyVision: Bool
    private let state = Locked(State())

    init(profile: PlayerProfile = .everything, hasDolbyVision: Bool = true) {
        self.profile = profile
        self.hasDolbyVision = hasDolbyVision
    }

    /// The CODECS elements of the decided versions that are served.
    var codecs: Set<String> {
        state.withLock { state in
            Set(
                state.decided.values.compactMap {
                    if case .success(let track) = $0 { track.track.codecString } else { nil }
                }
            )
        }
    }

    /// Whether `FormatReader` has looked for another codec in a version of the leading list.
    func isSearched(_ version: Int) -> Bool { state.withLock { $0.searched.contains(version) } }

    func noteSearched(_ version: Int) { state.withLock { _ = $0.searched.insert(version) } }

    /// Whether the player also plays video in a codec other than that of a sample entry.
    func mayChangeCodec(of entry: VideoEntry?) -> Bool { VideoRoute.accepts(othersThan: entry, profile) }

    /// For the same list and the same player, with nothing decided.
    var blank: VideoVersions { VideoVersions(profile: profile, hasDolbyVision: hasDolbyVision) }

    /// Returns the notices that have come up since the last call.
    func takeNotices() -> [Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }

    /// How the video of a version of the leading list is served. The first call for a version decides.
    ///
    /// - Parameters:
    ///   - track: the leading track as the source was opened with it.
    ///   - container: that of the source.
    func decide(
        _ version: Int,
        for track: PlayedTrack,
        in video: ListedVideo,
        _ container: ContainerFormat
    ) -> Result<PlayedTrack, PackagingError> {
        if let decided = state.withLock({ $0.decided[version] }) { return decided }
        let found = self.version(of: track, in: video, container)
        return state.withLock { state in
            if let decided = state.decided[version] { return decided }
            state.decided[version] = found.track
            if let notice = found.notice { state.notices.append(notice) }
            return found.track
        }
    }

    /// The track as it is served where the list has this video. If the track is bridged, another decoder decodes the
    /// video; otherwise the video is remuxed.
    ///
    /// - Parameters:
    ///   - track: the leading track as the source was opened with it.
    ///   - container: that of the source.
    func version(of track: PlayedTrack, in video: ListedVideo, _ container: ContainerFormat) -> Version {
        do throws(PackagingError) {
            guard track.videoBridge == nil else {
                guard VideoDecoder.exists(for: video.stream.codec) else {
                    throw PackagingError(.unsupportedCodec, "it cannot be decoded")
                }
                return Version(track: .success(track.decoding(video)))
            }
            let changed = track.changed(to: try routed(video), video, in: container)
            return Version(track: .success(changed), notice: track.change(to: changed, video))
        } catch {
            return Version(track: .failure(error), notice: track.loss(of: video, error.description))
        }
    }

    /// The setup of the video for the player.
    ///
    /// - Throws: why the video cannot be packed, or why the player does not play it.
    private func routed(_ video: ListedVideo) throws(PackagingError) -> TrackSetup {
        let setup = try video.setup.get()
        let route = VideoRoute(
            track: setup.track,
            profile: profile,
            hasDolbyVision: hasDolbyVision,
            canConvert: setup.canConvertDolbyVision
        )
        guard route.entry != nil else { throw PackagingError(.unsupportedCodec, route.route.reason) }
        return setup.routed(route)
    }
}

extension PlayedTrack {
    private func beginning(of video: ListedVideo) -> String {
        let seconds = (video.start.seconds * 1000).rounded() / 1000
        return "from \(seconds) s on, the video of stream \(stream.index) is \(video.stream.codec.rawValue)"
    }

    fileprivate func change(to other: PlayedTrack, _ video: ListedVideo) -> Notice {
        let text =
            "\(beginning(of: video)) instead of \(stream.codec.rawValue): it is remuxed, and served as "
            + other.track.codecString
        return Notice(.info, "video.codec_changes", text)
    }

    fileprivate func loss(of video: ListedVideo, _ reason: String) -> Notice {
        let text = "\(beginning(of: video)) and is not served up to the next discontinuity: \(reason)"
        return Notice(.warning, "video.part_not_served", text)
    }
}

extension OpenedSource {
    /// How the leading track is served in a version of the leading list in which its video has another codec. `nil` for
    /// any other version, and for one of which no segment has been read.
    func otherVideo(version: Int) -> Result<PlayedTrack, PackagingError>? {
        guard version != firstVersion, lead.kind == .video, lead.isServed,
            let video = layout.segments?.video(ofVersion: version)
        else { return nil }
        return videoVersions.decide(version, for: lead, in: video, container)
    }

    /// Reads the codec of the video in a version of the leading list, unless it is known, and decides how it is served.
    func learnVideo(version: Int, _ list: ListReader) throws(EngineError) {
        guard version != firstVersion, lead.kind == .video, lead.isServed else { return }
        try list.learnVideo(version: version)
        _ = otherVideo(version: version)
    }

    /// As `collectedTracks(_:version:)`, for the leading track alone.
    ///
    /// - Throws: `segmentFailed` if the video of its version cannot be served.
    func collectedVideo(version: Int, ofSegment index: Int) throws(EngineError) -> PlayedTrack {
        do throws(PackagingError) {
            return try otherVideo(version: version)?.get() ?? lead
        } catch {
            let codec = layout.segments?.video(ofVersion: version)?.stream.codec.rawValue ?? ""
            throw EngineError(
                .segmentFailed,
                "segment \(index) of \(file.path) has \(codec) video, which cannot be served after "
                    + lead.stream.codec.rawValue,
                cause: error.description
            )
        }
    }

    /// The CODECS elements of the leading track's versions in other codecs, as far as they are known.
    package var laterVideoCodecs: [String] { videoVersions.codecs.subtracting([lead.track.codecString]).sorted() }

    /// The versions of a complete plan in which the video may have another codec that is not known yet.
    package func unknownVideoVersions(of plan: SegmentPlan) -> [Int] {
        guard plan.isComplete, layout.segments != nil, lead.isRemuxedVideo,
            videoVersions.mayChangeCodec(of: lead.track.videoEntry)
        else { return [] }
        return (0...plan.announcedVersionCount).filter { version in
            version != firstVersion && !videoVersions.isSearched(version)
        }
    }
}
