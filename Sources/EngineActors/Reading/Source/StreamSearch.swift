// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads the beginning of a source, up to a limit, to identify its streams.
struct StreamSearch {
    /// How much media is read if the container's interleaving sets no limit.
    private static let limit = MediaTime.seconds(10)
    /// The limits of successive attempts for the title of a disc that states its streams. A second of video is enough
    /// to measure its frame rate. On a DVD, less suffices for the first attempt, because the video states the rate in
    /// front of its pictures.
    private static let titleLimits = [MediaTime.seconds(1), .seconds(2), limit]
    private static let dvdLimits = [MediaTime(microseconds: 500_000)] + titleLimits

    /// Each of `TitleTimeline.samples` has less media than this.
    private static let sampleTime = MediaTime.seconds(1)

    /// How many bytes are examined for scrambling at a time. A live stream may send only this much in a second.
    private static let examinedPiece = 16 << 10

    private let opening: SourceOpening
    private var isDone = false
    /// The PIDs of the video and audio of a transport stream that is scrambled (`ScrambledStreams`).
    private(set) var scrambled: Set<Int> = []

    init(_ opening: SourceOpening) { self.opening = opening }

    /// Identifies the streams (`avformat_find_stream_info`). Only the first call has an effect, and each attempt has a
    /// context of its own: with some containers, libavformat does not survive a second run in the same context.
    ///
    /// - Parameter context: is replaced by a new one if streams stated by the disc are still unknown after an attempt.
    /// - Returns: whether this was the first call.
    mutating func run(in context: inout FormatContext, of file: any ByteSource) throws(FFmpegError) -> Bool {
        guard !isDone else { return false }
        isDone = true
        let interleaving = Interleaving(of: file, in: context.container)
        // Scrambled packets tell nothing, and libavformat would read 50 MiB of them.
        if try findScrambled(context, file, isLive: interleaving == .live) { return true }
        let patience = interleaving.patience
        let title = statedTitle
        let stated = title?.streams ?? []
        for (attempt, limit) in Self.limits(patience, title?.kind).enumerated() {
            if attempt > 0 { context = try reopened(file) }
            // libavformat stops when one stream reaches the limit. Samples in front of a title count too.
            let samples = title.map { $0.timeline.samples.isEmpty ? .zero : Self.sampleTime } ?? .zero
            try context.findStreamInfo(within: limit + samples)
            let known = Self.knownStreams(context.streamInfos(), context.describe(source: "").streams)
            if stated.isSubset(of: known) { break }
        }
        // Parsers must not continue packets in front of a title with those of its parts.
        if case .title(let title) = opening.reading, let start = title.sampledStart { try context.seek(byte: start) }
        return true
    }

    /// Determines which streams of a transport stream are scrambled.
    ///
    /// - Returns: whether all of its video and audio is.
    private mutating func findScrambled(
        _ context: borrowing FormatContext,
        _ file: any ByteSource,
        isLive: Bool
    ) throws(FFmpegError) -> Bool {
        guard context.container.isMPEGTS, case .container = opening.reading else { return false }
        let streams = Set(context.streamInfos().filter { $0.kind == .video || $0.kind == .audio }.map(\.identifier))
        var search = ScrambledStreams(streams, within: isLive ? .live : .stored)
        let bytes = file.cursor(opening.interrupt)
        var offset: Int64 = 0
        do throws(EngineError) {
            while !search.isDecided {
                let piece = try bytes.read(at: offset, count: Self.examinedPiece)
                if piece.isEmpty { break }
                search.add(piece)
                offset += Int64(piece.count)
            }
        } catch {
            throw FFmpegError(reading: error)
        }
        scrambled = search.found
        return !streams.isEmpty && scrambled == streams
    }

    /// How much media each attempt reads. An attempt after the first one is made only if streams that the disc states
    /// are still unknown.
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

    /// The numbers of the known streams (`StreamInfo.identifier`). Audio counts as known once its sample rate is.
    ///
    /// - Parameter descriptions: by stream index.
    static func knownStreams(_ infos: [StreamInfo], _ descriptions: [StreamDescription]) -> Set<Int> {
        let known = infos.filter { info in
            info.kind != .audio || descriptions[info.index].audio?.sampleRate ?? 0 > 0
        }
        return Set(known.map(\.identifier))
    }
}
