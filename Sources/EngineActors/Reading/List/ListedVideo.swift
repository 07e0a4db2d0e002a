// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel
internal import Packaging

/// The video of a group of segments, if its codec is not that of the source's video. Known from the first packets of
/// the group.
package struct ListedVideo: Sendable {
    /// With the number and the time base that the video has in the source.
    package let stream: StreamInfo
    let description: StreamDescription
    let parameters: CodecParameters
    /// The setup of its packets. A failure says why they cannot be packed in fMP4.
    let setup: Result<TrackSetup, PackagingError>
    /// The first packets in decoding order, without their payload. Their times are in ticks of `stream`, on the clock of
    /// the segments.
    let packets: [Packet]
    /// As `VideoBridgeInput.primer`.
    let primer: Packet?
    /// Where the segment with these packets begins, counted from the start of the list.
    let start: MediaTime
    /// The `Packet.format` of its packets.
    package let number: Int

    /// - Parameters:
    ///   - stream: as the segment describes it, with the number and the time base of the source's video.
    ///   - packets: the first packets in decoding order, beginning with a random access point, with times in ticks of
    ///     `stream`.
    ///   - group: the number of the group of segments.
    init(
        _ stream: StreamInfo,
        _ description: StreamDescription,
        _ parameters: CodecParameters,
        _ packets: [Packet],
        start: MediaTime,
        group: Int
    ) {
        self.stream = stream
        self.description = description
        self.parameters = parameters
        self.start = start
        number = Self.number(ofGroup: group)
        setup = Result { () throws(PackagingError) in try Self.setup(stream, description, packets) }
        primer =
            stream.codec == .mpeg4 ? packets.first { packet in packet.withBytes { MPEG4Visual.isPacked($0) } } : nil
        // A list may have many breaks, so the payload of their pictures is not kept.
        self.packets = packets.map { packet in
            Packet(
                [],
                stream: stream.index,
                pts: packet.pts,
                dts: packet.dts,
                duration: packet.duration,
                flags: packet.isKey ? .key : []
            )
        }
    }

    /// The `Packet.format` of the packets of a group's video. 0 is the format of the source's video.
    static func number(ofGroup group: Int) -> Int { group + 1 }

    /// The inverse of `number(ofGroup:)`.
    static func group(ofNumber number: Int) -> Int { number - 1 }

    /// The setup, with a timescale that is replaced later by that of the track.
    private static func setup(
        _ stream: StreamInfo,
        _ description: StreamDescription,
        _ packets: [Packet]
    ) throws(PackagingError) -> TrackSetup {
        let bytes = packets.prefix(configuringPackets).map(\.bytes)
        var setup = try TrackSetup.resolve(
            codec: stream.codec,
            timescale: 90_000,
            extradata: stream.extradata,
            firstPackets: bytes,
            video: description.video,
            audio: nil,
            language: description.language
        )
        setup.findSecondLayer(in: bytes, declared: description.video?.dolbyVision, beside: nil)
        return setup
    }

    /// The number of packets that are searched for configuration.
    private static let configuringPackets = 8
}

extension ListedVideo {
    /// Its properties. Cropping that does not fit its size is left out.
    var properties: VideoProperties {
        var video = description.video ?? VideoProperties()
        if case .success(let setup) = setup, let found = setup.track.video { video = found }
        if !video.cropping.fits(width: stream.width, height: stream.height) { video.cropping = Cropping() }
        return video
    }

    /// What a video bridge needs to decode it.
    var input: VideoBridgeInput {
        let (video, crop) = (properties, properties.cropping)
        return VideoBridgeInput(
            parameters: parameters,
            stored: (stream.width - crop.left - crop.right, stream.height - crop.top - crop.bottom),
            isInterlaced: video.isInterlaced,
            hasHiddenPictures: stream.codec.rawValue == "vp8",
            primer: primer
        )
    }
}

extension ListGroups.Found {
    /// If the first segment of a group has no picture, this many of the others are searched for one.
    private static let searchedSegments = 3

    /// Reads the properties of a group from one of its segments, and those of its video from a later one if that segment has no
    /// picture. Consumes packets of the segment.
    ///
    /// - Parameters:
    ///   - segment: a segment of the leading list.
    ///   - open: opens another one. `nil` if it is lost.
    init(
        _ segment: OpenSegment,
        in source: SegmentListSource,
        _ open: (Int) throws(EngineError) -> OpenSegment?
    ) throws(EngineError) {
        let beginning = try segment.beginning(of: source.path)
        self.segment = segment.index
        anchor = beginning.time
        var (revealing, picture) = (segment, beginning.picture)
        let others = source.groups.lead == nil ? [] : source.lead.following(segment.index, count: Self.searchedSegments)
        for index in others where picture == nil {
            do throws(EngineError) {
                guard let other = try open(index), let found = try other.beginning(of: source.path).picture else {
                    continue
                }
                (revealing, picture) = (other, found)
            } catch {
                // It fails by itself when it is wanted.
                if error.code == .cancelled { throw error }
            }
        }
        configuration = revealing.context.streamInfos().first { $0.kind == .video }?.extradata ?? []
        video = try revealing.otherVideo(
            than: source.groups.lead,
            from: picture,
            of: source.lead.segments[revealing.index],
            source.path
        )
    }
}

extension OpenSegment {
    /// The number of packets that show the order and the spacing of pictures.
    private static let sampledPictures = 32

    /// The video of a segment that reveals a group, if its codec is not that of `known`. Consumes packets.
    ///
    /// - Parameters:
    ///   - known: the source's video.
    ///   - picture: the first packet of the video, which has been read already.
    ///   - listed: the segment as its list describes it.
    ///   - path: the path of the source.
    fileprivate func otherVideo(
        than known: StreamInfo?,
        from picture: Packet?,
        of listed: SegmentList.Segment,
        _ path: String
    ) throws(EngineError) -> ListedVideo? {
        guard let known, known.codec.isIdentified, let picture,
            let info = context.streamInfos().first(where: { $0.index == picture.streamIndex }),
            info.codec.isIdentified, info.codec != known.codec
        else { return nil }
        var packets = [picture]
        while packets.count < Self.sampledPictures, let packet = try nextPacket(of: path) {
            if packet.streamIndex == info.index { packets.append(packet) }
        }
        func ticks(_ time: Int64?) -> Int64? { time.map { info.timeBase.rescale($0, to: known.timeBase) } }
        let placed = packets.map { packet in
            packet.listed(
                stream: known.index,
                pts: ticks(packet.pts),
                dts: ticks(packet.dts),
                duration: info.timeBase.rescale(packet.duration, to: known.timeBase),
                position: nil
            )
        }
        var description = context.describe(source: path).streams.first { $0.index == info.index } ?? StreamDescription()
        description.index = known.index
        do throws(FFmpegError) {
            return ListedVideo(
                info.numbered(known.index, in: known.timeBase),
                description,
                try CodecParameters(context.codecParameters(of: info.index), timeBase: known.timeBase),
                placed,
                start: listed.start,
                group: listed.group
            )
        } catch {
            throw EngineError(error, .segmentFailed, "reading the format of the video of \(path)")
        }
    }
}
