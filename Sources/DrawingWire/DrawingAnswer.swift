// SPDX-License-Identifier: Apache-2.0

package import Packaging

/// The answer to a `DrawingOrder`.
package enum DrawingAnswer: Hashable, Sendable {
    case done
    /// The picture is the same as that of the last `draw`.
    case unchanged
    /// The parts of the picture, without overlap. Their pixels follow each other from the start of the memory: RGBA,
    /// premultiplied by alpha, rows without padding.
    case drawn([PixelBox])
    /// The picture needs more layers or more memory than the process allows.
    case exceedsLimits
}

extension DrawingAnswer {
    private enum Kind: Int64 {
        case done = 1, unchanged = 2, drawn = 3, exceedsLimits = 4
    }

    /// The longest message, in bytes.
    package static let longest = 4096

    package var bytes: [UInt8] {
        switch self {
        case .done: NumberList([Kind.done.rawValue]).bytes
        case .unchanged: NumberList([Kind.unchanged.rawValue]).bytes
        case .exceedsLimits: NumberList([Kind.exceedsLimits.rawValue]).bytes
        case .drawn(let boxes):
            NumberList([Kind.drawn.rawValue] + boxes.flatMap { [$0.x, $0.y, $0.width, $0.height].map(Int64.init) })
                .bytes
        }
    }

    /// - Parameter canvas: contains all valid boxes. Their total area must not exceed that of the canvas.
    package init(_ bytes: [UInt8], canvas: PixelBox) throws(DrawingViolation) {
        let numbers = try NumberList(bytes).numbers
        switch (numbers.first.flatMap(Kind.init), numbers.count) {
        case (.done, 1): self = .done
        case (.unchanged, 1): self = .unchanged
        case (.exceedsLimits, 1): self = .exceedsLimits
        case (.drawn, 1...) where numbers.count % 4 == 1:
            var boxes: [PixelBox] = []
            var area = 0
            for place in stride(from: 1, to: numbers.count, by: 4) {
                let sides = numbers[place..<(place + 4)].map(Int.init)
                guard sides.allSatisfy({ (0...max(canvas.width, canvas.height)).contains($0) }) else {
                    throw DrawingViolation()
                }
                let box = PixelBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
                area += box.width * box.height
                guard box.width > 0, box.height > 0, canvas.holds(box), area <= canvas.width * canvas.height else {
                    throw DrawingViolation()
                }
                boxes.append(box)
            }
            self = .drawn(boxes)
        default: throw DrawingViolation()
        }
    }
}

/// A message as a list of 64-bit integers, in little-endian order.
struct NumberList {
    let numbers: [Int64]

    init(_ numbers: [Int64]) { self.numbers = numbers }

    init(_ bytes: [UInt8]) throws(DrawingViolation) {
        guard bytes.count.isMultiple(of: 8) else { throw DrawingViolation() }
        numbers = stride(from: 0, to: bytes.count, by: 8).map { place in
            Int64(bitPattern: bytes[place..<(place + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    var bytes: [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
}
