// SPDX-License-Identifier: Apache-2.0

/// Tells when pictures are shown of which only is known when they are decoded, as in AVI: one a frame, in the order in which
/// a decoder gives them. Pure.
enum ShownSlots {
    /// - Parameters:
    ///   - output: the decode times of the pictures, in the order they came out of the decoder; first that of the random
    ///     access point at which it began.
    ///   - sent: the decode times of all packets it was given, ascending.
    /// - Returns: when each is shown.
    static func times(of output: [Int64], sent: [Int64]) -> [Int64] {
        guard let key = output.first else { return [] }
        let given = Set(output)
        // Those that directly follow the random access point and never come out refer to what was before it: they are shown
        // before it, which is so much later.
        let leading = sent.drop { $0 <= key }.prefix { !given.contains($0) }
        return [leading.last ?? key] + output.dropFirst().sorted()
    }

    /// Puts times right by those that are known for sure: each by the last known one before it, the first by what follows.
    ///
    /// - Parameter known: when the container says that a picture is shown, where it says so.
    static func corrected(_ times: [Int64], by known: [Int64?]) -> [Int64] {
        let shifts = zip(times, known).map { time, known in known.map { $0 &- time } }
        var shift = shifts.lazy.compactMap { $0 }.first ?? 0
        return zip(times, shifts).map { time, own in
            shift = own ?? shift
            return time &+ shift
        }
    }
}
