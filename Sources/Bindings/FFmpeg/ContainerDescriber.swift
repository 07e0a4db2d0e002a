// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

extension FormatContext {
    /// Everything the container declares about itself, its streams, chapters and tags, as values.
    package func describe(source: String) -> MediaDescription {
        let describer = unsafe ContainerDescriber(pointer: pointer, container: container, streamCount: streamCount)
        return describer.media(source: source)
    }
}

/// Copies what an open `AVFormatContext` declares into values. Valid while the context is open.
@safe private struct ContainerDescriber {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    let container: ContainerFormat
    let streamCount: Int

    func media(source: String) -> MediaDescription {
        var media = MediaDescription()
        media.source = source
        media.container = container.name
        media.containerName = unsafe text(pointer.pointee.iformat.pointee.long_name)
        media.duration = unsafe pointer.pointee.duration.timestamp.map { MediaTime(microseconds: $0) }
        media.start = MediaTime(microseconds: unsafe pointer.pointee.start_time.timestamp ?? 0)
        media.bitRate = UInt64(max(0, unsafe pointer.pointee.bit_rate))
        media.tags = unsafe tags(pointer.pointee.metadata)
        for index in 0..<streamCount {
            guard let stream = unsafe pointer.pointee.streams[index] else { continue }
            media.streams.append(unsafe describe(stream, index: index))
        }
        for index in 0..<chapterCount {
            guard let chapter = unsafe pointer.pointee.chapters[index] else { continue }
            media.chapters.append(unsafe describe(chapter, number: index + 1))
        }
        media.programs = container.isMPEGTS ? programs : []
        return media
    }

    /// The programs of a transport stream whose tables were read so far, in the order of the program association table
    /// (`AVFormatContext.programs`).
    private var programs: [Program] {
        let count = unsafe min(Int(pointer.pointee.nb_programs), Self.programLimit)
        return (0..<count).compactMap { index in
            guard let program = unsafe pointer.pointee.programs[index], unsafe program.pointee.program_num > 0 else {
                return nil
            }
            return unsafe describe(program)
        }
    }

    private func describe(_ program: UnsafeMutablePointer<AVProgram>) -> Program {
        var description = Program(number: unsafe Int(program.pointee.program_num))
        for tag in unsafe tags(program.pointee.metadata) {
            switch tag.key {
            case "service_name": description.name = Self.plain(tag.value)
            case "service_provider": description.provider = Self.plain(tag.value)
            default: break
            }
        }
        description.mapPID = unsafe Int(program.pointee.pmt_pid)
        let clock = unsafe Int(program.pointee.pcr_pid)
        // 0x1FFF: the program has no clock (ISO/IEC 13818-1, 2.4.4.9).
        description.clockPID = (1..<0x1FFF).contains(clock) ? clock : nil
        let count = unsafe Int(program.pointee.nb_stream_indexes)
        let streams = unsafe UnsafeBufferPointer(start: program.pointee.stream_index, count: count)
        description.streams = unsafe streams.map { Int($0) }.filter { $0 < streamCount }
        return description
    }

    /// A text of a DVB table, without the codes that mark its short form; a new line becomes a space (ETSI EN 300 468, Tables
    /// A.1 and A.2).
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x8A, 0xE08A: plain.append(" ")
            case 0x80..<0xA0, 0xE080..<0xE0A0: continue
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// The maximum number of programs: more than 16 sections of a program association table can hold.
    private static var programLimit: Int { 4096 }

    private var chapterCount: Int { unsafe Int(pointer.pointee.nb_chapters) }

