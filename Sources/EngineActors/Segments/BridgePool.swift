// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading

/// The bridges of a producer. Each bridges one track of one segment at a time, and the first free bridge takes the next
/// job. A bridge whose core is busy with other programs delays only its own segment.
enum BridgePool {
    /// One more than the cores of the smallest supported machine, so that bridges also get a share of a core that other
    /// programs use.
    static let count = 3

    /// A bridge, and with it a thread, is started only when all others are busy. It keeps its memory only while a
    /// segment waits for a bridge.
    static func make() -> Turns<AudioBridge> {
        Turns(count: count) { number in
            AudioBridge(name: "bridge-\(number)")
        } whenFree: { bridge in
            // The task ends once the bridge has freed its memory: at the latest after the segment that it has begun
            // meanwhile.
            Task { await bridge.freeMemory() }
        }
    }
}
