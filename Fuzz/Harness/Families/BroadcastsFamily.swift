// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Bindings
@testable import Packaging

/// The input is pieces, each of which is taken as a section of a table, with and without a correct checksum, and as a text; then
/// the whole input as a connection of a live transport stream.
func exerciseBroadcasts(_ bytes: [UInt8]) {
    var reading = TableReading()
    for piece in pieces(bytes) {
        for section in [piece, checked(piece)] { exercise(section, &reading) }
        expectPlain(CodedText(broadcast: piece[...]).string)
    }
    expect(reading.tables.events.count <= 256, "events of \(reading.tables.events.count) programs are kept")
    for events in reading.tables.events.values {
        for event in [events.present, events.following].compactMap(\.self) {
            let converted = event.converted(by: \.string)
            expect(converted.duration.map { $0 >= .zero } ?? true, "a duration is not negative")
            expect(converted.language.isEmpty || converted.language.count == 3, "a language has three letters")
            for text in [converted.title, converted.text, converted.details] { expectPlain(text) }
        }
    }
    exerciseConnections(bytes)
}

/// Sends a section in packets of the PIDs that carry tables.
private func exercise(_ section: [UInt8], _ reading: inout TableReading) {
    for stream in [0x12, 0x14] as [UInt8] {
        var rest = ([0] + section)[...]
        var begins = true
        while !rest.isEmpty {
            let filler = [UInt8](repeating: 0xFF, count: max(0, 184 - rest.count))
            let head: [UInt8] = [0x47, begins ? 0x40 : 0, stream, 0x10]
            let bytes = head + rest.prefix(184) + filler
            guard let packet = TransportPacket(bytes, at: 0) else { return expect(false, "a packet has a header") }
            _ = reading.take(packet, bytes[packet.payloadOffset...], at: 0)
            (rest, begins) = (rest.dropFirst(184), false)
        }
    }
    if let clock = reading.tables.clock {
        expect((clock.utcOffset ?? 0).magnitude <= 99 * 3600 + 59 * 60, "an offset has two digits of hours")
    }
}

/// The section with its true length and a correct checksum; unchanged if it is too short or too long for them.
private func checked(_ section: [UInt8]) -> [UInt8] {
    guard section.count >= 3, section.count < 4000 else { return section }
    var section = section
    section[1] = section[1] & 0xF0 | UInt8((section.count + 1) >> 8)
    section[2] = UInt8((section.count + 1) & 255)
    let sum = CRC32.checksum(of: section[...])
    return section + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
}

private func expectPlain(_ text: String) {
    let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
    expect(isPlain, "a text has no control codes")
}

private func exerciseConnections(_ bytes: [UInt8]) {
    var intake = TransportIntake()
    var count = 0
    for connection in [bytes[...], bytes.dropFirst(bytes.count / 2), bytes[...]] {
        count += intake.take(Array(connection)).count + intake.disconnected().count
    }
    expect(count <= bytes.count * 3, "nothing is passed on that was not received")
    expect(intake.reception.tables.events.count <= 256, "events of too many programs are kept")
}
