// SPDX-License-Identifier: Apache-2.0

/// What the tables of a broadcast state (ETSI EN 300 468): the present and the following event of each program, and the
/// time of day.
package struct BroadcastTables: Hashable, Sendable {
    /// An event whose texts are not converted yet.
    package struct Event: Hashable, Sendable {
        /// The texts of `facts` are empty.
        package var facts: ProgramEvent
        package var title = CodedText.empty
        package var text = CodedText.empty
        /// In order.
        package var details: [CodedText] = []

        package init(_ facts: ProgramEvent) { self.facts = facts }

        /// - Parameter convert: returns a coded text as a string.
        package func converted(by convert: (CodedText) -> String) -> ProgramEvent {
            var event = facts
            event.title = convert(title)
            event.text = convert(text)
            event.details = details.map(convert).joined()
            return event
        }
    }

    package struct Events: Hashable, Sendable {
        package var present: Event?
        package var following: Event?

        package init(present: Event? = nil, following: Event? = nil) {
            self.present = present
            self.following = following
        }
    }

    /// The time of day as the stream stated it last, and the place of that statement.
    package struct Clock: Hashable, Sendable {
        /// In microseconds since 1970.
        package var time: Int64
        /// How far local time is ahead of UTC, in seconds. `nil`: never stated.
        package var utcOffset: Int?
        /// The position of the statement in the stream, in bytes.
        package var position: Int64
        /// The timestamps of the latest PES packets before the statement, in 90 kHz ticks of 33 bits, by PID.
        package var unitTimes: [Int: Int64]

        package init(time: Int64, utcOffset: Int? = nil, position: Int64, unitTimes: [Int: Int64]) {
            self.time = time
            self.utcOffset = utcOffset
            self.position = position
            self.unitTimes = unitTimes
        }
    }

    /// By program number.
    package var events: [Int: Events] = [:]
    /// `nil` before the first statement.
    package var clock: Clock?

    package init() {}
}
