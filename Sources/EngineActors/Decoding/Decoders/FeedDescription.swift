// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// The properties of a source that its feed knows once the source is open.
struct FeedDescription {
    let media: MediaDescription
    let origin: TimelineOrigin
    /// By stream index: the decoded video stream and every audio stream.
    let facts: [Int: DecodingFacts]

    /// Examines the source. The read position is undefined afterwards.
    ///
    /// - Parameter video: the video stream to decode, if any.
    static func open(
        _ source: DecodingSource,
        video: Int?,
        by examiner: SourceExaminer
    ) throws(EngineError) -> FeedDescription {
        let reader = examiner.reader
        let (media, origin) = try survey(source, video, examiner)
        // Decoders need what probing finds, such as the reorder depth.
        try reader.findStreamInfo()
        var facts: [Int: DecodingFacts] = [:]
        let audio = reader.streamInfos().filter { $0.kind == .audio && media.isOwn($0.index) }.map(\.index)
        for stream in audio + [video].compactMap(\.self) {
            facts[stream] = try .find(stream, in: reader, media, origin: origin)
        }
        if let video, let found = facts[video], mayHavePalette(found) {
            facts[video]?.palette = try reader.firstPackets(of: video, count: 1).first?.palette
        }
        return FeedDescription(media: media, origin: origin, facts: facts)
    }

    private static func mayHavePalette(_ facts: DecodingFacts) -> Bool {
        let without: Set<CodecID> = [.h264, .hevc, .av1, .vp9, CodecID(rawValue: "mpeg4"), CodecID(rawValue: "prores")]
        return (facts.container.isMP4 || facts.container.isAVI) && !without.contains(facts.stream.codec)
    }

    private static func survey(
        _ source: DecodingSource,
        _ video: Int?,
        _ examiner: SourceExaminer
    ) throws(EngineError) -> (MediaDescription, origin: TimelineOrigin) {
        let reader = examiner.reader
        if case .opened(let opened) = source { return (opened.media, opened.origin) }
        do throws(EngineError) {
            let examined = try examiner.examine(options: LoadOptions())
            try reader.reopen()
            return (examined.media, examined.origin)
        } catch {
            guard error.code == .noPlayableStream else { throw error }
        }
        try reader.reopen()
        try reader.findStreamInfo()
        let media = try examiner.describe(options: LoadOptions())
        let origin = try examiner.origin(video: video, of: media)
        try reader.reopen()
        return (media, origin)
    }
}
