// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// The result of a request for the next piece.
package enum Supply<Piece: Sendable>: Sendable {
    case next(Piece)
    /// No more pieces follow in this pass.
    case ended
    /// Another pass has begun in the meantime.
    case superseded
}

/// The kinds of media that must be decoded.
package struct RequiredMedia: Hashable, Sendable {
    package var video: Bool
    package var audio: Bool

    package init(video: Bool, audio: Bool) {
        self.video = video
        self.audio = audio
    }

    package var isEmpty: Bool { !video && !audio }
}

/// The decoded video and audio of a source, in passes: every seek begins a new pass.
///
/// Reads and decodes a little ahead of requests, within its own limits. Damaged parts are skipped or concealed, and
/// counted. An error that it throws ends playback.
package protocol DecodedSource: AnyObject, Sendable {
    /// Begins pass `pass`, whose number is greater than that of every earlier pass. The first frame is the one shown at
    /// `position`; if there is none, the next one; after the end, the last frame of all. The audio begins close to
    /// `position`, and its first piece is marked as discontinuous. Media that are not in `required` are neither decoded
    /// nor kept. Requests that wait for a piece of an older pass return `superseded` at once.
    func begin(pass: UInt64, at position: MediaTime, _ required: RequiredMedia) async throws(EngineError)
    func nextFrame(pass: UInt64) async throws(EngineError) -> Supply<TimedFrame>
    func nextAudio(pass: UInt64) async throws(EngineError) -> Supply<TimedAudio>
    /// From now on the decoder writes frames to `memory`, as long as `memory` has room and frames are returned as
    /// decoded. `nil`: to its own memory. Returns at once.
    func decode(into memory: (any DecoderMemory)?)
    /// For the rest of this pass, callers do not request media that are not in `required`: these are no longer decoded,
    /// and pieces held are discarded. Returns at once.
    func narrow(to required: RequiredMedia)
    /// Lets the decoder skip frames to catch up with `position`, because frames are late: first those that no other
    /// frame refers to. `nil`: every frame is wanted.
    func catchUp(to position: MediaTime?)
    /// Frees everything the source holds and wakes all waiting callers. Returns at once.
    func close()
}