    private func describe(_ stream: UnsafeMutablePointer<AVStream>, index: Int) -> StreamDescription {
        var description = StreamDescription()
        guard let parameters = unsafe stream.pointee.codecpar else { return description }
        let base = unsafe TimeBase(
            Int64(max(stream.pointee.time_base.num, 1)),
            Int64(max(stream.pointee.time_base.den, 1))
        )
        description.index = index
        description.pid = container.isMPEGTS ? unsafe Int(stream.pointee.id) : 0
        description.kind = unsafe streamKind(of: stream)
        description.codec = unsafe codecID(of: stream)
        if let codec = unsafe avcodec_descriptor_get(parameters.pointee.codec_id) {
            description.codecName = unsafe text(codec.pointee.long_name)
        }
        description.profile = unsafe text(avcodec_profile_name(parameters.pointee.codec_id, parameters.pointee.profile))
        description.tags = unsafe tags(stream.pointee.metadata)
        description.language = description.tag("language")
        description.title = description.tag("title")
        description.fileName = description.tag("filename")
        description.mimeType = description.tag("mimetype")
        description.dispositions = unsafe dispositions(stream.pointee.disposition)
        description.bitRate = UInt64(max(0, unsafe parameters.pointee.bit_rate))
        description.start = MediaTime(unsafe stream.pointee.start_time.timestamp ?? 0, in: base)
        description.duration = unsafe stream.pointee.duration.timestamp.map { MediaTime($0, in: base) }
        switch description.kind {
        case .video: description.video = unsafe videoProperties(of: stream, isCounted: container.isElementary)
        case .audio: description.audio = unsafe audioProperties(of: parameters)
        case .coverArt:
            description.video = unsafe videoProperties(of: stream, isCounted: container.isElementary)
            description.video?.frameRate = nil
            description.payloadByteCount = UInt64(max(0, unsafe stream.pointee.attached_pic.size))
        case .attachment: description.payloadByteCount = UInt64(max(0, unsafe parameters.pointee.extradata_size))
        case .subtitle:
            let entries = unsafe copiedBytes(
                parameters.pointee.extradata,
                count: Int(parameters.pointee.extradata_size)
            )
            switch unsafe parameters.pointee.codec_id {
            case AV_CODEC_ID_DVB_TELETEXT:
                description.subtitlePages = SubtitlePage.pages(teletext: entries, languages: description.language)
            case AV_CODEC_ID_DVB_SUBTITLE:
                description.subtitlePages = SubtitlePage.pages(subtitling: entries, languages: description.language)
            default: break
            }
        case .data: break
        }
        return description
    }

    private func describe(_ chapter: UnsafeMutablePointer<AVChapter>, number: Int) -> Chapter {
        let base = unsafe TimeBase(
            Int64(max(chapter.pointee.time_base.num, 1)),
            Int64(max(chapter.pointee.time_base.den, 1))
        )
        let title = unsafe tags(chapter.pointee.metadata).first { $0.key == "title" }?.value
        return unsafe Chapter(
            start: MediaTime(chapter.pointee.start, in: base),
            end: MediaTime(chapter.pointee.end, in: base),
            title: title ?? "Chapter \(number)"
        )
    }
}

extension StreamDescription {
    fileprivate func tag(_ key: String) -> String { tags.first { $0.key.lowercased() == key }?.value ?? "" }
}

extension CodecID {
    /// The name in words. Empty for a codec that libavcodec does not know (`avcodec_descriptor_get_by_name`).
    package var longName: String {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(rawValue) else { return "" }
        return unsafe text(descriptor.pointee.long_name)
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
}

/// The tags of a dictionary (`av_dict_get`). Limits, because files are untrusted: 1000 tags, and 64 Ki characters per
/// value.
private func tags(_ dictionary: OpaquePointer?) -> [Tag] {
    var result: [Tag] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while result.count < 1000, let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
        unsafe entry = next
        result.append(unsafe Tag(text(next.pointee.key), String(text(next.pointee.value).prefix(64 << 10))))
    }
    return result
}

private func dispositions(_ flags: CInt) -> [String] {
    (0..<31).compactMap { bit in
        let flag = CInt(1) << bit
        guard flags & flag != 0, let name = unsafe av_disposition_to_string(flag) else { return nil }
        return unsafe String(cString: name)
    }
}

extension Ratio {
    /// Returns `nil` for an unset fraction.
    fileprivate init?(_ rational: AVRational) {
        guard rational.num > 0, rational.den > 0 else { return nil }
        self.init(Int(rational.num), Int(rational.den))
    }
}

