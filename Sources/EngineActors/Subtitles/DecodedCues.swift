// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// The decoded cues of a session: by unit, up to a limit in bytes, and of whole sidecar files.
struct DecodedCues {
    private let limit: Int
    private var list = CueList()
    /// By track: the units of which not all cues are kept, because they exceed the limit.
    private var cut: [Int: Set<Int>] = [:]
    /// Whether the cues around the playhead exceed the limit.
    private var isOverfull = false
    /// By track: the cues of sidecar files, which are decoded as a whole.
    private var files: [Int: (cues: [Cue], scriptHeader: String)] = [:]

    init(limit: Int) { self.limit = limit }

    /// Whether cues are missing because they exceed the limit.
    var isCut: Bool { isOverfull || !cut.isEmpty }

    func has(_ unit: Int, of track: Int) -> Bool { list.has(track: track, unit: unit) }

    /// Whether any cue of a unit has begun by `time`. `nil` if the unit is not decoded.
    func begins(by time: MediaTime, in unit: Int, of track: Int) -> Bool? {
        guard has(unit, of: track) else { return nil }
        return list.unit(track: track, unit: unit).contains { $0.start <= time }
    }

    /// Stores a decoded unit. If there are too many cues, evicts the units farthest from `place`.
    mutating func set(_ decoded: DecodedUnit, _ unit: Int, of track: Int, keepingNear place: Int) {
        list.set(decoded.cues, track: track, unit: unit)
        list.shrink(to: limit, keepingNear: place, butFor: (track, unit))
        if decoded.isCut { cut[track, default: []].insert(unit) }
    }

    /// A unit that was decoded is missing again, so it must have been evicted to make room.
    mutating func noteOverfull() { isOverfull = true }

    /// The cues of a decoded unit, in the order of the source.
    ///
    /// - Throws: `resourceExhausted` if the cues of the unit exceed the limit.
    func whole(_ unit: Int, of track: Int) throws(EngineError) -> [Cue] {
        guard cut[track]?.contains(unit) != true else {
            throw .tooManyCues(in: "segment \(unit) of subtitle track \(track)")
        }
        return list.unit(track: track, unit: unit)
    }

    // MARK: Sidecar files

    func file(_ track: Int) -> (cues: [Cue], scriptHeader: String)? { files[track] }

    /// - Parameter cues: the cues of the whole file, in order. `nil` removes the file.
    mutating func setFile(_ cues: [Cue]?, scriptHeader: String, of track: Int) {
        files[track] = cues.map { ($0, scriptHeader) }
    }

    /// The cues of some tracks, in order.
    ///
    /// - Parameters:
    ///   - window: the units whose cues are taken; `nil` for none.
    ///   - range: the part of the timeline from which cues of sidecar files are taken.
    func cues(
        of tracks: Set<Int>,
        in window: (near: ClosedRange<Int>, far: Set<Int>)?,
        beside range: MediaTimeRange
    ) -> [Cue] {
        let cues = window.map { list.cues(of: tracks, in: $0.near, and: $0.far) } ?? []
        let beside = tracks.sorted().flatMap { files[$0]?.cues ?? [] }
        return beside.isEmpty ? cues : CueList.merged(cues, beside.filter { $0.overlaps(range) })
    }
}

/// The cues of one unit of one track, decoded from only the unit, its preroll and its postroll.
struct DecodedUnit {
    private(set) var cues: [Cue] = []
    /// Whether cues are missing because they exceed the limit.
    private(set) var isCut = false
    private var byteCount = 0

    /// - Parameters:
    ///   - decoder: must be new.
    ///   - span: the units to decode, from `CueDemand.span`.
    ///   - limit: the maximum weight of the cues, in bytes.
    ///   - packets: returns the packets of one unit of the span.
    init(
        _ unit: Int,
        of track: SubtitleTrack,
        by decoder: any CueDecoder,
        _ units: SubtitleUnits,
        in span: ClosedRange<Int>,
        limit: Int,
        packets: (Int) throws(EngineError) -> [Packet]
    ) throws(EngineError) {
        for place in span {
            for packet in try packets(place) where !isCut {
                if place < unit { decoder.pass(packet) } else { add(decoder.cues(of: packet), limit) }
            }
        }
        if span.upperBound > unit || units.endTime(of: unit) == nil { add(decoder.finish(), limit) }
        // The postroll also yields cues of later units.
        if CueDecoderCatalog.postroll(of: track) > .zero { cues = cues.filter { units.starts($0, in: unit) } }
    }

    private mutating func add(_ more: [Cue], _ limit: Int) {
        for cue in more {
            byteCount += cue.weight
            guard byteCount <= limit else {
                isCut = true
                return
            }
            cues.append(cue)
        }
    }
}

extension EngineError {
    static func tooManyCues(in place: String) -> EngineError {
        EngineError(
            .resourceExhausted,
            "\(place) has more than \(SubtitleDecoder.byteLimit >> 20) MiB of simultaneous cues"
        )
    }
}
