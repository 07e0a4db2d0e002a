// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Reads into a source until everything about its streams is known.
struct StreamSearch {
    /// How much media is read if the container's interleaving sets no limit.
    private static let limit = MediaTime.seconds(10)
    /// The same for a title of a disc that states its streams, unless one of them begins later.
    private static let titleLimit = MediaTime.seconds(2)

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
        let stated = statedStreams
        try context.findStreamInfo(within: patience ?? (stated.isEmpty ? Self.limit : Self.titleLimit))
        guard !stated.isSubset(of: Self.foundStreams(in: context)) else { return true }
        do throws(EngineError) { context = try opening.context(of: file) } catch { throw FFmpegError(reading: error) }
        try context.findStreamInfo(within: Self.limit)
        return true
    }

    /// The numbers of the streams that a disc states for a title. Empty for other sources.
    private var statedStreams: Set<Int> {
        guard case .title(let title) = opening.reading else { return [] }
        return title.content.streams
    }

    /// The numbers of the streams that are known, with the sample rate in case of audio.
    private static func foundStreams(in context: borrowing FormatContext) -> Set<Int> {
        let streams = context.describe(source: "").streams
        let found = context.streamInfos().filter { info in
            info.kind != .audio || streams[info.index].audio?.sampleRate ?? 0 > 0
        }
        return Set(found.map(\.identifier))
    }
}
