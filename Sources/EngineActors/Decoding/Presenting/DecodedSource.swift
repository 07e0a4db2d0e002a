// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// What a decoded source returns when asked for the next piece.
package enum Supply<Piece: Sendable>: Sendable {
    case next(Piece)
    /// Nothing follows in this pass.
    case ended
    /// Another pass has begun in the meantime.
    case superseded
}

/// Which kinds of media must be decoded.
package struct MediaWishes: Hashable, Sendable {
    package var pictures: Bool
    package var sound: Bool

    package init(pictures: Bool, sound: Bool) {
        self.pictures = pictures
        self.sound = sound
    }

    package var isEmpty: Bool { !pictures && !sound }
}

/// The decoded video and audio of a source, in passes: every seek begins a new one.
///
/// Reads and decodes a little ahead of requests, within its own limits. Damaged parts are left out or concealed, and
/// counted; an error that it throws ends playback.
package protocol DecodedSource: AnyObject, Sendable {
    /// Begins pass `pass`, a number greater than all before it. The first frame is the one shown at `position`,
    /// otherwise the first one after it, otherwise the last of all. The audio begins at or a little before `position`,
    /// and its first piece is marked as discontinuous. Media not in `wishes` are neither decoded nor kept.
    /// Requests that wait for a piece of an older pass return `superseded` at once.
    func begin(pass: UInt64, at position: MediaTime, _ wishes: MediaWishes) async throws(EngineError)
    func nextPicture(pass: UInt64) async throws(EngineError) -> Supply<TimedFrame>
    func nextSound(pass: UInt64) async throws(EngineError) -> Supply<TimedAudio>
    /// Puts frames that are returned as decoded into `memory` from now on, where it has room. `nil`: anywhere. Returns
    /// at once.
    func decode(into memory: (any PictureMemory)?)
    /// In this pass, callers no longer request media that are not in `wishes`: those are not decoded, and what is held
    /// of them is discarded. Returns at once.
    func narrow(to wishes: MediaWishes)
    /// Frames are late: those that no other frame refers to need not be decoded if they end before `position`. `nil`:
    /// every frame is wanted.
    func catchUp(to position: MediaTime?)
    /// Frees what it holds and wakes all waiting callers. Returns at once.
    func close()
}
