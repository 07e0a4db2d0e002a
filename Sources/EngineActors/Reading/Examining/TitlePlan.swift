// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension TitleSource {
    var examinedReads: [Range<Int64>] {
        let start = TitleStart(of: content.kind, byteCount: byteCount, duration: content.timeline.duration)
        let sample = Self.middleSample(of: content.kind, byteCount)
        return TitleChapters.joined(start.first + [sample] + plannedReads, content.chapters.expectedReads, start.later)
    }

    /// The ranges that making the plan reads, as far as they are known in advance.
    private var plannedReads: [Range<Int64>] {
        switch content.map {
        case nil: []
        case .points(let map): PointPlan(map: map).expectedReads
        case .units(let map): UnitPlan.expectedReads(map, content.timeline)
        }
    }

    /// The plan that follows from the disc's own map. `nil` if the disc has none.
    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SourcePlan, ContainerIndex.Distrust>? {
        switch content.map {
        case nil: return nil
        case .points(let map):
            let plan = try PointPlan(map: map).plan(
                of: self,
                for: facts.lead,
                limits: facts.limits,
                firstPacket: facts.firstPacket,
                bytes: facts.bytes
            )
            return plan.map { SourcePlan(plan: $0) }
        case .units(let map):
            guard var units = unitPlan(map, facts) else { return .failure(.otherVideo) }
            if let distrust = try units.begin(facts.bytes) { return .failure(distrust) }
            return .success(SourcePlan(plan: units.plan, units: units.isComplete ? nil : units))
        }
    }
}

extension TitleSource {
    /// `nil` if the map does not belong to the leading track.
    private func unitPlan(_ map: UnitMap, _ facts: PlanFacts) -> UnitPlan? {
        let track = facts.lead
        guard track.kind == .video, track.timing != .counted, track.stream.identifier == UnitMap.video,
            track.stream.timeBase == UnitPlan.timeBase
        else { return nil }
        // Pictures without presentation times are placed by their decode times, as in a scan.
        let isDecoded = track.timing == .decodeOrder
        return UnitPlan(
            map,
            content.timeline,
            facts.limits,
            first: isDecoded ? facts.firstPacket?.dts : facts.firstPacket?.pts,
            isDecoded: isDecoded
        )
    }
}

extension ContainerIndex.Distrust {
    fileprivate static var otherVideo: Self { .init(text: "the map does not belong to the video that is played") }
}

/// The plan of a Blu-ray disc's title, which follows from the disc's own map without a scan.
private struct PointPlan {
    /// The minimum number of entry points of a local disc that are read to verify the map, if it has so many.
    private static let sampleCount = 96
    /// The same for a disc image on a server.
    private static let remoteSampleCount = 6
    private static let unitByteCount = 4096
    /// The maximum number of ranges in `expectedReads`.
    private static let expectedReadCount = 64
    /// The number of bytes between an entry's position and its packet: in a clip, a header of four bytes precedes each
    /// packet.
    private static let packetOffset: Int64 = 4

    let map: PointMap

    private var video: Int { map.video }

    /// The plan, or the reason for rejecting the map.
    func plan(
        of title: TitleSource,
        for track: PlayedTrack,
        limits: SegmentPlanner.Limits,
        firstPacket: Packet?,
        bytes: any ByteCursor
    ) throws(EngineError) -> Result<SegmentPlan, ContainerIndex.Distrust> {
        let timeline = title.content.timeline
        guard track.kind == .video, track.timing == .presentation, track.stream.identifier == video,
            track.stream.timeBase == .hertz(90_000)
        else { return .failure(.otherVideo) }
        guard let last = map.entries.last?.last, last.position < title.byteCount else {
            return .failure(.init(text: "the title ends before its map"))
        }
        var keyframes: [Keyframe] = []
        var firsts: [Keyframe] = []
        let step = step(isRemote: title.isRemote)
        var number = 0
        for (stretch, entries) in zip(timeline.stretches, map.entries) {
            let base = number
            number += entries.count
            var sampled: Set<Int> = []
            for place in entries.indices where (base + place) % step == 0 {
                if !title.isRemote, try isLost(entries[place], bytes) { continue }
                sampled.insert(place)
            }
            let exact = try map.times.exact(
                entries.map(\.time),
                isSampled: sampled.contains,
                read: { index throws(EngineError) in try time(of: entries[index], track, bytes) }
            )
            guard let exact else {
                return .failure(.init(text: "the times of the map differ from those of the pictures"))
            }
            for (entry, time) in zip(entries, exact) {
                let time = stretch.placed(time)
                keyframes.append(
                    Keyframe(time: time, seekTimestamp: time, position: entry.position + Self.packetOffset)
                )
            }
            if let first = keyframes.dropFirst(base).first { firsts.append(first) }
        }
        guard let first = firstPacket?.pts, first == keyframes.first?.time else {
            return .failure(.init(text: "the map does not start with the first keyframe"))
        }
        let search = ChangeSearch(track: track, keyframes: firsts) { keyframe in
            unit(at: keyframe.position - Self.packetOffset, bytes)?.payload ?? []
        }
        let changes = firsts.count > 1 && track.isServed ? search.changes(between: firsts) : [:]
        return .success(
            SegmentPlan(
                keyframes: keyframes,
                end: timeline.duration,
                limits: limits,
                timeBase: track.stream.timeBase,
                origin: .index,
                configuration: { changes[$0] }
            )
        )
    }

    /// The ranges that making the plan of a title on a server reads, as far as they are known in advance.
    var expectedReads: [Range<Int64>] {
        let step = step(isRemote: true)
        var reads: [Range<Int64>] = []
        var base = 0
        for entries in map.entries {
            let places = map.times.expectedReads(entries.map(\.time)) { (base + $0) % step == 0 }
            reads += places.map { entries[$0].position..<entries[$0].position + Int64(Self.unitByteCount) }
            base += entries.count
        }
        return Array(reads.prefix(Self.expectedReadCount))
    }

    /// One of this many entry points is read to verify the map.
    private func step(isRemote: Bool) -> Int {
        let count = map.entries.reduce(0) { $0 + $1.count }
        return max(1, count / (isRemote ? Self.remoteSampleCount : Self.sampleCount))
    }

    /// Whether an entry point could not be read from the disc (`ZeroFilledSource`).
    private func isLost(_ entry: TitleMap.Entry, _ bytes: any ByteCursor) throws(EngineError) -> Bool {
        try bytes.read(at: entry.position, count: TransportUnit.packetByteCount).allSatisfy { $0 == 0 }
    }

    /// The exact time of an entry point; `nil` if there is no packet of the video, or decoding cannot start there.
    private func time(
        of entry: TitleMap.Entry,
        _ track: PlayedTrack,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> Int64? {
        let read = try bytes.read(at: entry.position, count: Self.unitByteCount)
        guard let unit = TransportUnit(read, pid: video) else { return nil }
        let isEntry = RandomAccess.isRandomAccessPoint(
            codec: track.stream.codec,
            transform: track.transform,
            prefix: unit.payload.span
        )
        return isEntry == false ? nil : entry.time + TitleTimeline.distance(from: entry.time, to: unit.time)
    }

    private func unit(at position: Int64, _ bytes: any ByteCursor) -> TransportUnit? {
        do throws(EngineError) {
            return TransportUnit(try bytes.read(at: position, count: Self.unitByteCount), pid: video)
        } catch {
            // If the start of a part cannot be read, the failure is reported when that part is played.
            return nil
        }
    }
}
