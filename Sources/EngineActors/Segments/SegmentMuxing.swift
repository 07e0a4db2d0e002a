// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading

/// Packs segments on its own thread. Packing takes milliseconds, and an actor without a thread might run on the event
/// loop that calls it. Called and owned by a `SegmentPipeline`.
actor SegmentMuxing {
    private let executor = ThreadExecutor(name: "pack")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Calls `SegmentMuxer.build` on this actor's thread.
    func build(
        _ material: SegmentMaterial,
        _ bridged: BridgedTracks,
        of source: OpenedSource,
        by plan: SegmentPlan,
        ends: [MediaTime?]
    ) -> SegmentMuxer.Built {
        SegmentMuxer.build(material, bridged, of: source, by: plan, ends: ends)
    }
}
