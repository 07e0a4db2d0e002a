// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging

extension FilmFacts {
    /// How many packets of the video are checked for presentation times.
    private static let timedPackets = 24

    /// Finds out what must be known to decode one video or audio stream. The read position is undefined afterwards.
    package static func find(
        _ index: Int,
        in reader: SourceReader,
        _ media: MediaDescription,
        origin: MediaTime
    ) throws(EngineError) -> FilmFacts {
        guard let info = reader.context.streamInfos().first(where: { $0.index == index }) else {
            throw EngineError(.sourceChanged, "\(reader.file.path) no longer has stream \(index)")
        }
        let video = media.streams.first { $0.index == index }?.video ?? VideoProperties()
        // Copied now, because reopening the source discards what has been found out.
        let parameters = try reader.parameters(of: index)
        return FilmFacts(
            container: reader.context.container,
            stream: info,
            timing: info.kind == .audio ? soundTiming(in: reader) : try timing(in: reader, video, info),
            origin: origin,
            video: video,
            parameters: parameters
        )
    }

    /// Elementary streams are entered at a byte position, which says nothing about the time. Their packets state how
    /// long they are.
    private static func soundTiming(in reader: SourceReader) -> Timing {
        let container = reader.context.container
        return container.isElementary && container.canStartAnywhere ? .counted(0) : .shown
    }

    private static func timing(
        in reader: SourceReader,
        _ video: VideoProperties,
        _ info: StreamInfo
    ) throws(EngineError) -> Timing {
        let container = reader.context.container
        let rate = video.frameRate ?? Ratio(25, 1)
        let frame = TimeBase(Int64(max(1, rate.denominator)), Int64(max(1, rate.numerator)))
        let length = max(1, frame.rescale(1, to: info.timeBase))
        if container.isElementary { return .counted(length) }
        if container.isAVI { return .decoded }
        if container.isMPEGPS { return .partly(length) }
        // Only MP4 has a table of all times.
        if container.isMP4 { return .shown }
        let packets = try reader.firstPackets(of: info.index, count: timedPackets)
        guard packets.contains(where: { $0.pts == nil }) else { return .shown }
        return packets.allSatisfy { $0.pts == nil } ? .decoded : .partly(length)
    }
}
