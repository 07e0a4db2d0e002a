// SPDX-License-Identifier: Apache-2.0

/// An event of a program (DVB: an entry of the event information table): one broadcast, as a program guide lists it.
public struct ProgramEvent: Hashable, Sendable {
    /// What the source says about the event at present.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case undefined
        case notRunning = "not_running"
        /// It starts in a few seconds.
        case startsSoon = "starts_soon"
        case pausing
        case running
        case offAir = "off_air"
    }

    /// event_id.
    public var id: Int
    public var title = ""
    /// A short description, such as a subtitle. Empty if the source states none.
    public var text = ""
    /// A longer description. Empty if the source states none.
    public var details = ""
    /// The language of the title and the descriptions: ISO 639-2, in lower case. Empty if the source states none.
    public var language = ""
    /// In microseconds since 1970. `nil`: the source states none.
    public var start: Int64?
    /// `nil`: the source states none.
    public var duration: MediaTime?
    public var status = Status.undefined

    public init(id: Int) { self.id = id }
}

/// The present and the following event of one program, as the source states them.
public struct ProgramGuide: Hashable, Sendable {
    /// `Program.number`.
    public var program: Int
    /// The event that is broadcast now. `nil` if the source states none.
    public var present: ProgramEvent?
    /// The event after that. `nil` if the source states none.
    public var following: ProgramEvent?

    public init(program: Int, present: ProgramEvent? = nil, following: ProgramEvent? = nil) {
        self.program = program
        self.present = present
        self.following = following
    }
}
