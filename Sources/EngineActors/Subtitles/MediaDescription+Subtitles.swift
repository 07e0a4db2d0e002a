// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension MediaDescription {
    /// What holds cues, as tracks: streams in the order of the source, then captions within the pictures.
    var subtitleTracks: [SubtitleTrack] {
        streams.filter { $0.kind == .subtitle }.flatMap(\.subtitleTracks)
            + (streams.first { $0.kind == .video }?.captionTracks ?? [])
    }

    /// The channel of captions that is named, though the first pictures do not show it.
    func captionTrack(_ choice: SubtitleChoice) -> SubtitleTrack? {
        guard case .id(let id) = choice, (1...4).contains(id - SubtitleTrack.firstCaption + 1),
            let video = streams.first(where: { $0.kind == .video }),
            CaptionExtractor(codec: video.codec, extradata: []) != nil
        else { return nil }
        return video.captionTrack(id - SubtitleTrack.firstCaption + 1)
    }
}

extension StreamDescription {
    fileprivate var subtitleTracks: [SubtitleTrack] {
        let track = SubtitleTrack(
            id: index,
            codec: codec,
            language: language,
            title: title,
            dispositions: dispositions,
            isText: SubtitleCodec.isText(codec) || codec.isTeletext,
            origin: .embedded(stream: index)
        )
        guard !subtitlePages.isEmpty else { return [track] }
        return subtitlePages.enumerated().map { place, page in
            var paged = track
            if place > 0 { paged.id = (index + 1) * 1000 + (codec.isTeletext ? page.number : place) }
            paged.service = codec.isTeletext ? page.number : place
            paged.language = page.language
            if track.title.isEmpty, codec.isTeletext { paged.title = "\(page.number)" }
            if page.isForHearingImpaired, !track.has(disposition: "hearing_impaired") {
                paged.dispositions.append("hearing_impaired")
            }
            return paged
        }
    }

    /// The channels that the first pictures show.
    fileprivate var captionTracks: [SubtitleTrack] {
        guard let channels = video?.captionChannels else { return [] }
        return (1...4).filter { channels.contains("CC\($0)") }.map { captionTrack($0) }
    }

    /// - Parameter channel: 1 … 4 for CC1 … CC4.
    fileprivate func captionTrack(_ channel: Int) -> SubtitleTrack {
        SubtitleTrack(
            id: SubtitleTrack.firstCaption + channel - 1,
            codec: CodecID(rawValue: "eia_608"),
            title: "CC\(channel)",
            dispositions: ["captions"],
            isText: true,
            origin: .embedded(stream: index),
            service: channel
        )
    }
}

extension CodecID {
    var isTeletext: Bool { rawValue == "dvb_teletext" }
    var isDVBSubtitles: Bool { rawValue == "dvb_subtitle" }
    var isCaptions: Bool { rawValue == "eia_608" }
}
