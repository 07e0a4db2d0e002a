// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds where the clock of a source restarts, and maps packet times to the plan's clock.
///
/// The leading track decides whether there is a jump: the video, or the audio of a source without video. The jump lies at
/// the first packet on the new clock, of any track, after the video's last picture on the old clock. Missing bytes count as a restart too, so that neither the gap nor
/// damaged pictures are presented.
struct DiscontinuityFinder {
    /// The known properties of one packet.
    struct Observation {
        /// In ticks of its stream.
        var time: Int64
        var decodeTime: Int64
        var position: Int64
        var isKey: Bool
    }

    enum Finding: Hashable {
        /// The packet's time on the plan's clock.
        case at(Int64)
        /// The first random access point on a new clock, at this time on the plan's clock: a segment must start here.
        case begins(Int64)
        /// The packet is between two clocks and is not served.
        case nowhere
    }

    private enum State {
        case running
        /// The leading video has jumped, but no random access point has followed yet. `from` is the position of the
        /// first packet on the new clock.
        case waiting(from: Int64)
    }

    /// The interpretation of packet times.
    struct Clock {
        /// The time base of all streams.
        let base: TimeBase
        /// The number of ticks after which times wrap; `nil` if they never do.
        let wrap: Int64?
        /// A decode time more than this earlier than the previous one belongs to another clock.
        let stepBack: Int64
        /// The same for the leading track.
        let leadStepBack: Int64
        /// A decode time more than this later than the previous one belongs to another clock too, if there is no other
        /// track.
        let stepAhead: Int64
        /// The same if there are other tracks, none of which is within this distance of it.
        let hole: Int64

        /// Times of one bitstream in Ogg only rise, except that libavformat may misplace a packet by a block.
        private static let oggStepBack = MediaTime.seconds(0.25)

        init(_ base: TimeBase, in container: ContainerFormat, _ interleaving: Interleaving) {
            self.base = base
            wrap = container.isMPEGTS ? ClockWrap.ticks(in: base) : nil
            stepBack = interleaving.stepBack.ticks(in: base)
            leadStepBack = (container.isOgg ? Self.oggStepBack : Interleaving.leadStepBack).ticks(in: base)
            stepAhead = interleaving.stepAhead.ticks(in: base)
            hole = interleaving.hole.ticks(in: base)
        }
    }

    /// The time after the leading video's jump within which another track's jump may appear. Shorter than
    /// `PlanScan.lookahead`, so that announced jumps are final.
    private static let settling = MediaTime.seconds(10)
    /// The time after the leading video's jump for which other tracks may stay on the old clock. Shorter than
    /// `Interleaving.gap` of live streams, so that announced jumps are final.
    private static let patience = MediaTime.seconds(3)
    /// The maximum distance in the file between the jumps of two tracks, in bytes.
    private static let strayByteLimit: Int64 = 8 << 20
    /// At most this many jumps of one source are followed.
    static let limit = 4096

    /// Whether jumps of a source's clock are followed: readers must be able to enter the source after a jump.
    static func canWatch(_ lead: PlayedTrack, in container: ContainerFormat, _ interleaving: Interleaving) -> Bool {
        guard lead.timing == .presentation else { return false }
        switch lead.kind {
        case .video: return container.canStartAnywhere
        case .audio: return interleaving == .stored && (container.canStartAnywhere || container.isOgg)
        }
    }

    let isWatching: Bool
    private let clock: Clock
    private(set) var jumps: [ClockJump] = []
    /// The number of backward jumps in a source whose jumps are not followed.
    private(set) var unfollowed = 0
    private var state = State.running
    /// The latest decode time of each track.
    private var latest: [Int: Int64] = [:]
    /// Tracks that have jumped although the leading video has not, with the positions of the jumps.
    private var strays: [Int: Int64] = [:]
    /// Tracks that have not jumped back yet, although the leading video has.
    private var late: Set<Int> = []
    /// `ClockJump.lastChange` of the latest jump.
    private var lastChange: Int64 = 0
    private var lastLeadPosition = Int64.min
    /// The positions at which the video is interrupted, except those that the leading video has passed.
    private var videoDiscontinuities: [Int64] = []
    /// The position of the leading video's last picture before the latest jump.
    private var positionBefore = Int64.max

