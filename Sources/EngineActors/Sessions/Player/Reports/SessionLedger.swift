// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// Records the findings that a session has reported to its clients, so that each one is reported once. Pure.
struct SessionLedger {
    /// A new finding to publish: a notice, and the change of the published description, if any.
    struct Entry: Hashable, Sendable {
        var change: Change?
        let notice: Notice
    }

    /// A change of the description of the lead stream.
    enum Change: Hashable, Sendable {
        case dynamicMetadata
        /// The caption channels that are new, and all channels that are known by now.
        case captions(new: Set<String>, all: [String])
        /// The codec string and the format that cover all versions of the video configuration.
        case versions(codecString: String, PictureFormat?)
    }

    /// Width, height and sample aspect ratio as a track signals them.
    struct PictureFormat: Hashable, Sendable {
        let width: Int
        let height: Int
        let sampleAspectRatio: Ratio
    }

    /// Findings that are reported the first time only.
    private enum Finding: Hashable {
        case dynamicMetadata, lostMetadata, brokenAudio, repeatedFrames, silence, changedFormat, untreatedAudio,
            unsearchedCues, tooManyCues, unknownAudio
        case unreadableCues(track: Int)
        case undecodedAudio(UndecodedAudio.Subject)
    }

    private var reported: Set<Finding> = []
    private var droppedPackets = 0
    private var audioNotices = 0
    private var versions = 0
    /// Caption channels first seen after playlists without them were published, named as in the INSTREAM-ID attribute.
    private(set) var lateCaptions: Set<String> = []

    /// - Parameters:
    ///   - video: the video's description when the source was opened; `nil` without video.
    ///   - losesCaptions: whether its pictures are encoded without their captions.
    /// - Returns: the findings that `report` shows for the first time.
    mutating func entries(
        for report: SegmentProducer.Report,
        of video: VideoProperties?,
        losesCaptions: Bool
    ) -> [Entry] {
        var entries: [Entry] = []
        if report.droppedPackets > droppedPackets {
            let count = report.droppedPackets - droppedPackets
            droppedPackets = report.droppedPackets
            let text = "\(count) damaged packets were left out of their segments"
            entries.append(.init(notice: Notice(.warning, "segment.packets_dropped", text)))
        }
        if report.hasDynamicMetadata, video != nil, isFirst(.dynamicMetadata) {
            let text = "dynamic metadata appears later in the video: it is HDR10+"
            entries.append(.init(change: .dynamicMetadata, notice: Notice(.info, "video.format_changed", text)))
        }
        if let entry = self.entry(forCaptions: report.captionChannels, of: video, areLost: losesCaptions) {
            entries.append(entry)
        }
        if report.picturesWithoutMetadata > 0, isFirst(.lostMetadata) {
            let text =
                "Dolby Vision metadata is damaged or missing; \(report.picturesWithoutMetadata) frames so far are HDR10"
            entries.append(.init(notice: Notice(.warning, "video.rpu_dropped", text)))
        }
        return entries + audioEntries(for: report) + bridgeEntries(for: report)
    }

    private mutating func audioEntries(for report: SegmentProducer.Report) -> [Entry] {
        var entries = report.notices.dropFirst(audioNotices).map { Entry(notice: $0) }
        audioNotices = max(audioNotices, report.notices.count)
        if report.unknownAudioPackets > 0, isFirst(.unknownAudio) {
            let text =
                "\(report.unknownAudioPackets) audio packets are not served, because their format is not that of the audio "
                + "after the discontinuity before them"
            entries.append(.init(notice: Notice(.warning, "audio.part_not_served", text)))
        }
        return entries
    }

    private mutating func bridgeEntries(for report: SegmentProducer.Report) -> [Entry] {
        var entries: [Entry] = []
        if report.brokenAudioPackets > 0, isFirst(.brokenAudio) {
            let text = "\(report.brokenAudioPackets) audio packets could not be decoded; silence replaces them"
            entries.append(.init(notice: Notice(.warning, "bridge.packets_broken", text)))
        }
        if report.repeatedFrames > 0, isFirst(.repeatedFrames) {
            let text = "\(report.repeatedFrames) frames could not be decoded; the frame before each is shown instead"
            entries.append(.init(notice: Notice(.warning, "bridge.pictures_repeated", text)))
        }
        if report.silentSegments > 0, isFirst(.silence) {
            let text = "a segment of a bridged track is silent: none of its packets could be decoded"
            entries.append(.init(notice: Notice(.warning, "bridge.silent", text)))
        }
        if report.changedFormats > 0, isFirst(.changedFormat) {
            let text = "the rate or channels of a bridged track change midway; it is served with the initial ones"
            entries.append(.init(notice: Notice(.warning, "bridge.format_changed", text)))
        }
        if report.untreatedSegments > 0, isFirst(.untreatedAudio) {
            entries.append(.init(notice: .untreated("a segment is served as in the source: a filter failed")))
        }
        return entries
    }

