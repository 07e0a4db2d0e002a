// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension ProgramGuide {
    package var json: JSON {
        .object(
            ("program", .integer(program)),
            ("present", present?.json ?? .null),
            ("following", following?.json ?? .null)
        )
    }
}

extension ProgramEvent {
    package var json: JSON {
        .object(
            ("id", .integer(id)),
            ("title", .string(title)),
            ("text", .string(text)),
            ("details", .string(details)),
            ("language", .string(language)),
            ("start_unix_us", start.map { .integer($0) } ?? .null),
            ("duration_us", duration.map { .integer($0.microseconds) } ?? .null),
            ("status", .string(status.rawValue))
        )
    }
}