/// - Parameter isCounted: whether the container has no timestamps.
private func videoProperties(of stream: UnsafeMutablePointer<AVStream>, isCounted: Bool) -> VideoProperties {
    var video = VideoProperties()
    guard let parameters = unsafe stream.pointee.codecpar else { return video }
    video.width = unsafe Int(parameters.pointee.width)
    video.height = unsafe Int(parameters.pointee.height)
    let containerAspect = unsafe stream.pointee.sample_aspect_ratio
    let aspect = unsafe containerAspect.num > 0 ? containerAspect : parameters.pointee.sample_aspect_ratio
    if aspect.num > 0, aspect.den > 0 { video.sampleAspectRatio = Ratio(Int(aspect.num), Int(aspect.den)) }
    let average = unsafe Ratio(stream.pointee.avg_frame_rate)
    let nominal = unsafe Ratio(stream.pointee.r_frame_rate)
    // Without timestamps, e.g. in an elementary stream of fields, the average is slightly off the declared rate.
    let isNear = average.flatMap { average in nominal.map { abs(average.value / $0.value - 1) < 0.01 } } ?? false
    video.frameRate = (isCounted && isNear ? nominal : average) ?? nominal
    let format = unsafe AVPixelFormat(parameters.pointee.format)
    video.pixelFormat = unsafe text(av_get_pix_fmt_name(format))
    if let descriptor = unsafe av_pix_fmt_desc_get(format) {
        video.bitDepth = unsafe Int(descriptor.pointee.comp.0.depth)
    }
    video.color = unsafe ColorDescription(
        primaries: Int(parameters.pointee.color_primaries.rawValue),
        transfer: Int(parameters.pointee.color_trc.rawValue),
        matrix: Int(parameters.pointee.color_space.rawValue),
        isFullRange: parameters.pointee.color_range == AVCOL_RANGE_JPEG
    )
    video.isInterlaced = unsafe ![AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains(parameters.pointee.field_order)
    if let matrix = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) {
        let degrees = unsafe matrix.withMemoryRebound(to: Int32.self, capacity: 9) {
            unsafe av_display_rotation_get($0)
        }
        if degrees.isFinite { video.rotation = (Int((-degrees / 90).rounded()) * 90 % 360 + 360) % 360 }
    }
    video.isTopFieldFirst =
        switch unsafe parameters.pointee.field_order {
        case AV_FIELD_TT, AV_FIELD_BT: true
        case AV_FIELD_BB, AV_FIELD_TB: false
        default: nil
        }
    video.dolbyVision = unsafe dolbyVision(of: stream)
    video.masteringDisplay = unsafe masteringDisplay(of: stream)
    video.contentLight = unsafe contentLight(of: stream)
    video.sourceVideoFormat = declaredFormat(of: video)
    return video
}

/// The format that the container alone declares: Dolby Vision first, then the transfer function.
private func declaredFormat(of video: VideoProperties) -> VideoFormat {
    if let record = video.dolbyVision { return record.format }
    return switch video.color.transfer {
    case 16: .hdr10
    case 18: .hlg
    default: .sdr
    }
}

private func dolbyVision(of stream: UnsafeMutablePointer<AVStream>) -> DolbyVisionConfiguration? {
    guard let data = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, nil) else { return nil }
    return unsafe data.withMemoryRebound(to: AVDOVIDecoderConfigurationRecord.self, capacity: 1) { record in
        unsafe DolbyVisionConfiguration(
            versionMajor: Int(record.pointee.dv_version_major),
            versionMinor: Int(record.pointee.dv_version_minor),
            profile: Int(record.pointee.dv_profile),
            level: Int(record.pointee.dv_level),
            hasRPU: record.pointee.rpu_present_flag != 0,
            hasEnhancementLayer: record.pointee.el_present_flag != 0,
            hasBaseLayer: record.pointee.bl_present_flag != 0,
            compatibility: Int(record.pointee.dv_bl_signal_compatibility_id)
        )
    }
}

private func audioProperties(of parameters: UnsafeMutablePointer<AVCodecParameters>) -> AudioProperties {
    var audio = AudioProperties()
    audio.sampleRate = unsafe Int(parameters.pointee.sample_rate)
    audio.channels = unsafe Int(parameters.pointee.ch_layout.nb_channels)
    // A lossy codec has no bit depth: these fields would describe the container or the decoder.
    if let codec = unsafe avcodec_descriptor_get(parameters.pointee.codec_id),
        unsafe codec.pointee.props & AV_CODEC_PROP_LOSSLESS != 0,
        // libavcodec has one codec ID for all of DTS, of which only DTS-HD MA is lossless.
        unsafe parameters.pointee.codec_id != AV_CODEC_ID_DTS || parameters.pointee.profile == FF_PROFILE_DTS_HD_MA
    {
        let bits = unsafe max(parameters.pointee.bits_per_raw_sample, parameters.pointee.bits_per_coded_sample)
        audio.bitDepth = Int(bits)
    }
    if audio.channels > 0 { audio.channelLayout = unsafe layoutName(of: parameters) }
    return audio
}

/// The name of the stream's layout; the default layout (`av_channel_layout_default`) if the container declares only a
/// channel count.
private func layoutName(of parameters: UnsafeMutablePointer<AVCodecParameters>) -> String {
    var layout = unsafe parameters.pointee.ch_layout
    if unsafe layout.order == AV_CHANNEL_ORDER_UNSPEC { unsafe av_channel_layout_default(&layout, layout.nb_channels) }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        let length = unsafe av_channel_layout_describe(&layout, buffer.baseAddress, buffer.count)
        guard length > 0 else { return "" }
        return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }, as: UTF8.self)
    }
}
