// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Packaging

/// Everything that decoding one stream of a source requires.
package struct DecodingFacts: Sendable {
    /// The form in which packets state the presentation times of their pictures.
    package enum Timing: Hashable, Sendable {
        /// Packets state when their pictures are shown.
        case shown
        /// Packets state only when they are decoded (AVI, for example).
        case decoded
        /// Only some packets state when they are decoded and shown (MPEG program streams, for example). Every other
        /// packet follows the previous one, and lasts this many ticks unless it states a duration.
        case partly(Int64)
        /// Packets state no times and are counted. Each lasts this many ticks, or if this is 0, its own stated duration
        /// (elementary streams).
        case counted(Int64)
    }

    package let container: ContainerFormat
    package private(set) var stream: StreamInfo
    package let timing: Timing
    let origin: TimelineOrigin
    /// The last tick of the stream, as the container states or libavformat estimates it; `nil` if unknown.
    let statedEnd: Int64?
    /// Whether the source finds the random access point at or before a time by a map of its own (`UnitMap`).
    package var hasMap = false
    package private(set) var video: VideoProperties
    package private(set) var parameters: CodecParameters
    /// The palette of pictures whose pixels are palette indexes, if the container gives it only with its first packet.
    package var palette: [UInt8]?
    /// The list of segments, whose video and audio may continue in other formats; `nil` for other sources.
    var list: SegmentListSource?

    /// What decoding audio packets of a format (`Packet.format`) requires. `nil` if that is not known.
    package func parameters(ofFormat format: Int) -> CodecParameters? {
        guard format != 0 else { return parameters }
        return list?.audio(numbered: format)?.sample?.parameters
    }

    /// The facts about packets of video of a format (`Packet.format`). `nil` if the format is not known.
    package func video(ofFormat format: Int) -> DecodingFacts? {
        guard format != 0 else { return self }
        guard stream.kind == .video, let video = list?.video(numbered: format) else { return nil }
        var facts = self
        (facts.stream, facts.video, facts.parameters) = (video.stream, video.properties, video.parameters)
        facts.palette = nil
        return facts
    }

    /// The codec of audio packets of a format (`Packet.format`). `nil` if the format is not known.
    package func codec(ofFormat format: Int) -> CodecID? { configuration(ofFormat: format)?.codec }

    /// Whether one decoder decodes the audio packets of both formats: codec and codec private data are the same. The
    /// headers of frames state the rest.
    package func sharesDecoder(_ one: Int, _ other: Int) -> Bool {
        guard let one = configuration(ofFormat: one), let other = configuration(ofFormat: other) else { return false }
        return one == other
    }

    private func configuration(ofFormat format: Int) -> DecoderConfiguration? {
        guard format != 0 else { return DecoderConfiguration(codec: stream.codec, data: stream.extradata) }
        return list?.audio(numbered: format).map { DecoderConfiguration(codec: $0.codec, data: $0.extradata) }
    }

    /// Whether the demuxer has an index with which it can seek exactly to a random access point.
    package var hasIndex: Bool { container.isMP4 || container.isMatroska || container.isAVI }

    /// The number of packets that may be decoded before the picture of one of them is shown. A list may continue in any
    /// codec.
    package var reorderLimit: Int { stream.codec == .h264 || stream.codec == .hevc || list != nil ? 17 : 8 }

    /// Whether the decoder can skip pictures that no other picture refers to, without any other effect.
    package var canLeaveOut: Bool {
        timing == .shown && ["h264", "hevc", "mpeg2video", "mpeg1video"].contains(stream.codec.rawValue)
    }

    /// Whether a keyframe begins a gradual refresh, so that it is not a complete picture by itself. A decoder that is
    /// drained after it does not report that the picture is incomplete.
    package func isGradual(_ keyframe: Packet) -> Bool {
        keyframe.withBytes {
            RandomAccess.isGradual(codec: stream.codec, extradata: stream.extradata, packet: $0)
        }
    }

    /// Converts ticks of the stream to a time on the timeline.
    package func time(_ ticks: Int64) -> MediaTime { origin.presentation(of: ticks, in: stream.timeBase) }

    /// The last tick at or before `time` on the timeline. Allows for the rounding of picture times.
    package func ticks(_ time: MediaTime) -> Int64 { origin.lastTick(atOrBefore: time, in: stream.timeBase) }
}

