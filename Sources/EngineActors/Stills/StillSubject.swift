// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// The stream from which the stills of a source are made.
enum StillSubject {
    case video(DecodingFacts)
    /// A stream that is a still picture, such as a cover.
    case cover(CodecParameters, StreamDescription)
}

extension StillSubject {
    /// Finds the stream from which stills of a source can be made. The read position is undefined afterwards.
    static func find(by examiner: SourceExaminer) throws(EngineError) -> StillSubject {
        let reader = examiner.reader
        let examined: Examination?
        do throws(EngineError) {
            examined = try examiner.examine(options: LoadOptions())
        } catch {
            guard error.code == .noPlayableStream else { throw error }
            examined = nil
        }
        if let examined, let track = examined.tracks.first(where: { $0.kind == .video && $0.isServed }) {
            return try videoSubject(track.stream.index, in: reader, examined.media, origin: examined.origin)
        }
        // A stream that is not served may still be decodable, but the container header may not describe it completely.
        try reader.reopen()
        try reader.findStreamInfo()
        let media: MediaDescription
        if let examined { media = examined.media } else { media = try examiner.describe(options: LoadOptions()) }
        let all = media.ownStreams.filter { $0.kind == .video }
        let clear = all.filter { $0.protection == nil }
        let videos = clear.isEmpty ? all : clear
        guard let video = videos.first(where: { $0.has(disposition: "default") }) ?? videos.first else {
            return try cover(in: reader, media)
        }
        let origin: TimelineOrigin
        if let examined {
            origin = examined.origin
        } else {
            origin = try examiner.origin(video: video.index, of: media)
        }
        return try videoSubject(video.index, in: reader, media, origin: origin)
    }

    /// `find(by:)` for a source that is already open.
    static func of(_ opened: OpenedSource, in reader: SourceReader) throws(EngineError) -> StillSubject {
        if opened.lead.kind == .video {
            if !opened.container.describesItself || !opened.lead.isServed { try reader.findStreamInfo() }
            return try videoSubject(opened.lead.stream.index, in: reader, opened.media, origin: opened.origin)
        }
        try reader.findStreamInfo()
        guard let video = opened.media.ownStreams.first(where: { $0.kind == .video }) else {
            return try cover(in: reader, opened.media)
        }
        return try videoSubject(video.index, in: reader, opened.media, origin: opened.origin)
    }

    private static func videoSubject(
        _ index: Int,
        in reader: SourceReader,
        _ media: MediaDescription,
        origin: TimelineOrigin
    ) throws(EngineError) -> StillSubject {
        let facts = try DecodingFacts.find(index, in: reader, media, origin: origin)
        try reader.goToStart(of: [index])
        return .video(facts)
    }

    private static func cover(in reader: SourceReader, _ media: MediaDescription) throws(EngineError) -> StillSubject {
        guard let cover = media.streams.first(where: { $0.kind == .coverArt }) else {
            throw EngineError(.noPlayableStream, "\(reader.file.path) contains no video or cover")
        }
        return .cover(try reader.parameters(of: cover.index), cover)
    }
}
