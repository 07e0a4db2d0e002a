// SPDX-License-Identifier: Apache-2.0

/// How long a source takes to answer reads of different lengths: a latency for each read, and a time for each byte.
/// Pure.
///
/// Fits a line through the times of the latest reads by least squares. The weight of a read falls by a tenth with each
/// later read.
struct ReadTimes: Hashable, Sendable {
    private static let decay = 0.9
    /// In an efficient read, the transfer of the bytes takes this many times the latency.
    private static let efficiency = 4.0
    /// The limit of the transfer time of an efficient read, in seconds: a reader that needs other bytes waits for its
    /// end.
    private static let longestTransfer = 0.25
    /// More bytes than any read has.
    private static let mostBytes = 1e15

    private var weight = 0.0
    private var (bytes, seconds, squares, products) = (0.0, 0.0, 0.0, 0.0)

    /// - Parameter nanoseconds: how long the source was busy with the read.
    mutating func add(byteCount: Int, nanoseconds: Int64) {
        let (count, time) = (Double(byteCount), Double(max(0, nanoseconds)) / 1e9)
        weight = weight * Self.decay + 1
        bytes = bytes * Self.decay + count
        seconds = seconds * Self.decay + time
        squares = squares * Self.decay + count * count
        products = products * Self.decay + count * time
    }

    /// The length of the shortest read that uses most of the bandwidth. 0 while the reads do not show that longer ones
    /// would be faster.
    var efficientByteCount: Int64 {
        let spread = weight * squares - bytes * bytes
        guard spread > 0.001 * bytes * bytes else { return 0 }
        let perByte = (weight * products - bytes * seconds) / spread
        let latency = (seconds - perByte * bytes) / weight
        guard latency > 0 else { return 0 }
        guard perByte > 0 else { return Int64(Self.mostBytes) }
        return Int64(min(min(Self.efficiency * latency, Self.longestTransfer) / perByte, Self.mostBytes))
    }
}