/// What a decoder is opened for.
private struct DecoderConfiguration: Hashable {
    let codec: CodecID
    let data: [UInt8]
}

extension DecodingFacts {
    /// The number of packets of the video that are checked for presentation times.
    private static let timedPackets = 24

    /// Collects the facts for one video or audio stream. The read position is undefined afterwards.
    package static func find(
        _ index: Int,
        in reader: SourceReader,
        _ media: MediaDescription,
        origin: TimelineOrigin
    ) throws(EngineError) -> DecodingFacts {
        guard let info = reader.streamInfos().first(where: { $0.index == index }) else {
            throw EngineError(.sourceChanged, "\(reader.file.path) no longer has stream \(index)")
        }
        let description = media.streams.first { $0.index == index }
        if let description, description.protection != nil {
            throw .encrypted("stream \(index) of \(reader.file.path)", [description])
        }
        let video = description?.video ?? VideoProperties()
        // Copied now, because reopening the source discards what libavformat has found out.
        let parameters = try reader.parameters(of: index)
        return DecodingFacts(
            container: reader.container,
            stream: info,
            timing: info.kind == .audio ? audioTiming(in: reader) : try timing(in: reader, video, info),
            origin: origin,
            statedEnd: media.duration.map { origin.lastTick(atOrBefore: $0, in: info.timeBase) },
            hasMap: reader.title?.hasMap == true && info.kind == .video,
            video: video,
            parameters: parameters,
            list: reader.list?.source
        )
    }

    /// Reading an elementary stream starts at a byte position, which says nothing about the time, so packets are
    /// counted. Each states its own duration.
    private static func audioTiming(in reader: SourceReader) -> Timing {
        let container = reader.container
        return container.isElementary && container.canStartAnywhere ? .counted(0) : .shown
    }

    private static func timing(
        in reader: SourceReader,
        _ video: VideoProperties,
        _ info: StreamInfo
    ) throws(EngineError) -> Timing {
        let container = reader.container
        let rate = video.frameRate ?? Ratio(25, 1)
        let frame = TimeBase(Int64(max(1, rate.denominator)), Int64(max(1, rate.numerator)))
        let length = max(1, frame.rescale(1, to: info.timeBase))
        if container.isElementary { return .counted(length) }
        if container.isAVI || reader.countsPictures { return .decoded }
        if container.isMPEGPS { return .partly(length) }
        // Only MP4 has a table of all times, so its packets need not be checked.
        if container.isMP4 { return .shown }
        let packets = try reader.firstPackets(of: info.index, count: timedPackets)
        guard packets.contains(where: { $0.pts == nil }) else { return .shown }
        return packets.allSatisfy { $0.pts == nil } ? .decoded : .partly(length)
    }
}

/// A source to be decoded: a byte source, or a source that was opened for playback.
package enum DecodingSource: Sendable {
    case file(any ByteSource, program: ProgramSelection = .automatic)
    case opened(OpenedSource)

    package var file: any ByteSource {
        switch self {
        case .file(let file, _): file
        case .opened(let source): source.file
        }
    }

    /// Opens a new demuxer for the source, and returns an examiner that uses it.
    package func examiner(interrupt: InterruptFlag) throws(EngineError) -> SourceExaminer {
        switch self {
        case .file(let file, let program): try SourceExaminer(file, program: program, interrupt: interrupt)
        case .opened(let source):
            SourceExaminer(
                try reader(of: source, interrupt),
                program: source.media.program.map { .number($0) } ?? .automatic
            )
        }
    }

    /// Opens a new demuxer for the source.
    package func reader(interrupt: InterruptFlag) throws(EngineError) -> SourceReader {
        switch self {
        case .file(let file, _): try SourceExaminer(file, interrupt: interrupt).reader
        case .opened(let source): try reader(of: source, interrupt)
        }
    }

    private func reader(of source: OpenedSource, _ interrupt: InterruptFlag) throws(EngineError) -> SourceReader {
        try SourceReader(file: source.file, for: .reading, edits: source.edits, interrupt: interrupt)
    }
}
