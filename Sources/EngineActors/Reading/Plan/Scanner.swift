// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Scans a source that has no trustworthy index, and finds its boundaries.
///
/// Reads only packet headers if the container allows it. Never packs or serves. The owner, such as the planning loop of
/// a session, requests one batch at a time, so that boundaries can be announced while the scan continues.
package actor Scanner {
    /// The results of one step.
    package struct Batch: Sendable {
        /// The plan so far. Each batch's plan extends the previous one.
        package let plan: SegmentPlan
        /// 0 … 1: the fraction of the source that has been read. 0 if the source is a list, or grows to an unknown
        /// length.
        package let progress: Double
        /// The position in the source that the scan has reached, in bytes.
        package var offset: Int64 = 0
        /// The number of changes of the video's configuration so far that could not be followed.
        package let refusedChanges: Int
        /// The number of backward jumps of the clock so far, in a source whose jumps are not followed.
        package let unfollowedJumps: Int
        /// The number of changes of an audio track's rate or channels so far, according to its frame headers.
        package let audioChanges: Int
        /// The end of each track on the timeline, once the scan is complete.
        package let trackEnds: [MediaTime?]
        /// Notices about the source since the last batch.
        package var newNotices: [Notice] = []
        /// The variant of a live presentation that is played since the engine switched. `nil` if it never did.
        package var variant: PlayedVariant?
    }

    private static let packetsPerStep = 4000
    /// The assumed maximum length of a packet. This close to the end of a growing source, the next packet may be
    /// incomplete.
    private static let packetByteCount: Int64 = 1 << 20
    /// A step over a source that may have to wait for bytes ends with the first packet after this time.
    private static let patience = Duration.milliseconds(250)

    private let executor = ThreadExecutor(name: "scan")
    private nonisolated let interruptFlag = InterruptFlag()
    private let source: OpenedSource
    private var reader: SourceReader?
    private var scan: PlanScan
    /// Extends the plan of a title on a server, of which only the beginning is known. `nil` for other sources.
    private var title: TitleScan?
    /// The number of boundaries in the last batch, and of parts of the segment after them.
    private var reported = (boundaries: 0, parts: 0)
    /// Divides the segments of a list into parts. `nil` if they have none, and for any other source.
    private var partScan: ListPartScan?
    private var handled = Handled()
    private var notices: [Notice] = []
    /// Decides which bytes the source keeps. `nil` unless the source is a live stream and this scan belongs to its session.
    private var window: LiveWindow?

    /// What the scan has taken into account, or reported.
    private struct Handled {
        /// The number of reconnections and changes of the source's reception.
        var receptionChanges = 0
        /// The latest `PlanScan.missedKeyframes`.
        var misses = 0
        var hasTroubleWithDisk = false
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameters:
    ///   - limits: how much of a live stream is kept. If `nil`, another scan of the source decides.
    ///   - announced: how many segments an earlier process noted as announced; 0 if there was no such process.
    ///   - hasParts: whether segments are announced in parts. Only if `OpenedSource.obstacleToParts` is `nil`.
    package init(
        source: OpenedSource,
        target: MediaTime,
        keeping limits: LiveWindow.Limits? = nil,
        after announced: Int = 0,
        hasParts: Bool = false
    ) {
        self.source = source
        title = source.units.map { TitleScan($0) }
        if hasParts, source.layout.segments != nil { partScan = ListPartScan(of: source) }
        let isLive = source.interleaving == .live
        if isLive { window = limits.map { LiveWindow($0) } }
        // Other sessions may share a live stream.
        let decides = !isLive || limits != nil
        if decides, source.lead.kind == .video {
            source.file.require(stream: source.lead.stream.identifier)
        }
        scan = PlanScan(
            of: source.tracks,
            in: source.container,
            target: target,
            interleaving: source.interleaving,
            after: SegmentPlan.announced(afterNoting: announced),
            hasParts: hasParts
        )
    }

    /// Ends the source where the scan has arrived: its growth ends for all readers, and the returned plan is complete.
    package func finish() -> Batch {
        reader = nil
        source.file.endGrowth()
        if let segments = source.layout.segments {
            var plan = plan(of: segments, holdsBack: false)
            plan.partLength = partScan?.length
            return batch(of: segments, plan)
        }
        return scan.finished()
    }

    /// Makes the running step fail at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Scans the next few thousand packets or, of a source for which reads may have to wait, the packets of the next
    /// quarter of a second. In a list, waits until it has grown. At the end of the source, the plan of the returned
    /// batch is complete.
    ///
    /// - Parameter isAwaited: whether playback cannot begin before the plan is longer.
    package func step(isAwaited: Bool = false) throws(EngineError) -> Batch {
        try source.file.verified { () throws(EngineError) in try nextBatch(isAwaited: isAwaited) }
    }

    private func nextBatch(isAwaited: Bool) throws(EngineError) -> Batch {
        if let segments = source.layout.segments { return try step(along: segments) }
        let deadline = Deadline(in: Self.patience)
        if let part = try title?.step(in: source.file, isAwaited: isAwaited, until: deadline, interruptFlag) {
            return batch(of: part.plan, progress: part.progress)
        }
        let reader = try attachedReader()
        let lead = source.lead.stream.index
        let cursor = reader.bytes
        let bytes = KeyframeBytes(of: source.lead, in: source.container) { offset, count throws(EngineError) in
            try cursor.read(at: offset, count: count)
        }
        let mayWait = source.file.growth != nil || source.file.isRemote
        for _ in 0..<Self.packetsPerStep where !mayWait || !deadline.hasPassed {
            if mayWait, hasNews(before: reader) { break }
            guard let packet = try reader.readPacket() else {
                self.reader = nil
                return scan.finished()
            }
            if mayWait { updateVideoDiscontinuities() }
            scan.add(
                packet,
                offset: reader.fileOffset,
                cluster: { reader.context.indexEntry(of: lead, at: $0)?.position },
                isGradual: bytes.isGradual
            )
            try noteKeyframes()
            if !notices.isEmpty { break }
        }
        reported = (scan.settledCount, scan.partCount)
        var batch = scan.batch(progress: progress(at: reader.fileOffset))
        slide(over: batch.plan)
        (batch.newNotices, notices) = (notices, [])
        batch.offset = reader.fileOffset
        return batch
    }

    /// Makes a live stream drop the bytes that have left its window.
    private func slide(over plan: SegmentPlan) {
        guard window != nil, let kept = source.file.window else { return }
        let change = window?.update(
            plan,
            newest: source.file.byteCount,
            room: kept.byteLimit,
            elapsed: MediaTime(microseconds: (monotonicNanoseconds() - kept.beginning) / 1000)
        )
        switch change {
        case .slides(let start, let needed): source.file.slide(to: start, keeping: needed)
        case .holdsBack: source.file.holdBack()
        case nil: break
        }
        guard let problem = kept.problem, !handled.hasTroubleWithDisk else { return }
        handled.hasTroubleWithDisk = true
        let text = "\(source.file.path) is no longer kept on disk, so its window is shorter: \(problem)"
        notices.append(Notice(.warning, "live.window_in_memory", text))
    }

    /// Notices that a live stream continues without keyframes, and makes the source reconnect if this scan belongs to
    /// its session.
    ///
    /// - Throws: `noPlayableStream` if reconnecting has not helped, or if there has never been a keyframe.
    private func noteKeyframes() throws(EngineError) {
        let misses = scan.missedKeyframes
        guard misses != handled.misses else { return }
        handled.misses = misses
        let path = source.file.path
        guard misses > 0 else {
            notices.append(Notice(.info, "source.keyframe_resumed", "\(path) has keyframes again (discontinuity)"))
            return
        }
        let length = Int(KeyframeWatch.patience.seconds)
        guard misses <= KeyframeWatch.limit, scan.hasKeyframe else {
            throw EngineError(
                .noPlayableStream,
                "\(path) has no keyframe from which playback could continue",
                cause: "\(misses * length) s of its packets contain none"
            )
        }
        let text =
            "\(path) has sent \(length) s without a keyframe; playback continues at the next one, and an HTTP connection "
            + "is opened again"
        notices.append(Notice(.warning, "source.no_keyframe", text))
        if window != nil { source.file.renewConnection() }
    }

    /// Waits until a list has more segments than the plan, or more parts if these are announced, has stalled or resumed, or has
    /// ended. Fetches no segments, except one to find out whether segments begin with keyframes, the first one after a
    /// discontinuity for the format of its audio, and those that arrive while their parts are announced.
    private func step(along segments: any ListedSegments) throws(EngineError) -> Batch {
        let known = try announcement(of: segments).plan
        if !known.isComplete, known.segmentCount <= reported.boundaries {
            try segments.grow(untilPart: partScan != nil, interruptFlag)
        }
        var (plan, isWhole) = try announcement(of: segments)
        reported.boundaries = plan.segmentCount
        if let divided = try partScan?.divided(plan, isWhole: isWhole, interruptFlag) {
            plan = divided
            if plan.partCount(of: plan.segmentCount) > 0 { segments.announceParts(ofSegment: plan.segmentCount) }
        }
        return batch(of: segments, plan)
    }

    /// The plan of the segments of a list that can be served now, and whether the newest one can be served without the next
    /// one. What has been announced stays announced.
    private func announcement(of segments: any ListedSegments) throws(EngineError) -> (plan: SegmentPlan, isWhole: Bool)
    {
        let whole = plan(of: segments, holdsBack: false)
        if try isWhole(segments), try !encodesAudio(ofNewestIn: whole) { return (whole, true) }
        let plan = plan(of: segments, holdsBack: true)
        return (plan.segmentCount < reported.boundaries ? whole : plan, false)
    }

    /// Whether a segment of the list can be served without the next one, unless only a part of its audio is encoded.
    private func isWhole(_ segments: any ListedSegments) throws(EngineError) -> Bool {
        if source.needsEarlierSegment(Set(source.tracks.indices)) { return false }
        return source.lead.kind == .audio ? true : try segments.alignment(interruptFlag) ?? false
    }

    /// Whether muxed audio of the newest segment is encoded, although the track is remuxed where the source begins. If
    /// necessary, reads the first segment of that part of the list, from which its format is known.
    ///
    /// - Throws: `cancelled` only. If the format could not be read, requests for the segment wait for the next one.
    private func encodesAudio(ofNewestIn plan: SegmentPlan) throws(EngineError) -> Bool {
        // Where segments have parts, no part of the audio is encoded.
        guard partScan == nil, !plan.isComplete, plan.announcedVersionCount != source.firstVersion else { return false }
        let version = plan.announcedVersionCount
        do throws(EngineError) {
            guard let list = try attachedReader().list else { return false }
            let places = source.tracks.indices.filter { list.list(of: source.tracks[$0].stream.index) == 0 }
            try list.learnAudio(of: Set(places.map { source.tracks[$0].stream.index }), version: version)
            source.decideAudio(of: Set(places), version: version, canBridge: true)
            let collected = source.collectedTracks(Set(places), version: version)
            return places.contains { collected[$0].isBridged }
        } catch {
            if error.code == .cancelled { throw error }
            // After an error, libavformat does not continue.
            reader = nil
            return false
        }
    }

    private func plan(of segments: any ListedSegments, holdsBack: Bool) -> SegmentPlan {
        segments.plan(for: source.lead, measured: source.media.bitRate, holdsBack: holdsBack)
    }

    private func batch(of segments: any ListedSegments, _ plan: SegmentPlan) -> Batch {
        var batch = batch(of: plan, progress: 0)
        (batch.newNotices, batch.variant) = (segments.takeNotices(), segments.playedVariant)
        return batch
    }

    /// A batch of a source whose packets are not scanned.
    private func batch(of plan: SegmentPlan, progress: Double) -> Batch {
        Batch(
            plan: plan,
            progress: progress,
            refusedChanges: 0,
            unfollowedJumps: 0,
            audioChanges: 0,
            trackEnds: source.tracks.map { _ in nil }
        )
    }

    /// Whether the next read may have to wait, and boundaries or parts are known that no batch has reported.
    private func hasNews(before reader: SourceReader) -> Bool {
        let mayWait = source.file.growth == nil || source.file.byteCount - reader.fileOffset < Self.packetByteCount
        return mayWait && (scan.settledCount > reported.boundaries || scan.partCount > reported.parts)
    }

    private func updateVideoDiscontinuities() {
        let reception = source.file.reception
        let count = reception.reconnections.count + reception.changes.count
        guard count > handled.receptionChanges else { return }
        handled.receptionChanges = count
        scan.setVideoDiscontinuities(reception.videoDiscontinuities)
    }

    private func progress(at offset: Int64) -> Double {
        let growth = source.file.growth
        guard let length = growth.map({ $0.expectedByteCount }) ?? source.file.byteCount else { return 0 }
        return Double(offset) / Double(max(1, length))
    }

    private func attachedReader() throws(EngineError) -> SourceReader {
        if let reader { return reader }
        let reader = try SourceReader(file: source.file, for: .walking, edits: source.edits, interrupt: interruptFlag)
        reader.prepareForWalking(over: Set(source.tracks.map(\.stream.index)))
        self.reader = reader
        return reader
    }
}

extension Scanner.Batch {
    /// Notices for the user about a finished scan.
    ///
    /// - Parameter path: the path of the source.
    package func notices(path: String) -> [Notice] {
        var notices: [Notice] = []
        if !plan.jumps.isEmpty {
            let text =
                "the timestamps of \(path) restart \(plan.jumps.count) times; each restart is a discontinuity, and the "
                + "timeline continues"
            notices.append(Notice(.info, "plan.clock_jump", text))
        }
        if unfollowedJumps > 0 {
            let text =
                "the timestamps of \(path) jump \(unfollowedJumps) times; after the first jump, video is in the last "
                + "segment, and audio is left out until its timestamps have caught up"
            notices.append(Notice(.warning, "plan.clock_jump", text))
        }
        if refusedChanges > 0 {
            let text =
                "\(refusedChanges) keyframes carry parameter sets that cannot be followed; they are left in the samples"
            notices.append(Notice(.warning, "video.parameter_sets_refused", text))
        }
        if audioChanges > 0 {
            let text =
                "the audio format changes \(audioChanges) times midway; the rest is served as the first format"
            notices.append(Notice(.warning, "audio.format_changes", text))
        }
        return notices
    }
}
