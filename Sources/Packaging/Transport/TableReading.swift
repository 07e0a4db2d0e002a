// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Reads the tables of a broadcast: the present and the following event of each program, and the time of day. Pure.
struct TableReading: Sendable {
    /// The sections about one program.
    private struct Program: Sendable {
        var present: EventSection?
        var following: EventSection?
    }

    /// The PIDs of the tables (ETSI EN 300 468 §5.1.3).
    private static let (eventStream, timeStream) = (0x12, 0x14)
    /// The number of programs whose events are kept.
    private static let programLimit = 256

    private var sections: [Int: PacketSections] = [:]
    private var programs: [Int: Program] = [:]
    /// The times of the latest units, by PID.
    private var unitTimes: [Int: Int64] = [:]
    private(set) var tables = BroadcastTables()

    /// Notes the time of a unit.
    ///
    /// - Parameter stream: the PID under which the unit is passed on.
    mutating func note(_ time: Int64, of stream: Int) { unitTimes[stream] = time }

    /// - Parameters:
    ///   - payload: the payload of `packet`.
    ///   - position: the position of the packet in the stream.
    /// - Returns: whether `tables` has changed.
    mutating func take(_ packet: TransportPacket, _ payload: ArraySlice<UInt8>, at position: Int64) -> Bool {
        guard packet.stream == Self.eventStream || packet.stream == Self.timeStream, !packet.isDamaged,
            packet.payload != .none
        else { return false }
        let begins = packet.payload != .rest
        let found = sections[packet.stream, default: PacketSections()].add(payload, begins: begins)
        var hasChanged = false
        for section in found {
            if packet.stream == Self.timeStream {
                hasChanged = takeTime(section, at: position) || hasChanged
            } else if section.first == EventSection.tableID, let section = EventSection(section) {
                hasChanged = takeEvent(section) || hasChanged
            }
        }
        return hasChanged
    }

    private mutating func takeTime(_ section: [UInt8], at position: Int64) -> Bool {
        guard let stated = BroadcastTime(section) else { return false }
        tables.clock = BroadcastTables.Clock(
            time: stated.time,
            utcOffset: stated.utcOffset ?? tables.clock?.utcOffset,
            position: position,
            unitTimes: unitTimes
        )
        return true
    }

    /// The two events change together, when both sections of a new version have arrived. If one section is repeated
    /// before the other has arrived, the other was lost, or the sender gives the two different versions; the newest
    /// sections then apply.
    private mutating func takeEvent(_ section: EventSection) -> Bool {
        guard programs[section.program] != nil || programs.count < Self.programLimit else { return false }
        var program = programs[section.program] ?? Program()
        let isRepeated: Bool
        let other: EventSection?
        switch section.place {
        case .present:
            isRepeated = program.present == section
            program.present = section
            if section.isLast { program.following = nil }
            other = program.following
        case .following:
            isRepeated = program.following == section
            program.following = section
            other = program.present
        }
        programs[section.program] = program
        let isAlone = section.place == .present && section.isLast
        guard isAlone || isRepeated || other?.version == section.version else { return false }
        var events = BroadcastTables.Events(present: program.present?.event, following: program.following?.event)
        // The section about the following event is older than that event's start.
        if events.following?.facts.id == events.present?.facts.id { events.following = nil }
        return tables.events.updateValue(events, forKey: section.program) != events
    }
}
