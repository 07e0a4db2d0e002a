// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// What a source has that can be made a still.
enum StillSubject {
    case film(FilmFacts)
    /// The stream that is a picture of the file.
    case cover(CodecParameters, StreamDescription)
}

extension StillSubject {
    /// Packets that are looked at to find where a timeline starts.
    private static let headPackets = 400
    /// Packets of the video that tell whether all say when they are shown.
    private static let timedPackets = 24

    /// Finds out what a source has. Leaves the reader anywhere.
    static func find(in reader: SourceReader) throws(EngineError) -> StillSubject {
        let examined: SourceReader.Examination?
        do throws(EngineError) {
            examined = try reader.examine(options: LoadOptions())
        } catch {
            guard error.code == .noPlayableStream else { throw error }
            examined = nil
        }
        if let examined, let track = examined.tracks.first(where: { $0.kind == .video }) {
            return try film(track.stream.index, in: reader, examined.media, origin: examined.origin)
        }
        // What is not served can still be decoded, but its header may not tell all of it.
        try reader.reopen()
        try reader.findStreamInfo()
        let media = examined?.media ?? reader.describe(options: LoadOptions())
        let videos = media.streams.filter { $0.kind == .video }
        guard let video = videos.first(where: { $0.has(disposition: "default") }) ?? videos.first else {
            return try cover(in: reader, media)
        }
        let origin: MediaTime
        if let examined { origin = examined.origin } else { origin = try timelineOrigin(reader, video.index) }
        return try film(video.index, in: reader, media, origin: origin)
    }

    /// The same for a source that is open already.
    static func of(_ opened: OpenedSource, in reader: SourceReader) throws(EngineError) -> StillSubject {
        if opened.lead.kind == .video {
            if !opened.container.describesItself { try reader.findStreamInfo() }
            return try film(opened.lead.stream.index, in: reader, opened.media, origin: opened.origin)
        }
        try reader.findStreamInfo()
        guard let video = opened.media.streams.first(where: { $0.kind == .video }) else {
            return try cover(in: reader, opened.media)
        }
        return try film(video.index, in: reader, opened.media, origin: opened.origin)
    }

    private static func film(
        _ index: Int,
        in reader: SourceReader,
        _ media: MediaDescription,
        origin: MediaTime
    ) throws(EngineError) -> StillSubject {
        guard let info = reader.context.streamInfos().first(where: { $0.index == index }) else {
            throw EngineError(.sourceChanged, "\(reader.file.path) has no stream \(index) any more")
        }
        let video = media.streams.first { $0.index == index }?.video ?? VideoProperties()
        let facts = FilmFacts(
            container: reader.context.container,
            stream: info,
            timing: try timing(in: reader, video, info),
            origin: origin,
            video: video,
            parameters: try parameters(of: index, in: reader)
        )
        try reader.goToStart(of: index)
        return .film(facts)
    }

    private static func timing(
        in reader: SourceReader,
        _ video: VideoProperties,
        _ info: StreamInfo
    ) throws(EngineError) -> FilmFacts.Timing {
        let container = reader.context.container
        let rate = video.frameRate ?? Ratio(25, 1)
        let frame = TimeBase(Int64(max(1, rate.denominator)), Int64(max(1, rate.numerator)))
        let length = max(1, frame.rescale(1, to: info.timeBase))
        if container.isElementary { return .counted(length) }
        if container.isAVI { return .decoded }
        if container.isMPEGPS { return .partly(length) }
        // Nothing but MP4 has a table of all times.
        if container.isMP4 { return .shown }
        let packets = try reader.firstPackets(of: info.index, count: timedPackets)
        guard packets.contains(where: { $0.pts == nil }) else { return .shown }
        return packets.allSatisfy { $0.pts == nil } ? .decoded : .partly(length)
    }

    private static func parameters(of index: Int, in reader: SourceReader) throws(EngineError) -> CodecParameters {
        do throws(FFmpegError) {
            return try reader.context.codecParameters(of: index)
        } catch {
            throw EngineError(error, file: nil, .noPlayableStream, "stream \(index) cannot be decoded")
        }
    }

    private static func cover(in reader: SourceReader, _ media: MediaDescription) throws(EngineError) -> StillSubject {
        guard let cover = media.streams.first(where: { $0.kind == .coverArt }) else {
            throw EngineError(.noPlayableStream, "\(reader.file.path) holds no pictures")
        }
        return .cover(try parameters(of: cover.index, in: reader), cover)
    }

    /// Where the timeline starts, as for a source that is played: with the first picture or sound, but not before the
    /// container's own zero.
    private static func timelineOrigin(_ reader: SourceReader, _ video: Int) throws(EngineError) -> MediaTime {
        var starts: [Int: MediaTime] = [:]
        let infos = reader.context.streamInfos()
        for _ in 0..<headPackets {
            guard let packet = try reader.readPacket() else { break }
            guard let info = infos.first(where: { $0.index == packet.streamIndex }),
                info.kind == .audio || info.index == video, let time = packet.pts ?? packet.dts
            else { continue }
            let start = MediaTime(time, in: info.timeBase)
            if info.kind == .audio, starts[info.index] != nil { continue }
            starts[info.index] = min(starts[info.index] ?? start, start)
        }
        let first = starts.values.min() ?? .zero
        return reader.context.container.isMPEGTS ? first : max(.zero, first)
    }
}

extension SourceReader {
    /// The first packets of a stream. Leaves the reader at the start.
    fileprivate func firstPackets(of stream: Int, count: Int) throws(EngineError) -> [Packet] {
        try goToStart(of: stream)
        var found: [Packet] = []
        while found.count < count, let packet = try readPacket() {
            if packet.streamIndex == stream { found.append(packet) }
        }
        try goToStart(of: stream)
        return found
    }

    /// Goes back to the very start, to read the packets of one stream.
    func goToStart(of stream: Int) throws(EngineError) {
        if context.container.canStartAnywhere, (try? context.seek(byte: 0)) != nil {
            context.keep(only: [stream])
            return hasJumped()
        }
        try reopen()
        if context.container.hasFramedPackets { context.takePacketsAsTheyAre() }
        context.keep(only: [stream])
        hasJumped()
    }
}
