// SPDX-License-Identifier: Apache-2.0

/// The clock of a title, whose parts have clocks of their own. Pure.
///
/// A packet's position in the bytes of the title determines its part, and each part states its start and end. Media
/// outside these times, such as audio that two parts share or the rest of a clip that is longer than its part, is not
/// presented. All times are in ticks of 90 kHz; the title begins at 0.
package struct TitleTimeline: Hashable, Sendable {
    /// One part.
    package struct Stretch: Hashable, Sendable {
        /// Its first byte in the title.
        package let position: Int64
        /// The time at which it begins on its own clock, which has 33 bits.
        package let entry: Int64
        /// The time at which it begins on the title's clock.
        package let start: Int64
        package let duration: Int64

        package init(position: Int64, entry: Int64, start: Int64, duration: Int64) {
            self.position = position
            self.entry = entry
            self.start = start
            self.duration = duration
        }

        package var end: Int64 { start + duration }

        /// Converts a time on the part's own clock to the title's clock. The time must be near the part, because its
        /// clock wraps.
        package func placed(_ time: Int64) -> Int64 { start + TitleTimeline.distance(from: entry, to: time) }

        /// Whether the part presents a picture with this time on the title's clock.
        package func presents(_ time: Int64) -> Bool { (start..<end).contains(time + TitleTimeline.tolerance) }
    }

    /// A picture that starts at most this much before a part still belongs to it, because discs round the start times
    /// of parts. In ticks of 90 kHz; less than half of the shortest distance between fields.
    package static let tolerance: Int64 = 300

    /// Copies of packets from a part. The engine puts them in front of the title, so that demuxers know streams that
    /// the first part lacks. They are not presented.
    package struct Sample: Hashable, Sendable {
        /// Its bytes in the title.
        package let range: Range<Int64>
        /// The index of the part.
        package let stretch: Int

        package init(range: Range<Int64>, stretch: Int) {
            self.range = range
            self.stretch = stretch
        }
    }

    /// In the order of their positions. At least one.
    package let stretches: [Stretch]
    /// The samples whose parts exist.
    package let samples: [Sample]

    package init(_ stretches: [Stretch], samples: [Sample] = []) {
        precondition(!stretches.isEmpty, "a title has a part")
        self.stretches = stretches
        self.samples = samples.filter { stretches.indices.contains($0.stretch) }
    }

    /// The first byte of the first part.
    package var start: Int64 { stretches[0].position }

    /// The part from which a byte in front of the first part was copied. `nil` if it belongs to no sample.
    package func sampledStretch(at position: Int64) -> Stretch? {
        samples.first { $0.range.contains(position) }.map { stretches[$0.stretch] }
    }

    package var duration: Int64 { stretches[stretches.count - 1].end }

    /// The index of the part that contains the byte at `position` of the title.
    package func stretch(at position: Int64) -> Int {
        var low = 0
        var high = stretches.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if stretches[middle].position <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// The signed distance between two times on a clock of 33 bits, which wraps.
    package static func distance(from entry: Int64, to time: Int64) -> Int64 {
        let turn: Int64 = 1 << 33
        let rest = (time &- entry) & (turn - 1)
        return rest >= turn / 2 ? rest - turn : rest
    }
}
