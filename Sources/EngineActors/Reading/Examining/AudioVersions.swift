// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// How the audio tracks of a list are served in each format in which the list continues after a discontinuity. Decided
/// once for each track and format, by the first reader that reaches it; the decision depends only on the format, the
/// tracks and the load.
///
/// Thread-safety: safe. `decide` may block while it tries decoders and encoders.
package final class AudioVersions: Sendable {
    /// A track in one format.
    struct Version: Sendable {
        /// The track as it is served. Unchanged if nothing has to be done.
        let track: PlayedTrack
        /// Tells the user what becomes of the audio. `nil` if there is nothing to report.
        var notice: Notice?
    }

    private struct Key: Hashable {
        let place: Int
        let format: Int
    }

    /// The maximum number of decisions that are kept: as many as four tracks need for the groups that `ListAudio`
    /// keeps, so that none is lost between reading a segment and packing it. A decision that was dropped is made again
    /// if it is needed, with the same result.
    private static let limit = 2048

    private struct State {
        var decided: [Key: Version] = [:]
        /// The keys of `decided`, the oldest decision first.
        var kept: [Key] = []
        /// The CODECS elements of all versions that were ever decided on, by the position of the track. Never dropped.
        var codecs: [Int: Set<String>] = [:]
        /// The versions of the leading list whose formats were searched for.
        var searched: Set<Int> = []
        var notices: [Notice] = []
    }

    private let profile: PlayerProfile
    private let mode: BridgeMode
    private let state = Locked(State())

    init(profile: PlayerProfile = .everything, mode: BridgeMode = .surround) {
        self.profile = profile
        self.mode = mode
    }

    /// The track as it is served in a format. `nil` if that has not been decided, or the decision was dropped.
    func track(_ place: Int, in format: Int) -> PlayedTrack? {
        state.withLock { $0.decided[Key(place: place, format: format)]?.track }
    }

    /// The CODECS elements of the versions of a track that have been decided on.
    func codecs(of place: Int) -> Set<String> { state.withLock { $0.codecs[place] ?? [] } }

    /// Whether the formats of a version of the leading list were searched for.
    func isSearched(_ version: Int) -> Bool { state.withLock { $0.searched.contains(version) } }

    func noteSearched(_ version: Int) { state.withLock { _ = $0.searched.insert(version) } }

    /// Whether a track that is served in a format may continue in another codec.
    func mayChangeCodec(of served: String) -> Bool {
        AudioChange.accepts(othersBeside: served, profile)
    }

    /// Returns the notices that have come up since the last call.
    func takeNotices() -> [Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }

    /// Decides how a track is served in a format, unless that has been decided.
    ///
    /// - Parameters:
    ///   - place: the track's position in `tracks`.
    ///   - tracks: as in `OpenedSource`.
    ///   - canBridge: whether the audio of a remuxed track may be encoded.
    func decide(_ place: Int, of tracks: [PlayedTrack], in audio: ListedAudio, canBridge: Bool) {
        let key = Key(place: place, format: audio.number)
        guard state.withLock({ $0.decided[key] == nil }) else { return }
        let version = version(place, of: tracks, in: audio, canBridge: canBridge)
        state.withLock { state in
            guard state.decided[key] == nil else { return }
            state.decided[key] = version
            state.kept.append(key)
            if state.kept.count > Self.limit { state.decided[state.kept.removeFirst()] = nil }
            state.codecs[place, default: []].insert(version.track.track.codecString)
            if let notice = version.notice { state.notices.append(notice) }
        }
    }

    func version(_ place: Int, of tracks: [PlayedTrack], in audio: ListedAudio, canBridge: Bool) -> Version {
        let track = tracks[place]
        if track.bridge != nil {
            guard audio.sample?.trial?.frame == nil else { return Version(track: track) }
            return Version(track: track, notice: track.loss(of: audio, "it cannot be decoded"))
        }
        let served = AudioMatrix.profileFormat(of: track.track.codecString)
        let ways = AudioChange.ways(
            for: audio.facts,
            in: served,
            beside: Set(
                tracks.filter { $0.kind == .audio }.map { AudioMatrix.profileFormat(of: $0.track.codecString) }
            ),
            profile: profile,
            mode: mode
        )
        var reason = "\(profile.label) does not play it, and there is no way to encode it"
        for way in ways {
            do throws(PackagingError) {
                switch way {
                case .version(let format):
                    let changed = try track.changed(to: audio)
                    if changed.format == track.format, format == served { return Version(track: track) }
                    try check(changed)
                    return Version(track: changed, notice: track.change(to: changed, audio, "it is remuxed"))
                case .bridge(let target):
                    guard canBridge else {
                        reason =
                            "\(profile.label) does not play it beside \(served), and audio is not encoded while segments have parts"
                        continue
                    }
                    let changed = try track.bridged(to: target, audio, maximumChannels: profile.maximumChannels)
                    return Version(track: changed, notice: track.change(to: changed, audio, target.summary))
                }
            } catch {
                reason = error.description
            }
        }
        return Version(track: track.silenced, notice: track.loss(of: audio, reason))
    }

    private func check(_ track: PlayedTrack) throws(PackagingError) {
        let format = AudioMatrix.profileFormat(of: track.track.codecString)
        let channels = track.track.audio?.channels ?? 0
        guard profile.formats.contains(format), channels <= profile.maximumChannels else {
            throw PackagingError(.unsupportedFeature, "\(profile.label) does not play \(track.track.codecString)")
        }
    }
}