    /// - Parameter isWatching: whether to follow jumps. If not, every packet keeps its own time.
    init(_ clock: Clock, isWatching: Bool) {
        self.clock = clock
        self.isWatching = isWatching
    }

    /// Begins the timeline later, after the media of an earlier process.
    ///
    /// - Parameters:
    ///   - origin: where the timeline would begin without that media.
    ///   - length: the length of that media.
    mutating func begin(at origin: Int64, after length: Int64) {
        jumps = [ClockJump(firstSegment: 0, position: 0, offset: length, start: origin &+ length)]
    }

    /// Sets the positions at which the video is interrupted (`StreamReception.videoDiscontinuities`), in ascending order.
    mutating func setVideoDiscontinuities(_ positions: [Int64]) {
        videoDiscontinuities = positions.filter { $0 > lastLeadPosition }
    }

    /// Notes a packet of the leading track.
    ///
    /// - Parameter end: where the leading video ends so far, on the plan's clock.
    mutating func noteLead(_ seen: Observation, end: Int64?) -> Finding {
        let observation = unwrapped(seen, of: 0)
        // The times of a track that has jumped before the video cannot show that the video only has a gap.
        let others = latest.filter { $0.key != 0 && strays[$0.key] == nil }.map(\.value)
        let last = latest.updateValue(observation.decodeTime, forKey: 0)
        let back = isWatching ? clock.leadStepBack : clock.stepBack
        let hasJumped = jumps(from: last, to: observation.decodeTime, back, others)
        guard isWatching else {
            if hasJumped, let last, observation.decodeTime < last { unfollowed += 1 }
            return .at(observation.time)
        }
        let gap = videoDiscontinuities.first { $0 <= observation.position }
        videoDiscontinuities.removeAll { $0 <= observation.position }
        if hasJumped || gap != nil, case .running = state, jumps.count < Self.limit {
            let candidates = strays.values.filter { $0 > lastLeadPosition }
            state = .waiting(from: gap ?? candidates.reduce(observation.position, min))
            positionBefore = lastLeadPosition
            let goesBack = gap == nil && last.map { observation.decodeTime < $0 } ?? false
            late = goesBack ? Set(latest.keys).subtracting(strays.keys).subtracting([0]) : []
            (strays, lastChange) = ([:], 0)
        }
        lastLeadPosition = observation.position
        guard case .waiting(let position) = state else { return .at(observation.time &+ (jumps.last?.offset ?? 0)) }
        guard observation.isKey else { return .nowhere }
        let start = end ?? observation.time
        jumps.append(
            ClockJump(
                firstSegment: 0,
                position: position,
                offset: start &- observation.time,
                start: start,
                lastChange: lastChange
            )
        )
        state = .running
        return .begins(start)
    }

    /// Stops presenting at `position` until the next random access point, where the plan is cut as at a jump.
    mutating func suspend(at position: Int64) {
        guard isWatching, case .running = state, jumps.count < Self.limit else { return }
        state = .waiting(from: position)
        positionBefore = lastLeadPosition
        (strays, late, lastChange) = ([:], [], 0)
    }

    /// Sets the segment that begins with the latest jump.
    mutating func open(firstSegment: Int) {
        guard !jumps.isEmpty else { return }
        jumps[jumps.count - 1].firstSegment = firstSegment
    }

    /// Whether all jumps so far are final once the leading video has reached `front`, so that everything that was read
    /// keeps its times.
    func isCertain(at front: Int64) -> Bool {
        guard case .running = state, strays.isEmpty else { return false }
        return settled(at: front).count == jumps.count
    }

    /// The jumps whose positions are final once the leading video has reached `front`.
    func settled(at front: Int64) -> [ClockJump] {
        let settling = Self.settling.ticks(in: clock.base)
        return jumps.filter { front &- $0.start >= settling }
    }

