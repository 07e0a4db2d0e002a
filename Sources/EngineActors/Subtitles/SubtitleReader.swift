// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Reads the packets of some subtitle tracks of a source. Also reads the leading stream if nothing else shows how far
/// reading has come.
///
/// Not thread-safe: owned by one actor with its own thread. Playback uses another reader.
final class SubtitleReader {
    let reader: SourceReader
    private let lead: Int?
    private let streams: Set<Int>
    /// For each video stream: extracts the captions from its pictures.
    private let extractors: [Int: CaptionExtractor]
    /// The same by `Packet.format`, where a list continues in another codec.
    private var otherExtractors: [Int: CaptionExtractor] = [:]

    /// - Parameters:
    ///   - streams: the streams to read. Of a video stream, only the captions are read.
    ///   - lead: the stream whose keyframes open segments. `nil`: there is none, and teletext keeps its own clock.
    init(
        _ file: any ByteSource,
        edits: FormatContext.Edits,
        streams: Set<Int>,
        lead: Int?,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        reader = try SourceReader(
            file: file,
            for: .reading,
            edits: edits,
            keepsTeletextTimes: lead == nil,
            interrupt: interrupt
        )
        self.streams = streams
        // In MP4 each track has its own sample table, so unwanted samples are not read and the leading stream is not
        // needed. The same holds for text that has a playlist of its own.
        self.lead = reader.container.isMP4 || reader.haveOwnPlaylists(streams) ? nil : lead
        let videos = reader.streamInfos().filter { streams.contains($0.index) && $0.kind == .video }
        extractors = Dictionary(
            uniqueKeysWithValues: videos.compactMap { info in
                CaptionExtractor(codec: info.codec, extradata: info.extradata).map { (info.index, $0) }
            }
        )
        prepare()
    }

    private func prepare() { reader.prepareForPackets(of: streams.union(lead.map { [$0] } ?? [])) }

    /// Returns to the start of the source.
    func reopen() throws(EngineError) {
        try reader.reopen()
        prepare()
    }

    /// The extractor for a packet of a video stream of which the captions are read. `nil` for any other packet.
    private func extractor(for packet: Packet) -> CaptionExtractor? {
        guard packet.format != 0, extractors[packet.streamIndex] != nil else { return extractors[packet.streamIndex] }
        // A list continues in another codec.
        if let known = otherExtractors[packet.format] { return known }
        let found = reader.file.video(ofFormat: packet.format).flatMap {
            CaptionExtractor(codec: $0.codec, extradata: $0.extradata)
        }
        otherExtractors[packet.format] = found
        return found
    }

    /// The kind of a packet that was read.
    enum Reading {
        case subtitle(Packet)
        case lead(Packet)
        case ended
    }

    func next() throws(EngineError) -> Reading {
        while let packet = try reader.readPacket() {
            if let extractor = extractor(for: packet) {
                let captions = packet.withBytes { extractor.triplets(in: $0) }
                return captions.isEmpty ? .lead(packet) : .subtitle(packet.carrying(captions))
            }
            // Video that continues in a codec that cannot carry captions.
            if extractors[packet.streamIndex] != nil { return .lead(packet) }
            if streams.contains(packet.streamIndex) { return .subtitle(packet) }
            if packet.streamIndex == lead { return .lead(packet) }
        }
        return .ended
    }

    /// The fraction of the file's bytes that have been read, 0 … 1.
    var progress: Double {
        min(1, Double(reader.fileOffset) / Double(max(1, reader.file.byteCount)))
    }

    /// The settings for a decoder of `track`.
    func setting(_ track: SubtitleTrack, origin: TimelineOrigin) throws(EngineError) -> CueSetting {
        guard let stream = track.stream else {
            throw EngineError(.internal, "subtitle track \(track.id) is not a stream of \(reader.file.path)")
        }
        guard let info = reader.streamInfos().first(where: { $0.index == stream }) else {
            throw EngineError(.sourceChanged, "\(reader.file.path) no longer has stream \(stream)")
        }
        let parameters = try reader.parameters(of: stream, orThrow: .sourceChanged)
        let videos = reader.streamInfos().filter { $0.kind == .video && $0.width > 0 && $0.height > 0 }
        // If the source has several programs, the leading stream belongs to the selected one.
        let video = videos.first { $0.index == lead } ?? videos.first
        let canvas = video.map { PictureCanvas(width: $0.width, height: $0.height) }
        return CueSetting(
            track: track,
            parameters: parameters,
            timeBase: info.timeBase,
            origin: origin,
            videoCanvas: canvas
        )
    }
}