extension PlayedTrack {
    /// Where a format begins on the session's timeline, in seconds.
    private func position(of audio: ListedAudio) -> String {
        let seconds = MediaTime(audio.time &- origin, in: stream.timeBase).seconds
        return "\((seconds * 1000).rounded() / 1000) s"
    }

    private func beginning(of audio: ListedAudio) -> String {
        "from \(position(of: audio)) on, the audio of stream \(stream.index) is \(audio.codec.rawValue)"
    }

    /// `nil` if the codec stays and the audio is not encoded: a new init segment alone is not reported.
    fileprivate func change(to other: PlayedTrack, _ audio: ListedAudio, _ way: String) -> Notice? {
        let isSameCodec = audio.codec == stream.codec
        guard !isSameCodec || other.bridge != nil else { return nil }
        let before = isSameCodec ? "in another format" : "instead of \(stream.codec.rawValue)"
        let text = "\(beginning(of: audio)) \(before): \(way), and served as \(other.track.codecString)"
        return Notice(.info, "audio.codec_changes", text)
    }

    fileprivate func loss(of audio: ListedAudio, _ reason: String) -> Notice {
        let text = "\(beginning(of: audio)) and is not served up to the next discontinuity: \(reason)"
        return Notice(.warning, "audio.part_not_served", text)
    }
}

extension OpenedSource {
    /// Decides how these tracks are served in a version of the leading list, as far as the formats are known.
    func decideAudio(of places: Set<Int>, version: Int, canBridge: Bool) {
        guard let segments = layout.segments, version != firstVersion else { return }
        for place in places where tracks[place].kind == .audio && tracks[place].isServed {
            guard let audio = segments.audio(of: tracks[place].stream.index, version: version) else { continue }
            audioVersions.decide(place, of: tracks, in: audio, canBridge: canBridge)
        }
    }

    /// As `collectedTracks(_:version:)`, for the version of a segment, and with the video of that version. If
    /// necessary, first reads the formats of that version and decides how they are served.
    ///
    /// - Parameters:
    ///   - places: positions in `tracks`.
    ///   - index: a segment of `plan`.
    /// - Throws: also `segmentFailed` if the video of that version cannot be served.
    func collectedTracks(
        _ places: Set<Int>,
        for index: Int,
        of plan: SegmentPlan,
        _ list: ListReader
    ) throws(EngineError) -> [PlayedTrack] {
        let version = plan.version(of: index)
        try learnVideo(version: version, list)
        try list.learnAudio(of: Set(places.map { tracks[$0].stream.index }), version: version)
        decideAudio(of: places, version: version, canBridge: plan.partLength == nil)
        var collected = collectedTracks(places, version: version)
        if lead.kind == .video { collected[0] = try collectedVideo(version: version, ofSegment: index) }
        return collected
    }

