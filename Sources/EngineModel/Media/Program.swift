// SPDX-License-Identifier: Apache-2.0

/// A program (DVB: a service) of a transport stream. A transport stream may carry several, of which a session plays
/// one.
public struct Program: Hashable, Sendable {
    /// program_number; never 0.
    public var number: Int
    /// The name of the service. Empty if the source does not state one.
    public var name = ""
    /// The name of the service's provider. Empty if the source does not state one.
    public var provider = ""
    /// The PID of the packets with the program's clock. `nil` if it has none.
    public var clockPID: Int?
    /// The PID of its program map.
    public var mapPID = 0
    /// The indexes of its streams, in the order of its program map. A stream may belong to several programs.
    public var streams: [Int] = []

    public init(number: Int) { self.number = number }

    /// The number and, if there is one, the name: `3 (News)`.
    public var label: String { name.isEmpty ? "\(number)" : "\(number) (\(name))" }
}

/// Which program of a transport stream is played.
public enum ProgramSelection: Hashable, Sendable {
    /// The first whose video has a known size, otherwise the first with video, otherwise the first with audio,
    /// otherwise the first.
    case automatic
    case number(Int)
    /// Compared exactly; if no program has this name, without regard to case.
    case name(String)

    /// A number, or a name. `nil` for empty text.
    public init?(text: String) {
        guard !text.isEmpty else { return nil }
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self = (isNumber ? Int(text) : nil).map { .number($0) } ?? .name(text)
    }
}

extension MediaDescription {
    /// Chooses the program whose streams are played. If there are several programs, start and duration are set from the
    /// chosen one, because each program has a clock of its own.
    ///
    /// - Throws: as `program(_:)`.
    package mutating func choose(_ selection: ProgramSelection) throws(EngineError) {
        program = try program(selection)?.number
        guard programs.count > 1 else { return }
        let own = ownStreams.filter { ($0.kind == .video || $0.kind == .audio) && $0.duration != nil }
        guard let first = own.map(\.start).min() else { return }
        start = first
        duration = own.compactMap { stream in stream.duration.map { stream.start + $0 } }.max().map { $0 - first }
    }

    /// The program that a selection names. `nil` if the selection is automatic and the source has no programs.
    ///
    /// - Throws: `programNotFound`, listing the available programs, or those of the wanted name if there are several.
    package func program(_ selection: ProgramSelection) throws(EngineError) -> Program? {
        switch selection {
        case .automatic: return automaticProgram
        case .number(let number):
            if let found = programs.first(where: { $0.number == number }) { return found }
            throw noProgram("\(number)")
        case .name(let name):
            let exact = programs.filter { $0.name == name }
            let found = exact.isEmpty ? programs.filter { $0.name.lowercased() == name.lowercased() } : exact
            guard let first = found.first else { throw noProgram("called \(name)") }
            guard found.count == 1 else {
                throw EngineError(
                    .programNotFound,
                    "\(source) has \(found.count) programs called \(name)",
                    cause: "their numbers: \(found.map { "\($0.number)" }.joined(separator: ", "))"
                )
            }
            return first
        }
    }

    /// The program that is played if none is requested. `nil` for a source without programs.
    ///
    /// Programs whose video has a known size come first: in an encrypted program, the size is unknown.
    package var automaticProgram: Program? {
        func first(_ fits: (StreamDescription) -> Bool) -> Program? {
            programs.first { program in program.streams.contains { streams.indices.contains($0) && fits(streams[$0]) } }
        }
        return first { $0.kind == .video && $0.video.map { $0.width > 0 } ?? false }
            ?? first { $0.kind == .video } ?? first { $0.kind == .audio } ?? programs.first
    }

    private func noProgram(_ wanted: String) -> EngineError {
        EngineError(
            .programNotFound,
            "\(source) has no program \(wanted)",
            cause: programs.isEmpty
                ? "it has no programs at all" : "its programs: \(programs.map(\.label).joined(separator: ", "))"
        )
    }

    /// Whether a stream belongs to the chosen program. `true` for every stream of a source with at most one program.
    package func isOwn(_ stream: Int) -> Bool {
        guard programs.count > 1, let own = programs.first(where: { $0.number == program }) else { return true }
        return own.streams.contains(stream)
    }

    /// The streams of the chosen program; all streams of a source with at most one program.
    public var ownStreams: [StreamDescription] { streams.filter { isOwn($0.index) } }

    /// The programs that a stream belongs to, for messages.
    package func programs(of stream: Int) -> String {
        let found = programs.filter { $0.streams.contains(stream) }
        let labels = found.map(\.label).joined(separator: ", ")
        return found.isEmpty ? "no program" : "program\(found.count == 1 ? "" : "s") \(labels)"
    }
}
