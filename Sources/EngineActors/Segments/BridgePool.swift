// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading

/// The bridges of a producer. Each bridges one track of one segment at a time, and the first free bridge takes the next
/// job. A bridge whose core is busy with other programs delays only its own segment.
enum BridgePool {
    /// One more than the cores of the smallest supported machine, so that bridges also get a share of a core that
    /// another program uses.
    static let count = 3

    /// A bridge, and with it a thread, is started only when all others are busy.
    static func make() -> Turns<AudioBridge> { Turns(count: count) { AudioBridge(name: "bridge-\($0)") } }
}
