// SPDX-License-Identifier: Apache-2.0

/// Derives presentation times where the container has only decode times, as in AVI: one slot per frame, in the order of
/// the decoder's output. Pure.
enum ShownSlots {
    /// - Parameters:
    ///   - output: the decode times of the pictures, in the order of the decoder's output. Starts with the random
    ///     access point that decoding began at.
    ///   - sent: the decode times of all packets given to the decoder, ascending.
    /// - Returns: when each picture is shown.
    static func times(of output: [Int64], sent: [Int64]) -> [Int64] {
        guard let key = output.first else { return [] }
        let given = Set(output)
        // Pictures directly after the random access point that never come out of the decoder refer to pictures before
        // it. They would be shown before it, which delays it by as many pictures.
        let leading = sent.drop { $0 <= key }.prefix { !given.contains($0) }
        return [leading.last ?? key] + output.dropFirst().sorted()
    }

    /// Corrects times by the known ones. Each is shifted as much as the last known time at or before it; the times
    /// before the first known one are shifted as much as that one.
    ///
    /// - Parameter known: the presentation time from the container, where there is one.
    static func corrected(_ times: [Int64], by known: [Int64?]) -> [Int64] {
        let shifts = zip(times, known).map { time, known in known.map { $0 &- time } }
        var shift = shifts.lazy.compactMap { $0 }.first ?? 0
        return zip(times, shifts).map { time, own in
            shift = own ?? shift
            return time &+ shift
        }
    }
}
