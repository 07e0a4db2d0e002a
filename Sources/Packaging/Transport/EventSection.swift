// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The present or the following event of a program of the same transport stream, from an event information section
/// (ETSI EN 300 468 §5.2.4).
struct EventSection: Hashable, Sendable {
    enum Place: UInt8 { case present, following }

    /// `table_id` of the sections.
    static let tableID: UInt8 = 0x4E
    private static let headerByteCount = 14
    private static let eventByteCount = 12

    /// service_id, which is the program's number.
    let program: Int
    /// version_number of all sections about the program.
    let version: UInt8
    let place: Place
    /// Whether there is no section about the following event.
    let isLast: Bool
    /// `nil` if there is no such event.
    let event: BroadcastTables.Event?

    /// - Parameter section: a complete section, including its checksum, which is verified.
    /// - Returns: `nil` if the section is damaged, does not apply yet, or is of another kind.
    init?(_ section: [UInt8]) {
        guard section.count >= Self.headerByteCount + 4, section[0] == Self.tableID, section[5] & 1 == 1,
            let place = Place(rawValue: section[6]), PacketSections.isIntact(section)
        else { return nil }
        program = Int(section[3]) << 8 | Int(section[4])
        version = section[5] >> 1 & 0x1F
        self.place = place
        isLast = section[7] == 0
        // A section about present or following has one event at most.
        let events = section[Self.headerByteCount..<section.count - 4]
        guard !events.isEmpty else {
            event = nil
            return
        }
        guard let found = Self.event(events) else { return nil }
        event = found
    }

    /// - Returns: `nil` if the event does not fit.
    private static func event(_ bytes: ArraySlice<UInt8>) -> BroadcastTables.Event? {
        guard bytes.count >= eventByteCount else { return nil }
        let base = bytes.startIndex
        let length = Int(bytes[base + 10] & 0x0F) << 8 | Int(bytes[base + 11])
        let descriptors = bytes.dropFirst(eventByteCount)
        guard length <= descriptors.count else { return nil }
        var facts = ProgramEvent(id: Int(bytes[base]) << 8 | Int(bytes[base + 1]))
        facts.start = BroadcastTime.moment(bytes[(base + 2)..<(base + 7)])
        facts.duration = BroadcastTime.length(bytes[(base + 7)..<(base + 10)])
        facts.status =
            switch bytes[base + 10] >> 5 {
            case 1: .notRunning
            case 2: .startsSoon
            case 3: .pausing
            case 4: .running
            case 5: .offAir
            default: .undefined
            }
        var event = BroadcastTables.Event(facts)
        event.read(descriptors.prefix(length))
        return event
    }
}

extension BroadcastTables.Event {
    /// The titles and descriptions are those of the first language that has a title.
    fileprivate mutating func read(_ descriptors: ArraySlice<UInt8>) {
        var language: String?
        var details: [(language: String, text: CodedText)] = []
        var rest = descriptors
        while rest.count >= 2, let tag = rest.first {
            let content = rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1]))
            rest = rest.dropFirst(2 + content.count)
            switch tag {
            case 0x4D where language == nil:
                // short_event_descriptor (§6.2.37)
                guard let title = content.dropFirst(3).counted() else { continue }
                language = Self.code(content.prefix(3))
                self.title = CodedText(broadcast: title.text)
                text = title.rest.counted().map { CodedText(broadcast: $0.text) } ?? .empty
            case 0x4E:
                // extended_event_descriptor (§6.2.15). Its list of items, such as the cast, is left out.
                guard let items = content.dropFirst(4).counted(), let text = items.rest.counted() else { continue }
                details.append((Self.code(content.dropFirst().prefix(3)), CodedText(broadcast: text.text)))
            default: break
            }
        }
        guard let language else { return }
        facts.language = language
        self.details = details.filter { $0.language == language }.map(\.text).filter { !$0.bytes.isEmpty }
    }

    /// The ISO 639-2 code in lower case. Empty if the bytes are not letters.
    private static func code(_ bytes: ArraySlice<UInt8>) -> String {
        let letters = bytes.map { $0 | 0x20 }
        guard letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return "" }
        return String(decoding: letters, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// The bytes that the first one counts, and those after them. `nil` if they are not all there.
    fileprivate func counted() -> (text: Self, rest: Self)? {
        guard let count = first.map({ Int($0) }), dropFirst().count >= count else { return nil }
        return (dropFirst().prefix(count), dropFirst(1 + count))
    }
}
