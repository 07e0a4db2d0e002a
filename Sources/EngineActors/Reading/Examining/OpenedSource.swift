// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// A source that was opened for playback: its description, its playable tracks, and everything needed to read it.
package struct OpenedSource: Sendable {
    package let file: any ByteSource
    /// The layout of the media in the bytes of `file`.
    var layout: any SourceLayout = SingleContainer()
    package let container: ContainerFormat
    /// The first reader's findings about edit lists, which later readers reuse.
    package let edits: FormatContext.Edits
    package let media: MediaDescription
    /// All tracks that can be played, the leading track first: the video, or the first audio track if there is none.
    package internal(set) var tracks: [PlayedTrack]
    package let origin: TimelineOrigin
    /// The plan, if a trusted index of the container, the map of a disc or a playlist provides one.
    package let indexPlan: SegmentPlan?
    /// Extends `indexPlan`, if that is the beginning of the plan of a title on a server.
    var units: UnitPlan?
    /// The end of each track on the timeline, if the container's end could be read.
    package internal(set) var trackEnds: [MediaTime?]
    /// Notices for the user, such as why an index was not trusted.
    package internal(set) var notices: [Notice]
    /// The smaller sizes of the video that players may switch to, in descending order.
    package var ladder: [LadderRung] = []
    package var interleaving = Interleaving.stored
    /// See `LoadOptions.soundLevels`.
    package var soundLevels: [Int: Double]?
    /// See `LoadOptions.videoBridgeLines`. `nil` if no video is bridged.
    package var videoBridgeLines: Int?
    /// How the audio tracks are served in the formats in which a list continues.
    var audioVersions = AudioVersions()
    /// How the video is served in the codecs in which a list continues.
    var videoVersions = VideoVersions()

    package var lead: PlayedTrack { tracks[0] }

    /// Whether the pictures that are served lack the captions of the source's pictures.
    package var losesCaptions: Bool { lead.videoBridge?.carriesCaptions == false }

    /// Whether only the software path can play the source, because its leading track has no segments.
    package var needsSoftware: Bool { !lead.isServed }

    /// A track in one version of its configuration.
    package func track(_ place: Int, version: Int, of plan: SegmentPlan) -> PlayedTrack {
        if tracks[place].kind == .audio { return audioTrack(place, version: version) }
        if place == 0, let other = otherVideo(version: version) {
            if case .success(let track) = other { return track }
            // No segment of this version is served.
            return tracks[0]
        }
        guard place == 0, version != firstVersion, tracks[0].videoBridge == nil,
            let data = privateData(version: version, of: plan),
            data != tracks[0].stream.extradata
        else { return tracks[place] }
        do throws(PackagingError) {
            return try tracks[0].changed(to: data)
        } catch {
            // A change is planned only if it can be parsed (`canChange`).
            return tracks[0]
        }
    }

    /// Whether the configuration of a track can change: it can for video and, in a list, for audio that is remuxed.
    package func hasVersions(_ place: Int) -> Bool {
        if tracks[place].kind == .video { return place == 0 }
        return layout.segments != nil && tracks[place].bridge == nil && tracks[place].isServed
    }

    private func audioTrack(_ place: Int, version: Int) -> PlayedTrack {
        let stream = tracks[place].stream.index
        guard hasVersions(place), version != firstVersion,
            let audio = layout.segments?.audio(of: stream, version: version)
        else { return tracks[place] }
        return audioVersions.track(place, in: audio.number) ?? tracks[place]
    }

    private func privateData(version: Int, of plan: SegmentPlan) -> [UInt8]? {
        if let segments = layout.segments { return segments.configuration(ofGroup: version) }
        return version <= plan.changes.count ? plan.changes[version - 1].privateData : nil
    }

    /// Whether the configuration of a version is known. In a list, it is known once a segment of that version has been
    /// read.
    package func knows(version: Int) -> Bool {
        guard version != firstVersion, let segments = layout.segments else { return true }
        return segments.configuration(ofGroup: version) != nil
    }

    /// The version of the configuration with which the tracks were opened: 0, or in a list, the version of the segment
    /// at which reading entered the list.
    package var firstVersion: Int { layout.segments?.firstGroup ?? 0 }

    /// A segment that reveals the configuration of a track in a version. `nil` if the configuration is already known, or no
    /// segment reveals it.
    ///
    /// - Parameter place: the track's position in `tracks`.
    package func sample(ofVersion version: Int, of place: Int = 0) -> Int? {
        guard tracks[place].kind == .audio else {
            return knows(version: version) ? nil : layout.segments?.sample(ofGroup: version)
        }
        let stream = tracks[place].stream.index
        guard hasVersions(place), version != firstVersion, let segments = layout.segments else { return nil }
        let isDecided =
            segments.audio(of: stream, version: version).map { audioVersions.track(place, in: $0.number) != nil }
            ?? segments.knowsAudio(of: stream, version: version)
        return isDecided ? nil : segments.sample(ofGroup: version)
    }

    /// Why segments of the source cannot be announced in parts. `nil` if they can.
    package var obstacleToParts: String? {
        if let segments = layout.segments {
            if segments.partHoldBack == nil { return "its playlist lists no parts" }
        } else if interleaving != .live {
            return "it is not a live transport stream"
        }
        if lead.kind != .video { return "it has no video" }
        if !lead.isServed { return "its video is not served" }
        if lead.videoBridge != nil { return "its video is encoded" }
        if lead.timing != .presentation || lead.companion != nil {
            return "the times of its pictures are not in its packets"
        }
        if layout.segments != nil, tracks.contains(where: \.isBridged) { return "its audio is encoded" }
        return nil
    }

    /// Whether a segment of these tracks needs packets from before it, so that reading should begin one segment
    /// earlier.
    func needsEarlierSegment(_ places: Set<Int>) -> Bool { places.contains { tracks[$0].isBridged } }

    /// Whether pictures that are read after a seek may be incomplete: libavformat confuses the sizes of samples after it
    /// has moved between the fragments of an MP4 file with a `sidx` of the whole file.
    func mayReadCutPictures(by plan: SegmentPlan) -> Bool { container.isMP4 && plan.origin != .index }
}

