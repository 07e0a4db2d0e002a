// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Makes the parts of live segments (draft-pantos-hls-rfc8216bis §4.4.4.9): reads those of the segment that is still
/// arriving with a demuxer of its own, and takes those of finished segments from the producer's segments.
///
/// Each step reads the arriving segment from its start, so that a part depends on the source and the plan only. The
/// bytes, those of one segment at most, come from memory. A part never changes, and its segment contains it unchanged.
/// Parts made early are kept for that: in a damaged stream, or if frame durations vary much, a part made with the
/// packets after it could have another length.
///
/// Owned by its session; called by the loopback routes.
package actor PartProducer {
    /// How long a part that was made before its segment was complete is kept, on the clock of the source.
    private static let partLifetime = MediaTime.seconds(30)
    /// A step that takes longer than this may wait for packets that never come. It is interrupted once the segment is
    /// complete.
    private static let patience = Duration.milliseconds(500)

    private let source: OpenedSource
    private let producer: SegmentProducer
    private let open: @Sendable () -> any PartReading
    private var demuxer: any PartReading
    private let pipeline: SegmentPipeline
    private var plan: SegmentPlan
    /// The parts that were made before their segment was complete, by segment and track, each from the first part on.
    private var made: [Int: [Int: [ByteBody]]] = [:]
    /// The tracks that players have requested parts of.
    private var tracks: Set<Int> = []
    private var step: Task<EngineError?, Never>?
    /// The segment that the running step reads, and from when on the step may be interrupted.
    private var reading: (segment: Int, deadline: Deadline)?
    private var isStopped = false

    /// - Parameters:
    ///   - producer: makes the finished segments of the same source.
    ///   - open: opens a demuxer of the source. `nil`: a `Demuxer`.
    package init(
        source: OpenedSource,
        producer: SegmentProducer,
        open: (@Sendable () -> any PartReading)? = nil,
        plan: SegmentPlan
    ) {
        self.source = source
        self.producer = producer
        let open = open ?? { Demuxer(name: "demux-parts", source: source) }
        self.open = open
        demuxer = open()
        self.plan = plan
        pipeline = SegmentPipeline(of: source)
    }

    /// Replaces the plan with a longer one, or with a plan that knows more of the segment after the announced ones.
    package func extend(_ plan: SegmentPlan) {
        self.plan = plan
        let oldest = (plan.boundaries.last?.time ?? 0) &- Self.partLifetime.ticks(in: plan.timeBase)
        for segment in made.keys where segment < plan.segmentCount && plan.boundaries[segment].time < oldest {
            made[segment] = nil
        }
        guard let reading, reading.segment < plan.segmentCount, reading.deadline.hasPassed else { return }
        demuxer.interrupt()
    }

    /// - Parameters:
    ///   - part: counted from 0.
    ///   - track: a position in `OpenedSource.tracks`.
    /// - Returns: `nil` if the segment has no such part, or the part is not known yet.
    package func part(_ part: Int, of segment: Int, track: Int) async throws(EngineError) -> ByteBody? {
        while true {
            if isStopped { throw EngineError(.cancelled, "the session was stopped") }
            if let known = made[segment]?[track], part < known.count { return known[part] }
            guard part < plan.partCount(of: segment) else { return nil }
            if segment < plan.segmentCount {
                let chunks = try Self.chunks(of: try await producer.segment(segment, track: track))
                return part < chunks.count ? chunks[part] : nil
            }
            tracks.insert(track)
            let isOwn = self.step == nil
            // One step at a time: requests that arrive during a step wait for it, and then usually find their part. The
            // step ends by itself, or when `stop` or `extend` interrupts the demuxer.
            let step = self.step ?? Task { [plan, tracks] in await self.make(plan, tracks) }
            self.step = step
            let failure = await step.value
            if self.step == step { self.step = nil }
            // If the segment has become complete meanwhile, the producer makes it.
            guard segment >= plan.segmentCount else { continue }
            if let failure { throw failure }
            if isOwn, part >= made[segment]?[track]?.count ?? 0 {
                throw EngineError(.segmentFailed, "part \(part) of segment \(segment) was not made")
            }
        }
    }

    /// A complete segment. It contains the parts that were made before it was complete.
    package func segment(_ index: Int, track: Int) async throws(EngineError) -> ByteBody {
        let body = try await producer.segment(index, track: track)
        guard let early = made[index]?[track], !early.isEmpty else { return body }
        let rest = try Self.chunks(of: body).dropFirst(early.count)
        return ByteBody((early + rest).flatMap(\.regions))
    }

    private static func chunks(of body: ByteBody) throws(EngineError) -> [ByteBody] {
        do throws(PackagingError) { return try PackedSegment.chunks(of: body) } catch {
            throw EngineError(.segmentFailed, "a segment cannot be divided into its parts", cause: "\(error)")
        }
    }

    /// Makes the known parts of the arriving segment.
    ///
    /// - Returns: the error if they cannot be made; otherwise `nil`.
    private func make(_ plan: SegmentPlan, _ tracks: Set<Int>) async -> EngineError? {
        let demuxer = demuxer
        reading = (plan.segmentCount, Deadline(in: Self.patience))
        defer { reading = nil }
        do throws(EngineError) {
            let material = try await demuxer.read(partsOf: plan, active: tracks)
            // Players wait for parts before they are made.
            let since = monotonicNanoseconds()
            let (bridged, failure) = await pipeline.bridge(
                material,
                by: plan,
                awaitedSince: { since },
                unless: { false }
            )
            if let failure { throw failure }
            let built = await pipeline.pack(material, bridged, by: plan, ends: source.tracks.map { _ in nil })
            let count = plan.partCount(of: material.index)
            for (track, body) in built.bodies where tracks.contains(track) {
                let known = made[material.index]?[track] ?? []
                let parts = try Self.chunks(of: body).prefix(count)
                made[material.index, default: [:]][track] = known + parts.dropFirst(known.count)
            }
            return nil
        } catch {
            // After an interruption, a demuxer fails forever.
            if !isStopped, error.code == .cancelled {
                self.demuxer = open()
                await demuxer.close()
            }
            return error
        }
    }

    /// Stops at once: the demuxer is interrupted, and requests fail with `cancelled`.
    package func stop() async {
        isStopped = true
        demuxer.interrupt()
        _ = await step?.value
        await demuxer.close()
        made = [:]
    }
}

/// Reads the known parts of the segment that is still arriving: a `Demuxer`, or a test's substitute for one.
package protocol PartReading: Sendable {
    /// As `Demuxer.read(partsOf:active:)`.
    func read(partsOf plan: SegmentPlan, active: Set<Int>) async throws(EngineError) -> SegmentMaterial

    /// Makes the running call and all later reads fail at once.
    func interrupt()

    /// Releases memory and files.
    func close() async
}

extension Demuxer: PartReading {}
