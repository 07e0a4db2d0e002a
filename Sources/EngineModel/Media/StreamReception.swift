// SPDX-License-Identifier: Apache-2.0

/// What became of a stream that is received as it happens, over one connection after another.
package struct StreamReception: Hashable, Sendable {
    /// Where the bytes of one connection are followed by those of the next.
    package struct Joint: Hashable, Sendable {
        /// The first byte of the later connection.
        package let position: Int64
        /// Whether no byte is missing there, because the later connection repeated some.
        package let isSeamless: Bool

        package init(position: Int64, isSeamless: Bool) {
            self.position = position
            self.isSeamless = isSeamless
        }
    }

    /// In order.
    package var joints: [Joint] = []
    /// Bytes that came once more after a connection was lost, and were dropped.
    package var repeatedByteCount: Int64 = 0
    /// Packets whose counters do not continue those of the packet before.
    package var continuityErrors: UInt64 = 0
    /// Packets that were marked as damaged before they were sent, and places without packets.
    package var transportErrors: UInt64 = 0
    /// Whether a connection repeated what came first, which only a stream that has ended does.
    package var hasBegunAnew = false

    package init() {}

    /// The places before which bytes are missing.
    package var breaks: [Int64] { joints.filter { !$0.isSeamless }.map(\.position) }
}
