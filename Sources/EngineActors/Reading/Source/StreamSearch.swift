// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Reads into a source until everything about its streams is known.
struct StreamSearch {
    /// How much media is read if the container's interleaving sets no limit.
    private static let limit = MediaTime.seconds(10)
    /// The same for a title of a disc that states its streams, until all of them are known. A second of video is enough
    /// to measure its frame rate. The video of a DVD states the rate in front of its pictures.
    private static let titleLimits = [MediaTime.seconds(1), .seconds(2), limit]
    private static let dvdLimits = [MediaTime(microseconds: 500_000)] + titleLimits

    private let opening: SourceOpening
    private var isDone = false

    init(_ opening: SourceOpening) { self.opening = opening }

    /// Identifies the streams (`avformat_find_stream_info`). Runs at most once, because with some containers, libavformat
    /// does not survive a second run.
    ///
    /// - Parameter context: is opened again if a stream that the disc states begins late.
    /// - Returns: whether this was the first run.
    mutating func run(in context: inout FormatContext, of file: any ByteSource) throws(FFmpegError) -> Bool {
        guard !isDone else { return false }
        isDone = true
        let patience = Interleaving(of: file, in: context.container).patience
        let title = statedTitle
        let stated = title?.streams ?? []
        for (attempt, limit) in Self.limits(patience, title?.kind).enumerated() {
            if attempt > 0 { context = try reopened(file) }
            try context.findStreamInfo(within: limit)
            let known = Self.knownStreams(context.streamInfos(), context.describe(source: "").streams)
            if stated.isSubset(of: known) { break }
        }
        return true
    }

    /// How much media is read: more after each attempt that has not found all streams that a disc states.
    ///
    /// - Parameters:
    ///   - patience: as `Interleaving.patience`.
    ///   - disc: the kind of the disc that states the streams. `nil` if none does.
    static func limits(_ patience: MediaTime?, _ disc: TitleSource.Kind?) -> [MediaTime] {
        if let patience { return [patience] }
        switch disc {
        case .dvd: return dvdLimits
        case .bluRay: return titleLimits
        case nil: return [limit]
        }
    }

    private func reopened(_ file: any ByteSource) throws(FFmpegError) -> FormatContext {
        do throws(EngineError) { return try opening.context(of: file) } catch { throw FFmpegError(reading: error) }
    }

    /// The title of a disc that states the numbers of its streams. `nil` for any other source.
    private var statedTitle: TitleSource.Content? {
        guard case .title(let title) = opening.reading, !title.content.streams.isEmpty else { return nil }
        return title.content
    }

    /// The numbers of the streams that are known, with the sample rate in case of audio.
    ///
    /// - Parameter descriptions: by stream index.
    static func knownStreams(_ infos: [StreamInfo], _ descriptions: [StreamDescription]) -> Set<Int> {
        let known = infos.filter { info in
            info.kind != .audio || descriptions[info.index].audio?.sampleRate ?? 0 > 0
        }
        return Set(known.map(\.identifier))
    }
}
