// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging
package import Reading

/// Makes the parts of live segments (draft-pantos-hls-rfc8216bis §4.4.4.9): those of the segment that is still arriving with a
/// demuxer of its own, and those of finished segments from the producer's segments.
///
/// Each step reads the arriving segment from its start, so that a part depends on the source and the plan only. That is up to
/// a segment's bytes, from memory. Owned by its session; called by the loopback routes.
package actor PartProducer {
    /// The parts of a segment that have been made, by track.
    private struct Made {
        let segment: Int
        var parts: [Int: [ByteBody]] = [:]
    }

    private let source: OpenedSource
    private let producer: SegmentProducer
    private let demuxer: any PartReading
    private let pipeline: SegmentPipeline
    private var plan: SegmentPlan
    private var made = Made(segment: -1)
    /// The tracks that players have requested parts of.
    private var tracks: Set<Int> = []
    private var step: Task<Result<Made, EngineError>, Never>?
    private var isStopped = false

    /// - Parameters:
    ///   - producer: makes the finished segments of the same source.
    ///   - demuxer: `nil`: a new one.
    package init(
        source: OpenedSource,
        producer: SegmentProducer,
        demuxer: (any PartReading)? = nil,
        plan: SegmentPlan
    ) {
        self.source = source
        self.producer = producer
        self.demuxer = demuxer ?? Demuxer(name: "demux-parts", source: source)
        self.plan = plan
        pipeline = SegmentPipeline(of: source)
    }

    /// Replaces the plan with a longer one, or with one that knows more of the segment after the announced ones.
    package func extend(_ plan: SegmentPlan) { self.plan = plan }

    /// - Parameters:
    ///   - part: counted from 0.
    ///   - track: a position in `OpenedSource.tracks`.
    /// - Returns: `nil` if the segment has no such part, or none that is known.
    package func part(_ part: Int, of segment: Int, track: Int) async throws(EngineError) -> ByteBody? {
        while true {
            if isStopped { throw EngineError(.cancelled, "the session was stopped") }
            if made.segment == segment, let known = made.parts[track], part < known.count { return known[part] }
            guard part < plan.partCount(of: segment) else { return nil }
            if segment < plan.segmentCount { return try await finished(part, of: segment, track: track) }
            tracks.insert(track)
            // One step at a time: whoever comes second mostly finds the part made.
            let step = self.step ?? Task { [plan, tracks] in await self.make(plan, tracks) }
            self.step = step
            let result = await step.value
            if self.step == step { self.step = nil }
            made = try result.get()
        }
    }

    /// A part of a segment that is complete.
    private func finished(_ part: Int, of segment: Int, track: Int) async throws(EngineError) -> ByteBody? {
        let chunks = try Self.chunks(of: try await producer.segment(segment, track: track))
        return part < chunks.count ? chunks[part] : nil
    }

    private static func chunks(of body: ByteBody) throws(EngineError) -> [ByteBody] {
        do throws(PackagingError) { return try PackedSegment.chunks(of: body) } catch {
            throw EngineError(.segmentFailed, "a segment cannot be divided into its parts", cause: "\(error)")
        }
    }

    /// Makes the known parts of the arriving segment.
    private func make(_ plan: SegmentPlan, _ tracks: Set<Int>) async -> Result<Made, EngineError> {
        do throws(EngineError) {
            let material = try await demuxer.read(partsOf: plan, active: tracks)
            let (bridged, failure) = await pipeline.bridge(material, isAwaited: { true }, unless: { false })
            if let failure { throw failure }
            let built = await pipeline.pack(material, bridged, by: plan, ends: source.tracks.map { _ in nil })
            var made = Made(segment: material.index)
            let count = plan.partCount(of: material.index)
            for (track, body) in built.bodies where tracks.contains(track) {
                made.parts[track] = Array(try Self.chunks(of: body).prefix(count))
            }
            return .success(made)
        } catch {
            return .failure(error)
        }
    }

    /// Stops at once: the demuxer is interrupted, and requests fail with `cancelled`.
    package func stop() async {
        isStopped = true
        demuxer.interrupt()
        _ = await step?.value
        await demuxer.close()
    }
}

/// Reads the known parts of the segment that is still arriving: a `Demuxer`, or the script of a test.
package protocol PartReading: Sendable {
    /// As `Demuxer.read(partsOf:active:)`.
    func read(partsOf plan: SegmentPlan, active: Set<Int>) async throws(EngineError) -> SegmentMaterial

    /// Makes the running call and all later reads fail at once.
    func interrupt()

    /// Releases memory and files.
    func close() async
}

extension Demuxer: PartReading {}