    /// The tracks for which the packets of a segment are collected. A remuxed track is replaced only if it is bridged
    /// in this version: the times of remuxed frames are computed when they are packed. A bridged track also collects
    /// what decoding the format of this version requires.
    func collectedTracks(_ places: Set<Int>, version: Int) -> [PlayedTrack] {
        guard let segments = layout.segments, version != firstVersion else { return tracks }
        var tracks = tracks
        for place in places where tracks[place].kind == .audio && tracks[place].isServed {
            guard let audio = segments.audio(of: tracks[place].stream.index, version: version) else { continue }
            if tracks[place].bridge == nil {
                let changed = audioVersions.track(place, in: audio.number)
                if let changed, changed.bridge != nil { tracks[place] = changed }
            } else {
                tracks[place].reach(audio)
            }
        }
        return tracks
    }

    /// The bridge of a track for a segment, with what it needs to decode packets of these formats. `nil` if the track
    /// is not bridged in this version.
    ///
    /// - Parameter place: the track's position in `tracks`.
    package func bridge(_ place: Int, version: Int, of plan: SegmentPlan, formats: Set<Int>) -> BridgePlan? {
        let track = track(place, version: version, of: plan)
        guard var bridge = track.bridge, track.format == 0 else { return track.bridge }
        for format in formats {
            guard let audio = layout.segments?.audio(numbered: format) else { continue }
            bridge.inputs[format] = track.input(for: audio)
        }
        return bridge
    }

    /// Whether packets of a format have the configuration of a version of a track.
    ///
    /// - Parameters:
    ///   - format: as `Packet.format`.
    ///   - place: the track's position in `tracks`.
    ///   - track: the version.
    package func carries(_ format: Int, _ place: Int, as track: PlayedTrack) -> Bool {
        if format == track.format { return true }
        guard let other = format == 0 ? tracks[place] : remuxed(place, in: format) else { return false }
        return other.format != PlayedTrack.silence && other.bridge == nil
            && other.track.configuration == track.track.configuration && other.track.codec == track.track.codec
            && other.track.timescale == track.track.timescale
    }

    private func remuxed(_ place: Int, in format: Int) -> PlayedTrack? {
        if let known = audioVersions.track(place, in: format) { return known }
        guard let audio = layout.segments?.audio(numbered: format) else { return nil }
        do throws(PackagingError) {
            return try tracks[place].changed(to: audio)
        } catch {
            // Frames that cannot be packed belong to no version.
            return nil
        }
    }

    /// The CODECS elements of a track's versions in other codecs, as far as they are known.
    package func laterCodecs(of place: Int) -> [String] {
        audioVersions.codecs(of: place).subtracting([tracks[place].track.codecString]).sorted()
    }

    /// The versions of a complete plan in which remuxed audio may have another codec that is not known yet.
    package func unknownAudioVersions(of plan: SegmentPlan) -> [Int] {
        guard plan.isComplete else { return [] }
        let places = tracks.indices.filter { place in
            tracks[place].kind == .audio && hasVersions(place)
                && audioVersions.mayChangeCodec(of: AudioMatrix.profileFormat(of: tracks[place].track.codecString))
        }
        guard !places.isEmpty else { return [] }
        return (0...plan.announcedVersionCount).filter { version in
            !audioVersions.isSearched(version) && places.contains { sample(ofVersion: version, of: $0) != nil }
        }
    }

    /// Returns the notices about changes of formats that have come up since the last call.
    package func takeFormatNotices() -> [Notice] { videoVersions.takeNotices() + audioVersions.takeNotices() }
}
