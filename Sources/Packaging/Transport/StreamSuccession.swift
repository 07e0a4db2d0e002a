// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Keeps the streams of a transport stream under the packet identifiers (PIDs) of its first program maps, so that the
/// demuxer needs only those maps. A stream that continues under another PID is moved back to its first PID; packets of
/// maps that differ from the first one are dropped. Pure.
struct StreamSuccession: Sendable {
    enum Outcome: Hashable, Sendable {
        case kept
        case moved(to: Int)
        case dropped
    }

    private struct Program: Sendable {
        let first: ProgramMap
        var latest: ProgramMap
    }

    private var sections: [Int: PacketSections] = [:]
    /// PIDs of program maps.
    private var maps: Set<Int> = []
    private var programs: [Int: Program] = [:]
    /// The programs in the latest program association section. `nil` if the table has several sections.
    private var listed: Set<Int>?
    /// PIDs of SCTE 35 messages.
    private(set) var spliceStreams: Set<Int> = []
    /// By PID: the programs whose maps were found there.
    private var carried: [Int: Set<Int>] = [:]
    /// By program: the outcome of PIDs that differ from those of its first map.
    private var outcomes: [Int: [Int: Outcome]] = [:]
    /// Changes since the last call of `takeChanges`.
    private var changes: [StreamReception.Change.Kind] = []

    /// - Parameter payload: the payload of `packet`.
    mutating func take(_ packet: TransportPacket, _ payload: ArraySlice<UInt8>) -> Outcome {
        let number = packet.stream
        if carriesTables(number) {
            return packet.isDamaged ? .kept : takeTable(packet, payload)
        }
        for outcomes in outcomes.values {
            if let outcome = outcomes[number] { return outcome }
        }
        return .kept
    }

    /// Whether packets under this PID may carry program association or program map sections.
    func carriesTables(_ number: Int) -> Bool { number == 0 || maps.contains(number) }

    /// Whether the first maps list one video stream, so that it is the one that is played.
    var hasOneVideo: Bool {
        maps.count == 1 && programs.values.reduce(0) { $0 + $1.first.streams.count(where: \.kind.isVideo) } == 1
    }

    mutating func takeChanges() -> [StreamReception.Change.Kind] {
        defer { changes = [] }
        return changes
    }

    private mutating func takeTable(_ packet: TransportPacket, _ payload: ArraySlice<UInt8>) -> Outcome {
        let number = packet.stream
        let found: [[UInt8]]
        switch packet.payload {
        case .none: return .kept
        case .rest: found = sections[number, default: PacketSections()].add(payload, begins: false)
        case .section, .unit: found = sections[number, default: PacketSections()].add(payload, begins: true)
        }
        if number == 0 {
            for section in found { takeAssociation(section) }
            return .kept
        }
        for map in found.compactMap({ ProgramMap($0) }) {
            carried[number, default: []].insert(map.program)
            follow(map)
        }
        let isFirst = carried[number, default: []].allSatisfy { program in
            programs[program].map { $0.latest.streams == $0.first.streams } ?? true
        }
        return isFirst ? .kept : .dropped
    }

    private mutating func takeAssociation(_ section: [UInt8]) {
        guard let found = ProgramMap.maps(in: section) else { return }
        maps.formUnion(found.keys)
        // The table may have more sections, which list other programs.
        if ProgramMap.isOnlySection(section) { listed = Set(found.values) }
    }

    /// Notes that the video of a program continues as the video of a new program: the streams have equal PIDs, or the
    /// former program is not listed any more.
    private mutating func noteSuccessor(_ map: ProgramMap) {
        for program in programs.values {
            for old in program.first.streams where old.kind.isVideo {
                let isListed = listed?.contains(program.first.program) ?? true
                guard !map.contains(old),
                    let new = map.streams.first(where: { $0.kind.isVideo && (!isListed || $0.number == old.number) })
                else { continue }
                changes.append(.replaced(old.kind.name, old.number, by: new.kind.name, as: new.number))
            }
        }
    }

    private mutating func follow(_ map: ProgramMap) {
        spliceStreams.formUnion(map.streams.filter { $0.kind.type == SpliceMessages.streamType }.map(\.number))
        guard let known = programs[map.program] else {
            noteSuccessor(map)
            programs[map.program] = Program(first: map, latest: map)
            return
        }
        guard map.streams != known.latest.streams else { return }
        programs[map.program]?.latest = map
        var gone = known.first.streams.filter { !map.contains($0) }
        var outcomes: [Int: Outcome] = [:]
        for stream in map.streams where !known.first.contains(stream) {
            let same = gone.firstIndex { $0.kind == stream.kind && $0.language == stream.language }
            if let place = same ?? gone.firstIndex(where: { $0.kind == stream.kind }) {
                outcomes[stream.number] = .moved(to: gone[place].number)
                gone.remove(at: place)
            } else {
                outcomes[stream.number] = .dropped
            }
        }
        note(from: known.latest, to: map, outcomes, gone, of: known.first)
        self.outcomes[map.program] = outcomes
    }

    private mutating func note(
        from old: ProgramMap,
        to new: ProgramMap,
        _ outcomes: [Int: Outcome],
        _ gone: [ProgramMap.Stream],
        of first: ProgramMap
    ) {
        var pictures = gone.filter(\.kind.isVideo)
        var replaced: Set<Int> = []
        for stream in new.streams where !old.contains(stream) {
            switch outcomes[stream.number] {
            case .dropped where stream.kind.isVideo && !pictures.isEmpty:
                let before = pictures.removeFirst()
                replaced.insert(before.number)
                changes.append(.replaced(before.kind.name, before.number, by: stream.kind.name, as: stream.number))
            case .moved(let place):
                changes.append(.moved(stream.kind.name, from: place, to: stream.number, isVideo: stream.kind.isVideo))
            case .dropped: changes.append(.appeared(stream.kind.name, stream.number))
            case .kept, nil:
                changes.append(.returned(stream.kind.name, stream.number, isVideo: stream.kind.isVideo))
            }
        }
        for stream in gone where old.contains(stream) && !replaced.contains(stream.number) {
            changes.append(.vanished(stream.kind.name, stream.number))
        }
    }
}

extension ProgramMap {
    /// Whether the map has a stream of the same codec under the same PID.
    fileprivate func contains(_ stream: Stream) -> Bool {
        streams.contains { $0.number == stream.number && $0.kind == stream.kind }
    }
}