extension OpenedSource {
    /// The time at which each segment of the plan was recorded; `nil` if unknown. Empty if the source states no times.
    package var dates: [WallTime?] { layout.segments?.dates ?? [] }

    /// The target duration in the source's own playlist, if the source has one and was growing when it was opened. For
    /// a title whose plan grows, the length that no segment is expected to exceed. Otherwise `nil`.
    package var promisedTargetDuration: MediaTime? { layout.segments?.targetDuration ?? units?.longestSegment }

    /// As `ListedSegments.listedEnd`, for one of `tracks`.
    package func listedEnd(of place: Int) -> MediaTime? {
        layout.segments?.listedEnd(ofAudio: tracks[place].stream.index)
    }

    /// As `ListedSegments.partHoldBack`; `nil` for a source without a playlist.
    package var partHoldBack: MediaTime? { layout.segments?.partHoldBack }

    /// The end of the leading track, in ticks of its stream, if it is known before the plan is complete.
    package var statedEnd: Int64? { units?.end }

    /// The variants that players may switch to, in descending order of bandwidth.
    package var siblings: [ListSibling] { lead.isRemuxedVideo ? layout.siblings : [] }

    /// Whether scanning ahead of playback downloads the source. A growing source arrives anyway.
    package var isDownloadedByScan: Bool {
        file.isRemote && file.growth == nil && layout.segments == nil && !isPlannedAhead
    }

    /// Whether only the beginning of the plan is known at first, and the rest follows soon.
    package var isPlannedAhead: Bool { units != nil }

    /// Whether each segment is a resource of its own. If one of them has changed, the others may still be the same.
    package var hasListedSegments: Bool { layout.segments != nil }

    /// Makes the next read fetch the source's own playlist again first, if it has one.
    package func refresh() { layout.segments?.refresh() }

    /// The leading track after each announced change of its configuration.
    package func announcedVersions(of plan: SegmentPlan) -> [Track] {
        plan.announcedChanges.indices.map { track(0, version: $0 + 1, of: plan).track }
    }
}
