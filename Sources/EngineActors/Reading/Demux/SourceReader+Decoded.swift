// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// Streams that are planned like any other but have no segments: the software path decodes them.
extension SourceReader {
    private static let packed = Tag("packed_bitstream", "yes")

    /// The setup of a stream that the software path decodes, determined by decoding its first packets.
    ///
    /// - Parameters:
    ///   - packets: the stream's first packets.
    ///   - reason: why the stream cannot be served.
    /// - Throws: `unsupportedCodec` when none of the packets can be decoded.
    func decodedSetup(
        _ info: StreamInfo,
        _ description: inout StreamDescription,
        _ packets: [Packet],
        because reason: String
    ) throws(PackagingError) -> TrackSetup {
        let parameters = try decoderParameters(of: info)
        description.route = .software(reason)
        if info.kind == .audio {
            try noteSound(packets, parameters, &description)
        } else {
            try notePicture(packets, parameters, &description)
            noteCaptions(packets, info, &description)
            if info.codec == .mpeg4 { notePackedPictures(info, packets, &description) }
        }
        var track = Track(codec: info.codec, timescale: timescale(of: info, description))
        track.language = description.language
        track.video = description.video
        track.audio = description.audio
        return TrackSetup(track: track, transform: .unchanged)
    }

    /// The parameters that a decoder of the stream needs.
    func decoderParameters(of info: StreamInfo) throws(PackagingError) -> CodecParameters {
        do throws(FFmpegError) {
            return try context.codecParameters(of: info.index)
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
    }

    private func notePicture(
        _ packets: [Packet],
        _ parameters: CodecParameters,
        _ description: inout StreamDescription
    ) throws(PackagingError) {
        guard let picture = try PictureTrial.first(of: packets, parameters) else {
            let codec = description.codec.rawValue
            throw PackagingError(.unsupportedCodec, "no frame could be decoded from \(packets.count) \(codec) packets")
        }
        var video = description.video ?? VideoProperties()
        // The container's size excludes the padding of the last blocks, so the decoder's is only used when there is
        // none.
        if video.width <= 0 || video.height <= 0 { (video.width, video.height) = (picture.width, picture.height) }
        if picture.isInterlaced {
            video.isInterlaced = true
            video.isTopFieldFirst = picture.isTopFieldFirst
        }
        description.video = video
    }

    private func noteCaptions(_ packets: [Packet], _ info: StreamInfo, _ description: inout StreamDescription) {
        var captions = CaptionSurvey(codec: info.codec, extradata: info.extradata)
        for packet in packets { packet.withBytes { captions.note(picture: $0) } }
        guard !captions.channels.isEmpty else { return }
        description.video?.hasClosedCaptions = true
        description.video?.captionChannels = captions.channels.sorted()
    }

    private func noteSound(
        _ packets: [Packet],
        _ parameters: CodecParameters,
        _ description: inout StreamDescription
    ) throws(PackagingError) {
        let trial: DecodingTrial
        do throws(FFmpegError) {
            trial = try DecodingTrial(packets, times: packets.map { $0.pts ?? $0.dts }, parameters)
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
        guard let format = trial.frame?.format else {
            let codec = description.codec.rawValue
            throw PackagingError(.unsupportedCodec, "no audio could be decoded from \(packets.count) \(codec) packets")
        }
        var audio = description.audio ?? AudioProperties()
        audio.sampleRate = format.rate
        audio.channels = format.layout.count
        audio.channelLayout = format.layout.name
        description.audio = audio
    }

    /// Tags MPEG-4 Part 2 video whose packets hold several pictures (packed bitstream).
    private func notePackedPictures(_ info: StreamInfo, _ packets: [Packet], _ description: inout StreamDescription) {
        let isPacked =
            MPEG4Visual.isPacked(info.extradata.span)
            || packets.contains { packet in packet.withBytes { MPEG4Visual.isPacked($0) } }
        guard isPacked else { return }
        description.tags.append(Self.packed)
        description.route = .software("MPEG-4 Part 2 with several pictures per packet (packed bitstream)")
    }
}
