// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Closed outlines in the form that SVG uses.
struct ASSPath: Equatable {
    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    enum Step: Equatable {
        case move(Point)
        case line(Point)
        case curve(Point, Point, Point)
        case close
    }

    private(set) var steps: [Step] = []
    /// The position of the pen: the start of the next outline.
    private var pen: Point?
    private var isOpen = false

    /// Moves the pen without drawing. An outline that is already open continues from its last point, as in libass.
    mutating func set(_ point: Point) { pen = point }

    mutating func line(to point: Point) {
        begin(at: pen ?? point)
        steps.append(.line(point))
        pen = point
    }

    mutating func curve(_ first: Point, _ second: Point, _ end: Point) {
        begin(at: pen ?? first)
        steps.append(.curve(first, second, end))
        pen = end
    }

    /// Adds one Bézier segment for every four consecutive points of a uniform cubic B-spline.
    mutating func spline(_ points: [Point]) {
        guard points.count >= 4 else { return }
        for index in 0..<points.count - 3 {
            let (p0, p1, p2, p3) = (points[index], points[index + 1], points[index + 2], points[index + 3])
            begin(at: Self.knot(p0, p1, p2))
            steps.append(.curve(Self.third(p1, p2), Self.third(p2, p1), Self.knot(p1, p2, p3)))
        }
        pen = points.last
    }

    mutating func close() {
        if isOpen { steps.append(.close) }
        isOpen = false
    }

    private mutating func begin(at point: Point) {
        if !isOpen { steps.append(.move(point)) }
        isOpen = true
    }

    private static func knot(_ before: Point, _ point: Point, _ after: Point) -> Point {
        Point(x: (before.x + 4 * point.x + after.x) / 6, y: (before.y + 4 * point.y + after.y) / 6)
    }

    private static func third(_ from: Point, _ to: Point) -> Point {
        Point(x: (2 * from.x + to.x) / 3, y: (2 * from.y + to.y) / 3)
    }

    /// The bounding box of all points: left, top, right, bottom.
    var bounds: (Double, Double, Double, Double)? {
        let points = steps.flatMap { step -> [Point] in
            switch step {
            case .move(let point), .line(let point): [point]
            case .curve(let first, let second, let end): [first, second, end]
            case .close: []
            }
        }
        guard let first = points.first else { return nil }
        return points.reduce(into: (first.x, first.y, first.x, first.y)) { box, point in
            box = (min(box.0, point.x), min(box.1, point.y), max(box.2, point.x), max(box.3, point.y))
        }
    }

    /// As the value of SVG's `d` attribute.
    var data: String {
        func text(_ point: Point) -> String { FilterOptionKind.plain(point.x) + " " + FilterOptionKind.plain(point.y) }
        return steps.map { step in
            switch step {
            case .move(let point): "M" + text(point)
            case .line(let point): "L" + text(point)
            case .curve(let first, let second, let end): "C\(text(first)) \(text(second)) \(text(end))"
            case .close: "Z"
            }
        }.joined()
    }
}
