// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Turns the packets of a segment into fMP4: bridges the tracks that need it, and packs all tracks, both on separate
/// threads. Owned by a producer of segments or parts.
struct SegmentPipeline: Sendable {
    let source: OpenedSource
    private let bridges = BridgePool.make()
    private let muxing = SegmentMuxing()
    /// The subtitles that are drawn into bridged video. `nil`: none.
    var subtitles: (any SubtitlePictures)?

    init(of source: OpenedSource) { self.source = source }

    /// Bridges the tracks that need it, one after another.
    ///
    /// - Parameters:
    ///   - plan: the plan that lists the segment.
    ///   - awaitedSince: returns since when a player has waited for the segment, in monotonic nanoseconds; `nil` if
    ///     none waits.
    ///   - isStopped: returns whether to skip the tracks that have not been started, and to abandon video that has.
    /// - Returns: the bridged tracks. If a track fails, its error, and the tracks that were bridged before it.
    func bridge(
        _ material: SegmentMaterial,
        by plan: SegmentPlan,
        awaitedSince: @escaping @Sendable () -> Int64?,
        unless isStopped: @escaping @Sendable () -> Bool
    ) async -> (tracks: BridgedTracks, failure: EngineError?) {
        var bridged = BridgedTracks()
        do throws(EngineError) {
            if let (video, nanoseconds) = try await video(
                of: material,
                by: plan,
                awaitedSince: awaitedSince,
                unless: isStopped
            ) {
                bridged.video[0] = video
                bridged.videoNanoseconds = nanoseconds
            }
            for (place, part) in material.parts.enumerated() {
                guard let job = part?.bridgeJob,
                    let plan = source.bridge(
                        place,
                        version: plan.version(of: material.index),
                        of: plan,
                        formats: job.formats
                    )
                else { continue }
                let found: Void? = try await bridges.with { bridge throws(EngineError) in
                    guard !isStopped() else { return }
                    let start = monotonicNanoseconds()
                    bridged.audio[place] = try await bridge.encode(job, with: plan)
                    bridged.nanoseconds += monotonicNanoseconds() - start
                }
                guard found != nil else { throw .cancelledInLine }
            }
        } catch {
            return (bridged, error)
        }
        return (bridged, nil)
    }

    /// The bridged video, and how long decoding and encoding took. `nil` if the video is not bridged.
    private func video(
        of material: SegmentMaterial,
        by segments: SegmentPlan,
        awaitedSince: @escaping @Sendable () -> Int64?,
        unless isStopped: @escaping @Sendable () -> Bool
    ) async throws(EngineError) -> (BridgedVideo, nanoseconds: Int64)? {
        guard let part = material.parts.first ?? nil, source.lead.videoBridge != nil,
            let plan = source.track(0, version: segments.version(of: material.index), of: segments).videoBridge
        else { return nil }
        var job = VideoBridgeJob(
            leadIn: part.leadIn,
            packets: part.packets.map { BridgePacket(packet: $0.packet, time: $0.time) }
        )
        if let subtitles, let range = job.range(by: plan) {
            // Drawn before a bridge is taken, so that other segments can use the bridge in the meantime.
            job.subtitles = await subtitles.pictures(in: range, width: plan.display.width, height: plan.display.height)
        }
        let bridged = try await VideoBridgePool.shared.with(urgentSince: awaitedSince) {
            [job] bridge throws(EngineError) in
            let start = monotonicNanoseconds()
            let video = try await bridge.encode(job, with: plan, unless: isStopped)
            return (video, nanoseconds: monotonicNanoseconds() - start)
        }
        guard let bridged else { throw .cancelledInLine }
        return bridged
    }

    func pack(
        _ material: SegmentMaterial,
        _ bridged: BridgedTracks,
        by plan: SegmentPlan,
        ends: [MediaTime?]
    ) async -> SegmentMuxer.Built {
        await muxing.build(material, bridged, of: source, by: plan, ends: ends)
    }
}

extension EngineError {
    fileprivate static var cancelledInLine: EngineError {
        EngineError(.cancelled, "the segment was cancelled before a bridge was free")
    }
}
