// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Parses the time expressions of a TTML document (TTML2 §12.3.1).
struct TTMLClock {
    /// The rates that convert frames and ticks to seconds.
    private var frameRate = 30.0
    private var subFrameRate = 1.0
    private var tickRate = 1.0

    /// - Parameter attributes: of the `tt` element (TTML2 §7.2).
    init(_ attributes: [String: String]) {
        func number(_ name: String) -> Double? {
            attributes[name].flatMap { Double($0) }.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        }
        let stated = number("frameRate")
        frameRate = (stated ?? 30) * Self.ratio(attributes["frameRateMultiplier"])
        subFrameRate = number("subFrameRate") ?? 1
        tickRate = number("tickRate") ?? (stated == nil ? 1 : frameRate * subFrameRate)
    }

    /// `1000 1001`, or with a colon as in the drafts of TTML1. 1 if it is not valid.
    private static func ratio(_ text: String?) -> Double {
        let numbers = (text ?? "").split { $0 == " " || $0 == ":" }.compactMap { Double($0) }
        guard let first = numbers.first, let last = numbers.last, numbers.count <= 2, first > 0, last > 0 else {
            return 1
        }
        let ratio = numbers.count == 2 ? first / last : first
        return ratio.isFinite ? ratio : 1
    }

    /// A clock time (`hh:mm:ss.fraction`, `hh:mm:ss:frames.subframes`) or an offset (`12.5s`). `nil` if it is neither.
    func time(_ text: String?) -> MediaTime? {
        guard let text else { return nil }
        let word = text.filter { !$0.isWhitespace }
        let seconds = word.contains(":") ? clockTime(word) : offset(word)
        // Times of more than a century are invalid.
        guard let seconds, seconds.isFinite, seconds >= 0, seconds < 4e9 else { return nil }
        return .seconds(seconds)
    }

    private func clockTime(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4 else { return nil }
        let isFractionOfSeconds = parts.count == 3
        guard let hours = Self.whole(parts[0]), let minutes = Self.whole(parts[1]),
            let seconds = isFractionOfSeconds ? Self.decimal(parts[2]) : Self.whole(parts[2])
        else { return nil }
        let whole = hours * 3600 + minutes * 60 + seconds
        guard parts.count == 4 else { return whole }
        let frames = parts[3].split(separator: ".", omittingEmptySubsequences: false)
        guard frames.count <= 2, let number = Self.whole(frames[0]) else { return nil }
        guard frames.count == 2 else { return whole + number / frameRate }
        guard let subFrames = Self.whole(frames[1]) else { return nil }
        return whole + (number + subFrames / subFrameRate) / frameRate
    }

    private func offset(_ text: String) -> Double? {
        let metrics: [(name: String, seconds: Double)] = [
            ("ms", 0.001), ("h", 3600), ("m", 60), ("s", 1), ("f", 1 / frameRate), ("t", 1 / tickRate),
        ]
        guard let metric = metrics.first(where: { text.hasSuffix($0.name) }),
            let count = Self.decimal(text.dropLast(metric.name.count))
        else { return nil }
        return count * metric.seconds
    }

    private static func whole(_ text: Substring) -> Double? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
    }

    private static func decimal(_ text: Substring) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ whole($0) != nil }) else { return nil }
        return Double(text)
    }
}
