// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A message from the engine to `engined-subtitles`, which draws text subtitles. The program answers each message with
/// a `DrawingAnswer`, for which the engine waits before it sends the next message. Texts, fonts and pixels lie in
/// memory that both processes share.
package enum DrawingOrder: Hashable, Sendable {
    /// The first message. It carries the descriptor of the memory. The header and the fonts follow each other from the
    /// start of the memory.
    case setUp(DrawingSetup)
    /// Adds events, whose texts follow each other from the start of the memory. The program may release events that end
    /// before `now`, in milliseconds.
    case add([DrawingEvent], now: Int64)
    /// Lays out the lines of one moment, in milliseconds, as `draw` does, but returns no picture. Lines keep these
    /// positions in later pictures.
    case layOut(at: Int64)
    /// Draws the picture of one moment, in milliseconds.
    case draw(at: Int64)
}

package struct DrawingSetup: Hashable, Sendable {
    /// The canvas, in pixels.
    package var width: Int
    package var height: Int
    /// The stored size of the video, in pixels; 0 if there is no video. Scripts that do not scale borders refer to it.
    package var storageWidth = 0
    package var storageHeight = 0
    /// The lengths of the script's header and of each font file, in bytes.
    package var headerByteCount = 0
    package var fontByteCounts: [Int] = []

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

/// An event of a script, whose text is in the shared memory: a line in Matroska's form, as in `ASSEvent`.
package struct DrawingEvent: Hashable, Sendable {
    /// In milliseconds.
    package let start: Int64
    package let duration: Int64
    package let byteCount: Int

    package init(start: Int64, duration: Int64, byteCount: Int) {
        (self.start, self.duration, self.byteCount) = (start, duration, byteCount)
    }
}

/// A message that breaks the protocol.
package struct DrawingViolation: Error { package init() {} }

extension DrawingOrder {
    private enum Kind: Int64 {
        case setUp = 1, add = 2, layOut = 3, draw = 4
    }

    /// The longest message, in bytes.
    package static let longest = 64 << 10
    /// The maximum number of events in one message.
    package static let mostEvents = 1000

    package var bytes: [UInt8] {
        switch self {
        case .setUp(let setup):
            let sizes = [setup.width, setup.height, setup.storageWidth, setup.storageHeight, setup.headerByteCount]
            return NumberList([Kind.setUp.rawValue] + (sizes + setup.fontByteCounts).map(Int64.init)).bytes
        case .add(let events, let now):
            let numbers = events.flatMap { [$0.start, $0.duration, Int64($0.byteCount)] }
            return NumberList([Kind.add.rawValue, now] + numbers).bytes
        case .layOut(let time): return NumberList([Kind.layOut.rawValue, time]).bytes
        case .draw(let time): return NumberList([Kind.draw.rawValue, time]).bytes
        }
    }

    /// - Parameter memoryByteCount: the length of the shared memory, in which texts and fonts must lie.
    package init(_ bytes: [UInt8], memoryByteCount: Int) throws(DrawingViolation) {
        let numbers = try NumberList(bytes).numbers
        switch (numbers.first.flatMap(Kind.init), numbers.count) {
        case (.setUp, 6...):
            let sizes = try numbers.dropFirst().map { number throws(DrawingViolation) in try Self.size(number) }
            var setup = DrawingSetup(width: sizes[0], height: sizes[1])
            guard DrawingRequest.sides.contains(setup.width), DrawingRequest.sides.contains(setup.height) else {
                throw DrawingViolation()
            }
            (setup.storageWidth, setup.storageHeight) = (sizes[2], sizes[3])
            (setup.headerByteCount, setup.fontByteCounts) = (sizes[4], Array(sizes[5...]))
            try Self.check(sizes[4...], memoryByteCount)
            self = .setUp(setup)
        case (.add, 2...) where numbers.count % 3 == 2:
            var events: [DrawingEvent] = []
            for place in stride(from: 2, to: numbers.count, by: 3) {
                let count = try Self.size(numbers[place + 2])
                events.append(DrawingEvent(start: numbers[place], duration: numbers[place + 1], byteCount: count))
            }
            try Self.check(events.map(\.byteCount)[...], memoryByteCount)
            self = .add(events, now: numbers[1])
        case (.layOut, 2): self = .layOut(at: numbers[1])
        case (.draw, 2): self = .draw(at: numbers[1])
        default: throw DrawingViolation()
        }
    }

    private static func size(_ number: Int64) throws(DrawingViolation) -> Int {
        guard (0...(1 << 31)).contains(number) else { throw DrawingViolation() }
        return Int(number)
    }

    private static func check(_ counts: ArraySlice<Int>, _ memoryByteCount: Int) throws(DrawingViolation) {
        var sum = 0
        for count in counts {
            sum += count
            guard sum <= memoryByteCount else { throw DrawingViolation() }
        }
    }
}
