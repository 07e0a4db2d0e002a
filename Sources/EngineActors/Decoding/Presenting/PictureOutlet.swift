// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// An attached video sink, and what it has been given.
struct PictureOutlet {
    let sink: any PictureSink
    /// Number of the last frame it was given.
    var lastNumber: UInt64 = 0
    /// The end of what it has taken in this generation.
    var taken: MediaTime?
    var isFinished = false
    /// The value last passed to the sink's `setAwaited`.
    var isAwaited = false
    /// Cancelled when the sink is detached.
    var pump: Task<Void, Never>?
}
