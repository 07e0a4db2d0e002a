// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Turns the packets of a segment into fMP4: bridges the tracks that need it, and packs all tracks, both on separate
/// threads. Owned by the producer.
struct SegmentPipeline: Sendable {
    /// The result of bridging the tracks of a segment.
    struct Bridged: Sendable {
        /// The bridged audio, by position in `OpenedSource.tracks`.
        var sounds: [Int: BridgedAudio] = [:]
        /// How long decoding and encoding took.
        var nanoseconds: Int64 = 0
    }

    let source: OpenedSource
    private let bridges: BridgePool
    private let packer = SegmentMuxing()

    init(of source: OpenedSource) {
        self.source = source
        bridges = BridgePool(isNeeded: source.tracks.contains { $0.bridge != nil })
    }

    /// Bridges the tracks that need it, each as soon as a bridge is free.
    ///
    /// - Parameters:
    ///   - bridged: receives each track as soon as it is done, even if a later one fails.
    ///   - isStopped: whether to skip the tracks that have not been started.
    func bridge(
        _ material: SegmentMaterial,
        into bridged: inout Bridged,
        unless isStopped: () -> Bool
    ) async throws(EngineError) {
        for (place, part) in material.parts.enumerated() {
            guard let job = part?.sound, let plan = source.tracks[place].bridge else { continue }
            let number = await bridges.take()
            defer { bridges.giveBack(number) }
            guard !isStopped() else { continue }
            let start = monotonicNanoseconds()
            bridged.sounds[place] = try await bridges[number].encode(job, with: plan)
            bridged.nanoseconds += monotonicNanoseconds() - start
        }
    }

    func pack(
        _ material: SegmentMaterial,
        _ bridged: Bridged,
        by plan: SegmentPlan,
        ends: [MediaTime?]
    ) async -> SegmentMuxer.Built {
        await packer.build(material, bridged.sounds, of: source, by: plan, ends: ends)
    }
}
