// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Which program of a source with several programs was played.
struct PlayedProgram: Codable, Hashable {
    let number: Int
    let name: String
    /// Whether it is the program that plays when a load requests none.
    let isDefault: Bool

    /// `nil` for a source without a choice of programs.
    init?(of media: MediaDescription?) {
        guard let media, media.programs.count > 1,
            let program = media.programs.first(where: { $0.number == media.program })
        else { return nil }
        (number, name) = (program.number, program.name)
        isDefault = program == media.automaticProgram
    }

    func fits(_ selection: ProgramSelection) -> Bool {
        switch selection {
        case .automatic: isDefault
        case .number(let wanted): number == wanted
        case .name(let wanted): name.lowercased() == wanted.lowercased()
        }
    }
}
