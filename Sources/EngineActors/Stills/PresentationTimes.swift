// SPDX-License-Identifier: Apache-2.0

/// Derives presentation times where the container has only decode times, as in AVI: each frame gets one of the decode
/// times, in the order of the decoder's output. Pure.
enum PresentationTimes {
    /// - Parameters:
    ///   - output: the decode times of the frames, in the order of the decoder's output, starting with the random
    ///     access point at which decoding began.
    ///   - sent: the decode times of all packets sent to the decoder, ascending.
    /// - Returns: when each frame is shown.
    static func times(of output: [Int64], sent: [Int64]) -> [Int64] {
        guard let key = output.first else { return [] }
        let given = Set(output)
        // Frames directly after the random access point that never leave the decoder refer to frames before it.
        // They would be shown before it, which delays it by as many frames.
        let leading = sent.drop { $0 <= key }.prefix { !given.contains($0) }
        return [leading.last ?? key] + output.dropFirst().sorted()
    }

    /// Corrects derived times with the known ones. Each time is shifted as much as the last known time at or before it;
    /// times before the first known time are shifted as much as that one.
    ///
    /// - Parameter known: the presentation times that the container gives, `nil` where it gives none.
    static func corrected(_ times: [Int64], by known: [Int64?]) -> [Int64] {
        let shifts = zip(times, known).map { time, known in known.map { $0 &- time } }
        var shift = shifts.lazy.compactMap { $0 }.first ?? 0
        return zip(times, shifts).map { time, own in
            shift = own ?? shift
            return time &+ shift
        }
    }
}
