// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A sink of pictures that is attached, and what it has been given.
struct PictureOutlet {
    let sink: any PictureSink
    /// Of the last picture it was given.
    var lastNumber: UInt64 = 0
    /// The end of what it has taken in this generation.
    var taken: MediaTime?
    var isFinished = false
    /// What it was told.
    var isAwaited = false
    /// Ended when the sink is detached.
    var pump: Task<Void, Never>?
}
