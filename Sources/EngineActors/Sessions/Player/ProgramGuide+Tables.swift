// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension BroadcastTables {
    /// The program guide as clients receive it, from the tables of the stream.
    func guide(of media: MediaDescription) -> [ProgramGuide] {
        media.programs.compactMap { program in
            guard let events = events[program.number], events != Events() else { return nil }
            return ProgramGuide(
                program: program.number,
                present: events.present?.converted(by: \.string),
                following: events.following?.converted(by: \.string)
            )
        }
    }
}

extension [ProgramGuide] {
    /// The event that is broadcast in a program.
    func present(in program: Int?) -> ProgramEvent? { first { $0.program == program }?.present }
}

extension Notice {
    /// - Returns: `nil` if the present event of the program that is played has not changed, or is not stated.
    static func event(_ new: [ProgramGuide], after old: [ProgramGuide], of media: MediaDescription) -> Notice? {
        guard let event = new.present(in: media.program) else { return nil }
        let last = old.present(in: media.program)
        guard last.map({ $0.id != event.id || $0.start != event.start }) ?? true else { return nil }
        let program = media.programs.first { $0.number == media.program }?.label ?? ""
        let start = event.start.map { start in
            let time = CivilTime(unixMicroseconds: start)
            return ", which starts at \(time.date) \(time.clock) UTC"
        }
        let length = event.duration.map { " and lasts \($0.microseconds / 60_000_000) min" }
        let text = "the present event of program \(program) is \"\(event.title)\"\(start ?? "")\(length ?? "")"
        return Notice(.info, "live.event", text)
    }
}