    /// Notes a packet of another track.
    ///
    /// - Parameters:
    ///   - place: the track's position in `OpenedSource.tracks`.
    ///   - front: the time that the leading video has reached, on the plan's clock.
    mutating func note(_ seen: Observation, of place: Int, front: Int64) -> Finding {
        guard isWatching else { return .at(seen.time) }
        let observation = unwrapped(seen, of: place)
        if videoDiscontinuities.contains(where: { $0 <= observation.position }) {
            latest[place] = nil
            return .nowhere
        }
        let lead = latest[0].map { [$0] } ?? []
        let last = latest.updateValue(observation.decodeTime, forKey: place)
        if jumps(from: last, to: observation.decodeTime, clock.stepBack, lead) {
            noteStray(observation.position, place, front)
        }
        if isLate(observation, place, after: last, front) { return .nowhere }
        if let stray = strays[place] {
            if observation.position &- stray < Self.strayByteLimit { return .nowhere }
            strays[place] = nil
        }
        if case .waiting(let position) = state, observation.position >= position { return .nowhere }
        let jump = jumps.last { $0.position <= observation.position }
        return .at(observation.time &+ (jump?.offset ?? 0))
    }

    /// Whether a packet is still on the clock that the leading video has left for an earlier one. On the new clock, it
    /// would be ahead of everything that follows, which would then be left out.
    ///
    /// - Parameter last: the decode time of the track's previous packet.
    private mutating func isLate(_ seen: Observation, _ place: Int, after last: Int64?, _ front: Int64) -> Bool {
        guard late.contains(place) else { return false }
        if let last, seen.decodeTime < last {
            late.remove(place)
            return false
        }
        if case .waiting(let position) = state {
            if seen.position >= position { lastChange = max(lastChange, seen.position &+ 1) }
            return false
        }
        guard let jump = jumps.last, front &- jump.start < Self.patience.ticks(in: clock.base) else {
            late.remove(place)
            return false
        }
        guard seen.position >= jump.position else { return false }
        lastChange = max(lastChange, seen.position &+ 1)
        jumps[jumps.count - 1].lastChange = lastChange
        return true
    }

    private mutating func noteStray(_ position: Int64, _ place: Int, _ front: Int64) {
        switch state {
        case .waiting(let known):
            if position > positionBefore { state = .waiting(from: min(known, position)) }
        case .running:
            guard let jump = jumps.last, position > positionBefore,
                front &- jump.start < Self.settling.ticks(in: clock.base)
            else {
                strays[place] = position
                return
            }
            if position < jump.position {
                jumps[jumps.count - 1].position = position
            } else if position &- jump.position > Self.strayByteLimit {
                strays[place] = position
            }
        }
    }

    /// Restores the high bits that 33-bit times lack, so that the packet is as close as possible to its track's
    /// previous packet.
    private func unwrapped(_ seen: Observation, of place: Int) -> Observation {
        guard isWatching, let wrap = clock.wrap, let known = latest[place] ?? latest[0] else { return seen }
        var observation = seen
        observation.decodeTime &+= ClockWrap.shift(seen.decodeTime, near: known, wrap)
        // A picture may be decoded before the wrap and presented after it.
        observation.time &+= ClockWrap.shift(seen.time, near: observation.decodeTime, wrap)
        return observation
    }

    /// Whether a track has jumped between two decode times. `false` if the first one is unknown.
    ///
    /// - Parameters:
    ///   - back: a longer step back is a jump.
    ///   - others: the latest decode times of other tracks. If one of them is near `time`, a step ahead is a gap of this
    ///     track and not a jump.
    private func jumps(from last: Int64?, to time: Int64, _ back: Int64, _ others: [Int64]) -> Bool {
        guard let last else { return false }
        let (step, isOver) = time.subtractingReportingOverflow(last)
        if isOver || step < -back { return true }
        let ahead = others.isEmpty ? clock.stepAhead : clock.hole
        return step > ahead && !others.contains { (time &- $0).magnitude < ahead.magnitude }
    }
}
