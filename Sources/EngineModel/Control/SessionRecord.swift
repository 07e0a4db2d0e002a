// SPDX-License-Identifier: Apache-2.0

/// What is needed to have a session again, under the same URLs, after its process has ended.
package struct SessionRecord: Hashable, Sendable {
    /// How a session rests that does not play.
    package enum Rest: String, Hashable, Sendable, CaseIterable {
        case ready, paused, ended
    }

    package var id: SessionID
    /// The unguessable part of its URLs.
    package var token: String
    package var request: LoadRequest
    /// The audio track that was chosen last. `nil`: as the load said.
    package var audio: AudioSelection?
    /// The path that was chosen. `nil`: by the player's profile.
    package var path: PlaybackPath?
    /// Files of subtitles beside the source.
    package var sidecars: [SidecarRecord]
    package var position: MediaTime
    package var rate: Double
    package var volume = 1.0
    package var isMuted = false
    package var isLooping = false
    /// What is done to pictures before they are shown.
    package var treatment = PictureTreatment()
    /// Whether it was playing, or would have, had the media been there.
    package var isPlaying: Bool
    /// What it is called while it does not play.
    package var rest = Rest.ready
    package var revision: UInt64
    /// Segments that were announced, and the TARGETDURATION they were announced with: neither may be taken back.
    package var announcedSegments: Int
    package var sealedTargetDuration: Int?

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

    /// The revision a restored session starts with: above every one that its watchers can have seen, since a record may be
    /// a second old.
    package var nextRevision: UInt64 { (revision >> 20 &+ 1) << 20 }
}

/// A file of subtitles that a session has.
package struct SidecarRecord: Hashable, Sendable {
    package var sidecar: Sidecar
    /// The ids of its tracks. `nil` until it has been read once.
    package var tracks: Range<Int>?

    package init(sidecar: Sidecar, tracks: Range<Int>? = nil) {
        self.sidecar = sidecar
        self.tracks = tracks
    }
}
