// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging

extension MediaDescription {
    /// The subtitle tracks: subtitle streams in source order, then the captions in the first video stream.
    package var subtitleTracks: [SubtitleTrack] {
        ownStreams.filter { $0.kind == .subtitle && $0.protection == nil }.flatMap(\.subtitleTracks)
            + (ownStreams.first { $0.kind == .video && $0.protection == nil }?.announcedCaptions ?? [])
    }

    /// The height of the first video, in lines. `nil` if there is none.
    var videoHeight: Int? { ownStreams.lazy.compactMap(\.video?.height).first }

    /// A track that can be selected by its id although the source does not announce it: a teletext page, or a caption
    /// channel or service that the first pictures do not contain.
    package func unlistedTrack(_ id: Int) -> SubtitleTrack? {
        if let video = ownStreams.first(where: { $0.kind == .video && $0.protection == nil }),
            CaptionExtractor(codec: video.codec, extradata: []) != nil, let track = video.captionTrack(withID: id)
        {
            return track
        }
        let (place, page) = id.quotientAndRemainder(dividingBy: 1000)
        guard (100...899).contains(page), streams.indices.contains(place - 1), streams[place - 1].codec.isTeletext,
            streams[place - 1].protection == nil, isOwn(place - 1)
        else {
            return nil
        }
        return streams[place - 1].pageTrack(page)
    }

    package func unlistedTrack(_ choice: SubtitleChoice) -> SubtitleTrack? {
        if case .id(let id) = choice { unlistedTrack(id) } else { nil }
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
            isText: SubtitleCodec.isText(codec) || codec.isTeletext || codec.isCaptionService,
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

    /// - Parameter page: the teletext page, 100 … 899.
    fileprivate func pageTrack(_ page: Int) -> SubtitleTrack {
        SubtitleTrack(
            id: (index + 1) * 1000 + page,
            codec: codec,
            title: "\(page)",
            isText: true,
            origin: .embedded(stream: index),
            service: page
        )
    }

    /// The caption channels and services that the first pictures contain or the source announces.
    fileprivate var announcedCaptions: [SubtitleTrack] {
        video.map { captionTracks($0.announcedCaptions) } ?? []
    }

    /// - Parameter names: INSTREAM-ID values.
    package func captionTracks(_ names: Set<String>) -> [SubtitleTrack] {
        (1...4).filter { names.contains("CC\($0)") }.map { channelTrack($0) }
            + (1...63).filter { names.contains("SERVICE\($0)") }.map { serviceTrack($0) }
    }

    fileprivate func captionTrack(withID id: Int) -> SubtitleTrack? {
        let (channel, service) = (id - SubtitleTrack.firstCaption + 1, id - SubtitleTrack.firstService + 1)
        if (1...4).contains(channel) { return channelTrack(channel) }
        return (1...63).contains(service) ? serviceTrack(service) : nil
    }

    /// - Parameter channel: 1 … 4 for CC1 … CC4.
    private func channelTrack(_ channel: Int) -> SubtitleTrack {
        captions(id: SubtitleTrack.firstCaption + channel - 1, codec: "eia_608", "CC\(channel)", number: channel)
    }

    /// - Parameter service: the CTA-708 service, 1 … 63.
    private func serviceTrack(_ service: Int) -> SubtitleTrack {
        captions(id: SubtitleTrack.firstService + service - 1, codec: "eia_708", "SERVICE\(service)", number: service)
    }

    private func captions(id: Int, codec: String, _ name: String, number: Int) -> SubtitleTrack {
        let announced = video?.captionServices.first { $0.name == name }
        return SubtitleTrack(
            id: id,
            codec: CodecID(rawValue: codec),
            language: announced?.language ?? "",
            title: name,
            dispositions: ["captions"],
            isText: true,
            origin: .embedded(stream: index),
            service: number
        )
    }
}

extension VideoProperties {
    /// The caption channels and services that the first pictures contain or the source announces, as INSTREAM-ID
    /// values.
    package var announcedCaptions: Set<String> { Set(captionChannels).union(captionServices.map(\.name)) }
}

extension CodecID {
    var isTeletext: Bool { rawValue == "dvb_teletext" }
    var isDVBSubtitles: Bool { rawValue == "dvb_subtitle" }
}
