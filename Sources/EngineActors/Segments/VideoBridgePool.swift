// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading

/// The video bridges of the process: one per core, at most eight, so that sessions do not slow each other down more
/// than the machine requires. Segments that a player waits for come first, in the order in which players began to wait,
/// so that no session starves another.
enum VideoBridgePool {
    /// Each decodes on two threads. The encoder's threads are those of `EncoderLibrary`.
    static let shared = make(count: VideoBridge.limit)

    /// A bridge, and with it a thread, is started only when all others are busy.
    ///
    /// - Parameter count: the largest number of segments that are encoded at the same time.
    static func make(count: Int) -> Turns<VideoBridge> { Turns(count: count) { VideoBridge(name: "video-\($0)") } }
}
