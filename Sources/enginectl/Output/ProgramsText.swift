// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// The programs of a transport stream, each with its streams, then the streams that belong to no program. A star marks
/// the program that is played.
struct ProgramsText {
    let media: MediaDescription
    /// What the source of a session says is broadcast. `nil` for a file.
    var guide: [ProgramGuide]?

    /// Empty if there are no programs.
    var lines: [String] {
        guard !media.programs.isEmpty else { return [] }
        let others = media.streams.filter { stream in !media.programs.contains { $0.streams.contains(stream.index) } }
        return media.programs.flatMap(lines)
            + (others.isEmpty ? [] : ["  no program"] + others.map { "    " + line($0) })
    }

    private func lines(_ program: Program) -> [String] {
        let name = program.name.isEmpty ? "" : " \"\(program.name)\""
        let provider = program.provider.isEmpty ? "" : " of \(program.provider)"
        let clock = program.clockPID.map { "clock PID \($0)" } ?? "no clock"
        let mark = program.number == media.program ? "*" : " "
        let title = "\(mark) program \(program.number)\(name)\(provider): \(clock), map PID \(program.mapPID)"
        return [Words.plain(title)] + (guide(of: program)?.lines ?? []).map { "    " + $0 }
            + program.streams.filter(media.streams.indices.contains).map { "    " + line(media.streams[$0]) }
    }

    private func guide(of program: Program) -> ProgramGuide? { guide?.first { $0.program == program.number } }

    /// Only streams of the played program show their route; the others are listed below their own program.
    private func line(_ stream: StreamDescription) -> String {
        let text = StreamText(stream: stream, showsRoute: media.ownStreams.contains { $0.index == stream.index })
        return "PID \(stream.pid) \(text.line)"
    }

    var json: JSON {
        .object(
            ("program", media.program.map { .integer($0) } ?? .null),
            (
                "programs",
                .array(
                    media.programs.map { program in
                        .object(
                            ("number", .integer(program.number)),
                            ("name", .string(program.name)),
                            ("provider", .string(program.provider)),
                            ("clock_pid", program.clockPID.map { .integer($0) } ?? .null),
                            ("map_pid", .integer(program.mapPID)),
                            ("is_played", .bool(program.number == media.program)),
                            ("present", guide.map { _ in guide(of: program)?.present?.json ?? .null }),
                            ("following", guide.map { _ in guide(of: program)?.following?.json ?? .null }),
                            (
                                "streams",
                                .array(
                                    program.streams.filter(media.streams.indices.contains).map {
                                        media.streams[$0].json
                                    }
                                )
                            )
                        )
                    }
                )
            )
        )
    }
}
