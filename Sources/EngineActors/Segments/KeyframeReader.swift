// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Makes segments of one picture each, for trick play. Its plan has a boundary at every such picture
/// (`SegmentPlan.trickPlayPlan`), so that each segment opens with one.
///
/// Reads little more than this picture, with a demuxer of its own. Opens the source on the first request, and closes it
/// after a while without requests. Owned by a session.
package actor KeyframeReader {
    private static let patience = Duration.seconds(10)
    private static let niceness: Int = 5

    private let source: OpenedSource
    private nonisolated let demuxer: Demuxer
    private var idle = IdleTimer(patience)

    package init(_ source: OpenedSource) {
        self.source = source
        demuxer = Demuxer(name: "keyframes", source: source, niceness: Self.niceness)
    }

    /// Returns the keyframe segment at `index`: always the same bytes, whatever was read before.
    ///
    /// - Throws: `cancelled` when the task was cancelled before its turn; otherwise the reason why the picture cannot
    ///   be read.
    package func keyframe(
        of index: Int,
        _ plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) async throws(EngineError) -> ByteBody {
        defer { closeWhenIdle() }
        let material = try await demuxer.readKeyframe(ofSegment: index, of: plan, trackEnds: trackEnds)
        let subject = "keyframe \(index) of \(source.file.path)"
        do throws(PackagingError) {
            let body = try SegmentMuxer.keyframe(material, of: source, by: plan, ends: trackEnds)
            if let body { return body }
        } catch {
            throw EngineError(.segmentFailed, "\(subject) is damaged", cause: "\(error)")
        }
        throw EngineError(.segmentFailed, "\(subject) is missing")
    }

    /// Shuts the reader down permanently. Safe from any thread.
    package nonisolated func shutDown() {
        demuxer.interrupt()
        // The task waits only for the demuxer of this reader, whose running call has just been interrupted.
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
