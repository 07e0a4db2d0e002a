// SPDX-License-Identifier: Apache-2.0

/// Builds sections of the tables that list programs and their streams.
enum ProgramTables {
    /// A stream in a program map.
    struct Entry {
        let type: UInt8
        let number: Int
        var descriptors: [UInt8] = []
    }

    static func section(_ table: UInt8, _ identifier: Int, version: Int = 0, _ body: [UInt8]) -> [UInt8] {
        let length = body.count + 9
        var section =
            [table, 0xB0 | UInt8(length >> 8), UInt8(length & 255), UInt8(identifier >> 8), UInt8(identifier & 255)]
        section += [0xC1 | UInt8(version << 1), 0, 0] + body
        return SectionBytes.checked(section)
    }

    /// A program association section with one program.
    static func association(_ program: Int, map: Int) -> [UInt8] {
        section(0, 1, [UInt8(program >> 8), UInt8(program & 255), 0xE0 | UInt8(map >> 8), UInt8(map & 255)])
    }

    static func map(version: Int = 0, program: Int = 1, _ streams: [Entry]) -> [UInt8] {
        var body: [UInt8] = [0xE1, 0, 0xF0, 0]
        for entry in streams {
            body += [entry.type, 0xE0 | UInt8(entry.number >> 8), UInt8(entry.number & 255)]
            body += [0xF0, UInt8(entry.descriptors.count)] + entry.descriptors
        }
        return section(2, program, version: version, body)
    }
}
