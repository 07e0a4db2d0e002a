// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Parses the drawing commands `m n l b s p c`, each with its points. Rejects input that libass would ignore.
///
/// Pure; reads each byte once.
struct ASSPathReader {
    private typealias Point = ASSPath.Point

    private var path = ASSPath()
    private var command: UInt8 = 0
    private var points: [ASSPath.Point] = []
    /// The points of a B-spline that may still be extended. The first one is the last point before the spline.
    private var spline: [ASSPath.Point] = []
    private var last: ASSPath.Point?
    private let divisor: Double

    /// The largest coordinate, before scaling.
    private static let limit = 1e6
    private static let longestNumber = 32

    private init(divisor: Double) { self.divisor = divisor }

    /// - Parameter scale: the value of `\p`: one unit is `1 / 2^(scale - 1)` pixel.
    /// - Throws: `invalidArgument` for the field `ass`, naming the invalid syntax.
    static func read(_ text: ArraySlice<UInt8>, scale: Int) throws(EngineError) -> ASSPath {
        var reader = ASSPathReader(divisor: Double(1 << (scale - 1)))
        var rest = text
        var x: Double?
        while let byte = rest.first {
            switch byte {
            case 0x20, 0x09: rest.removeFirst()
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if x != nil { throw reader.problem("has an unpaired coordinate") }
                try reader.finish()
                reader.command = byte
                rest.removeFirst()
            default:
                let word = rest.prefix(while: isOfNumber)
                guard !word.isEmpty else { throw .invalid("ass", "has \(quoted(rest)), which no drawing may contain") }
                rest = rest.dropFirst(word.count)
                let number = try reader.number(word)
                guard let known = x else {
                    x = number
                    continue
                }
                reader.points.append(Point(x: known, y: number))
                x = nil
            }
        }
        if x != nil { throw reader.problem("has an unpaired coordinate") }
        try reader.finish()
        reader.endSpline()
        reader.path.close()
        return reader.path
    }

    static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
        let shown = bytes.prefix { $0 > 0x20 && $0 != UInt8(ascii: "}") }.prefix(32)
        return "\"" + String(decoding: shown, as: UTF8.self) + "\""
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
    }

    private func number(_ word: ArraySlice<UInt8>) throws(EngineError) -> Double {
        guard word.count <= Self.longestNumber, let value = Double(String(decoding: word, as: UTF8.self)),
            abs(value) <= Self.limit
        else { throw .invalid("ass", "has \(Self.quoted(word)) where a number is expected") }
        return value / divisor
    }

    private func problem(_ text: String) -> EngineError {
        let name = command == 0 ? "the beginning" : "command \(String(decoding: [command], as: UTF8.self))"
        return .invalid("ass", "\(text) at \(name)")
    }

    /// Executes the current command, once all its points have been read.
    private mutating func finish() throws(EngineError) {
        defer { points = [] }
        switch command {
        case 0: if !points.isEmpty { throw problem("has points without a command") }
        case UInt8(ascii: "m"): try move { $0.close() }
        case UInt8(ascii: "n"): try move { _ in }
        case UInt8(ascii: "l"):
            try begin(needs: 1)
            for point in points { path.line(to: point) }
        case UInt8(ascii: "b"):
            try begin(needs: 3)
            guard points.count.isMultiple(of: 3) else { throw problem("needs three points for each curve") }
            for index in stride(from: 0, to: points.count, by: 3) {
                path.curve(points[index], points[index + 1], points[index + 2])
            }
        case UInt8(ascii: "s"):
            let before = last
            try begin(needs: 3)
            spline = [before].compactMap(\.self) + points
        case UInt8(ascii: "p"):
            guard !spline.isEmpty else { throw problem("extends a spline that does not exist") }
            spline += points
        case UInt8(ascii: "c"):
            guard points.isEmpty else { throw problem("has points") }
            spline += spline.prefix(3)
            endSpline()
        default: throw problem("has unknown syntax")
        }
        last = points.last ?? last
    }

    private mutating func move(_ before: (inout ASSPath) -> Void) throws(EngineError) {
        guard let point = points.last else { throw problem("has no point") }
        endSpline()
        before(&path)
        path.set(point)
    }

    private mutating func begin(needs count: Int) throws(EngineError) {
        guard last != nil else { throw problem("does not begin with m") }
        guard points.count >= count else { throw problem("has fewer than \(count) points") }
        endSpline()
    }

    private mutating func endSpline() {
        path.spline(spline)
        spline = []
    }
}
