// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Subtitles

/// Everything that is needed to restore a session, under the same URLs, after its process has ended.
package struct SessionRecord: Hashable, Sendable {
    /// The phase of a session that is not playing.
    package enum RestingPhase: String, Hashable, Sendable, CaseIterable {
        case ready, paused, ended
    }

    package var id: SessionID
    /// The unguessable part of the session's URLs.
    package var token: String
    package var request: LoadRequest
    /// The audio track that was selected last. `nil`: as the load requested.
    package var audio: AudioSelection?
    /// The path that a client selected. `nil`: none was selected.
    package var path: PlaybackPath?
    /// Subtitle files beside the source.
    package var sidecars: [SidecarRecord]
    package var position: MediaTime
    package var rate: Double
    package var volume = 1.0
    package var isMuted = false
    package var isLooping = false
    package var loopPoints: LoopPoints?
    package var delays = Delays()
    /// The filters, adjustments and overlays applied to frames before they are shown.
    package var treatment = PictureTreatment()
    /// Whether the session was playing, or would have been if media had been available.
    package var isPlaying: Bool
    /// The phase to restore when the session is not playing.
    package var rest = RestingPhase.ready
    package var revision: UInt64
    /// The first file of the recording that is running.
    package var recordingPath: String?
    /// The number of announced segments, and the TARGETDURATION they were announced with. Neither may be withdrawn.
    package var announcedSegments: Int
    package var sealedTargetDuration: Int?
    /// The version of the source when it was last open. `nil` if it was never open, or grew.
    package var sourceVersion: SourceVersion?
    /// The crashes that were attributed to the session.
    package var crashes = CrashHistory()

    package init(id: SessionID, token: String, request: LoadRequest) {
        self.id = id
        self.token = token
        self.request = request
        position = request.startPosition
        sidecars = request.sidecars.map { SidecarRecord(sidecar: $0) }
        rate = 1
        isPlaying = false
        revision = 1
        announcedSegments = 0
    }

    /// The revision that a restored session starts with. It is at least 2^19 above the recorded one, which may be old,
    /// and so above any revision that watchers can have seen.
    package var nextRevision: UInt64 { ((revision &+ 1 << 19) >> 20 &+ 1) << 20 }
}