    /// - Parameters:
    ///   - channels: all caption channels that pictures have carried so far.
    ///   - video: the video's description when the source was opened.
    ///   - areLost: whether the pictures that players get are encoded without them.
    /// - Returns: the entry for the channels that were neither announced nor reported before; `nil` if there are none.
    mutating func entry(forCaptions channels: Set<String>, of video: VideoProperties?, areLost: Bool) -> Entry? {
        guard let video else { return nil }
        let new = channels.subtracting(video.announcedCaptions).subtracting(lateCaptions)
        guard !new.isEmpty else { return nil }
        lateCaptions.formUnion(new)
        let names = new.sorted().joined(separator: ", ")
        let found = "captions (\(names)) appear later in the video"
        let notice =
            areLost
            ? Notice(
                .warning,
                "video.captions_lost",
                "\(found), which is encoded without them; they are subtitle tracks"
            )
            : Notice(
                .info,
                "video.captions_found",
                "\(found); playlists that were fetched earlier do not list them"
            )
        return Entry(
            change: .captions(new: new, all: lateCaptions.union(video.captionChannels).sorted()),
            notice: notice
        )
    }

    /// - Parameter audio: all audio that the software path could not decode so far, because of its format after a
    ///   discontinuity. Each stream and codec is reported once.
    mutating func entries(forUndecoded audio: [UndecodedAudio.Subject: UndecodedAudio]) -> [Entry] {
        let found = audio.values.sorted {
            ($0.time ?? .zero, $0.subject.stream) < ($1.time ?? .zero, $1.subject.stream)
        }
        return found.filter { isFirst(.undecodedAudio($0.subject)) }.map { audio in
            let place = audio.time.map { "from \($0.seconds) s on, " } ?? ""
            let codec = audio.subject.codec.map { "the \($0.rawValue) audio" } ?? "audio"
            let text = "\(place)\(codec) of stream \(audio.subject.stream) cannot be decoded: \(audio.reason)"
            return Entry(notice: Notice(.warning, "audio.part_not_decoded", text))
        }
    }

    /// - Parameters:
    ///   - failures: why the latest cues could not be read. Each track is reported once.
    ///   - isCut: whether there are more cues than the decoder keeps.
    mutating func entries(forCues failures: CueFailures, isCut: Bool) -> [Entry] {
        var entries: [Entry] = []
        for (track, error) in failures.byTrack where isFirst(.unreadableCues(track: track)) {
            let text = "cues of subtitle track \(track) are missing: \(error)"
            entries.append(.init(notice: Notice(.warning, "subtitles.unreadable", text)))
        }
        if let error = failures.search, isFirst(.unsearchedCues) {
            let text = "cues that stay on screen for a long time may be missing: \(error)"
            entries.append(.init(notice: Notice(.warning, "subtitles.unreadable", text)))
        }
        if isCut, isFirst(.tooManyCues) {
            let text = "more than \(SubtitleDecoder.byteLimit >> 20) MiB of cues; some are not reported"
            entries.append(.init(notice: Notice(.warning, "subtitles.cues_left_out", text)))
        }
        return entries
    }

    /// The codec string and the format that cover all announced versions of the video configuration, as in the master
    /// playlist, and a notice that names the latest version. `nil` when no version has been announced since the last
    /// call.
    mutating func entry(forVersionsOf source: OpenedSource, by plan: SegmentPlan) -> Entry? {
        let changes = plan.announcedChanges
        guard changes.count > versions, let last = changes.last else { return nil }
        versions = changes.count
        let announced = source.announcedVersions(of: plan)
        let lead = source.lead
        let start = MediaTime(lead.timelineTicks(plan.boundaries[last.firstSegment].time), in: lead.track.timeBase)
        var text =
            "the video's parameter sets change \(changes.count) times; each change is a discontinuity with its own "
        text += "init segment; from \(start.seconds) s on it is "
        if let video = announced.last?.video { text += "\(video.width)x\(video.height), " }
        text += announced.last?.codecString ?? ""
        let track = lead.track.covering(announced)
        let format = track.video.map {
            PictureFormat(width: $0.width, height: $0.height, sampleAspectRatio: $0.sampleAspectRatio)
        }
        return Entry(
            change: .versions(codecString: track.codecString, format),
            notice: Notice(.info, "video.parameter_sets_change", text)
        )
    }

    private mutating func isFirst(_ finding: Finding) -> Bool { reported.insert(finding).inserted }
}

extension SessionState {
    /// - Parameter lead: the index of the lead stream.
    mutating func apply(_ change: SessionLedger.Change, toStream lead: Int) {
        switch change {
        case .dynamicMetadata:
            media?.streams[lead].noteDynamicMetadata()
            videoFormat = media?.videoFormat
            sourceVideoFormat = media?.sourceVideoFormat
        case .captions(_, let all):
            media?.streams[lead].video?.hasClosedCaptions = true
            media?.streams[lead].video?.captionChannels = all
        case .versions(let codecString, let format):
            media?.streams[lead].delivery?.codecString = codecString
            guard let format else { return }
            media?.streams[lead].video?.width = format.width
            media?.streams[lead].video?.height = format.height
            media?.streams[lead].video?.sampleAspectRatio = format.sampleAspectRatio
        }
    }
}
