// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// What a decoded source has to give when it is asked for the next piece.
package enum Supply<Piece: Sendable>: Sendable {
    case next(Piece)
    /// Nothing follows in this pass.
    case ended
    /// Another pass began meanwhile.
    case superseded
}

/// Which kinds of media are decoded.
package struct MediaWishes: Hashable, Sendable {
    package var pictures: Bool
    package var sound: Bool

    package init(pictures: Bool, sound: Bool) {
        self.pictures = pictures
        self.sound = sound
    }

    package var isEmpty: Bool { !pictures && !sound }
}

/// The decoded pictures and the decoded sound of a source, in passes: every seek begins another.
///
/// It reads and decodes a little ahead of whoever asks, within bounds of its own. Damaged parts are left out or concealed, and
/// counted; what it throws ends the playback.
package protocol DecodedSource: AnyObject, Sendable {
    /// Begins pass `pass`, a number above all before it. The first picture is the one that is shown at `position`, or else the
    /// first behind it, or else the last of all; the sound begins at or a little before `position`, and its first piece is
    /// marked as discontinuous. What is not in `wishes` is neither decoded nor kept.
    /// Whoever waits for a piece of an older pass hears at once that it is superseded.
    func begin(pass: UInt64, at position: MediaTime, _ wishes: MediaWishes) async throws(EngineError)
    func nextPicture(pass: UInt64) async throws(EngineError) -> Supply<TimedPicture>
    func nextSound(pass: UInt64) async throws(EngineError) -> Supply<TimedSound>
    /// Pictures that are given as they are decoded are put into `memory` from now on, where it has room. `nil`: anywhere. Returns
    /// at once.
    func decode(into memory: (any PictureMemory)?)
    /// In this pass nothing that is not in `wishes` is asked for any more: it is not decoded, and what is held of it is
    /// thrown away. Returns at once.
    func narrow(to wishes: MediaWishes)
    /// Pictures come too late: those that nothing refers to need not be decoded when they end before `position`. `nil`: every
    /// picture is wanted.
    func catchUp(to position: MediaTime?)
    /// Gives back what it holds and wakes whoever waits. Returns at once.
    func close()
}
