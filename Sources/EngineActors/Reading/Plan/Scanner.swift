// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Scans a source that has no trustworthy index, and finds where it can be cut.
///
/// Reads only packet headers if the container allows it. Never packs or serves. Called by the session's planning loop,
/// one batch at a time, so that what was found so far can be announced while the scan continues.
package actor Scanner {
    /// What one step found.
    package struct Batch: Sendable {
        /// The plan so far. Each batch's plan extends the previous one.
        package let plan: SegmentPlan
        /// 0 … 1, by bytes.
        package let progress: Double
        /// Changes of the video's configuration so far that could not be followed.
        package let refusedChanges: Int
        /// How often the clock has restarted, in a source whose clocks are not distinguished.
        package let unfollowedJumps: Int
        /// Changes so far of a copied audio track's rate or channels.
        package let audioChanges: Int
        /// Where each track ends on the timeline, once the scan is complete.
        package let trackEnds: [MediaTime?]
    }

    private static let packetsAStep = 4000
    /// How far the scan stays ahead of what it announces if clock jumps are followed. Reading a segment waits for audio
    /// up to 12 seconds past its end, and the clock of everything read until then must be settled.
    private static let lookahead = MediaTime.seconds(24)

    private let executor = ThreadExecutor(name: "scan")
    private nonisolated let interruptFlag = InterruptFlag()
    private let source: OpenedSource
    private let places: [Int: Int]
    private var reader: SourceReader?
    private var planner: SegmentPlanner
    private var framesOfLead: Int64 = 0
    private var ends: [Int64?]
    private var clock: ClockWatch
    private var positions: [Int: Int64] = [:]
    private var watch: ConfigurationWatch
    private var changes: [ConfigurationChange] = []
    private var audioFormats: [Int: AudioFormatMark] = [:]
    private var audioChanges = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    package init(source: OpenedSource, target: MediaTime) {
        self.source = source
        planner = SegmentPlanner(limits: .init(target: target, timeBase: source.lead.stream.timeBase))
        places = Dictionary(uniqueKeysWithValues: source.tracks.indices.map { (source.tracks[$0].stream.index, $0) })
        ends = source.tracks.map { _ in nil }
        let isWatching =
            source.container.canStartAnywhere && source.lead.kind == .video && source.lead.timing == .presentation
        clock = ClockWatch(base: source.lead.stream.timeBase, isWatching: isWatching)
        watch = ConfigurationWatch(lead: source.lead, readsPayload: !source.container.hasFramedPackets)
    }

    /// Makes the running step fail at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Scans the next few thousand packets. At the end of the source, the plan of the returned batch is complete.
    package func step() throws(EngineError) -> Batch {
        let reader = try attachedReader()
        for _ in 0..<Self.packetsAStep {
            guard let packet = try reader.readPacket() else { return finished() }
            note(packet, reader)
        }
        return batch(end: nil, progress: Double(reader.context.fileOffset) / Double(max(1, source.file.byteCount)))
    }

    private func attachedReader() throws(EngineError) -> SourceReader {
        if let reader { return reader }
        let reader = try SourceReader(file: source.file, for: .walking, edits: source.edits, interrupt: interruptFlag)
        reader.prepareForWalking(over: Set(source.tracks.map(\.stream.index)))
        self.reader = reader
        return reader
    }

    private func note(_ packet: Packet, _ reader: SourceReader) {
        guard let place = places[packet.streamIndex] else { return }
        let track = source.tracks[place]
        guard let raw = time(of: packet, track, isLead: place == 0) else { return }
        var position = packet.position ?? positions[place] ?? reader.context.fileOffset
        positions[place] = packet.position ?? positions[place]
        let finding = finding(packet, at: raw, position, place)
        let time: Int64
        switch finding {
        case .nowhere: return
        case .at(let found), .begins(let found): time = found
        }
        let end = track.endTime(ofPacketAt: time, lasting: track.kind == .audio ? packet.duration : 0)
        ends[place] = max(ends[place] ?? .min, end)
        if track.kind == .audio { noteFormat(of: packet, track, place) }
        guard place == 0, packet.isKey || track.kind == .audio else { return }
        if packet.position == nil { position = reader.context.fileOffset }
        var seekTimestamp = packet.pts ?? packet.dts ?? time
        if source.container.isMatroska, let entry = reader.context.indexEntry(of: track.stream.index, at: seekTimestamp)
        {
            position = entry.position
        }
        if source.container.isMP4 { seekTimestamp = packet.dts ?? seekTimestamp }
        let keyframe = Keyframe(time: time, seekTimestamp: seekTimestamp, position: position)
        let data = watch.change(at: packet)
        if case .begins = finding, let segment = planner.cut(at: keyframe) {
            clock.open(firstSegment: segment)
            if let data { changes.append(ConfigurationChange(firstSegment: segment, privateData: data)) }
        } else if let data, let segment = planner.cut(at: keyframe) {
            changes.append(ConfigurationChange(firstSegment: segment, privateData: data))
        } else {
            planner.add(keyframe)
        }
    }

    private func finding(_ packet: Packet, at time: Int64, _ position: Int64, _ place: Int) -> ClockWatch.Finding {
        let sight = ClockWatch.Sight(
            time: time,
            decodeTime: packet.dts ?? time,
            position: position,
            isKey: packet.isKey
        )
        if place == 0 { return clock.seeLead(sight, end: ends[0]) }
        return clock.see(sight, of: place, front: ends[0] ?? .min)
    }

    private func noteFormat(of packet: Packet, _ track: ServedTrack, _ place: Int) {
        // Frame headers can only be read if packets have their payload.
        guard !source.container.hasFramedPackets,
            let mark = packet.withBytes({ AudioFormatMark(codec: track.stream.codec, frame: $0) })
        else { return }
        if let known = audioFormats[place], known != mark { audioChanges += 1 }
        audioFormats[place] = mark
    }

    private func time(of packet: Packet, _ track: ServedTrack, isLead: Bool) -> Int64? {
        guard isLead else { return packet.pts ?? packet.dts }
        switch track.timing {
        case .presentation: return packet.pts ?? packet.dts
        case .decodeOrder: return packet.dts ?? packet.pts
        case .counted:
            defer { framesOfLead += 1 }
            return framesOfLead &* track.nominalDuration
        }
    }

    private func finished() -> Batch {
        reader = nil
        let end = ends[0] ?? 0
        planner.finish(end: end)
        return batch(end: end, progress: 1)
    }

    /// The boundaries that the scan has left far enough behind.
    private var settledBoundaries: [Keyframe] {
        guard clock.isWatching, let front = ends[0] else { return planner.boundaries }
        let latest = front &- Self.lookahead.ticks(in: source.lead.stream.timeBase)
        return Array(planner.boundaries.prefix { $0.time <= latest })
    }

    private func batch(end: Int64?, progress: Double) -> Batch {
        Batch(
            plan: SegmentPlan(
                timeBase: source.lead.stream.timeBase,
                boundaries: end == nil ? settledBoundaries : planner.boundaries,
                end: end,
                origin: .scan,
                changes: changes,
                jumps: end == nil ? clock.settled(at: ends[0] ?? .min) : clock.jumps,
                keyframes: source.lead.kind == .video ? planner.keyframes : KeyframeTimes(),
                windings: source.lead.kind == .video ? planner.windings : []
            ),
            progress: min(1, progress),
            refusedChanges: watch.refused,
            unfollowedJumps: clock.unfollowed,
            audioChanges: audioChanges,
            trackEnds: source.tracks.indices.map { index in
                guard end != nil, let ticks = ends[index] else { return nil }
                let track = source.tracks[index]
                return MediaTime(track.timelineTicks(ticks), in: track.track.timeBase)
            }
        )
    }
}
