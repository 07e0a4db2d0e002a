// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading

/// The bridges of a producer. Each bridges one track of one segment at a time, and the first free bridge takes the next
/// job. A bridge whose core is busy with other programs delays only its own segment.
enum BridgePool {
    /// One more than the cores of the smallest supported machine, so that bridges also get a share of a core that
    /// another program uses.
    static let count = 3

    /// A bridge, and with it a thread, is started only when all others are busy. It keeps memory only for a segment that waits for
    /// it.
    static func make() -> Turns<AudioBridge> {
        Turns(count: count) { number in
            AudioBridge(name: "bridge-\(number)")
        } whenFree: { bridge in
            // The task ends once the bridge has freed it, at the latest after the segment that it has begun since.
            Task { await bridge.freeMemory() }
        }
    }
}
