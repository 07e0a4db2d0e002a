// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Makes segments of one picture each for players that wind to and fro: of a plan that is cut at every such picture
/// (`SegmentPlan.winding`), the one that opens a segment.
///
/// Reads that picture and little more, on a demuxer of its own; never touches playback's. Opens the source when
/// it is first asked, and closes it when nobody has asked for a while. Owned by a session.
actor KeyframeReader {
    private static let patience = Duration.seconds(10)
    private static let niceness: Int = 5

    private let source: OpenedSource
    private nonisolated let demuxer: Demuxer
    private var idle = IdleTimer(patience)

    init(_ source: OpenedSource) {
        self.source = source
        demuxer = Demuxer(name: "keyframes", source: source, niceness: Self.niceness)
    }

    /// The same bytes for the same index, whatever was read before.
    ///
    /// - Throws: `cancelled` when the task was cancelled before its turn, or why the source cannot be read.
    func keyframe(
        of index: Int,
        _ plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) async throws(EngineError) -> ByteBody {
        defer { closeWhenIdle() }
        let material = try await demuxer.readKeyframe(ofSegment: index, of: plan, trackEnds: trackEnds)
        guard let body = SegmentBuilder.keyframe(material, of: source, by: plan, ends: trackEnds) else {
            throw EngineError(.segmentFailed, "the first picture of segment \(index) of \(source.file.path) is broken")
        }
        return body
    }

    /// Ends for good. Safe from any thread.
    nonisolated func shutDown() {
        demuxer.interrupt()
        // Ends by itself: the call that runs ends now.
        Task { await close() }
    }

    private func closeWhenIdle() {
        idle.restart { [weak self] in await self?.close() }
    }

    private func close() async {
        idle.cancel()
        await demuxer.close()
    }
}
