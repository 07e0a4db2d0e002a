// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A subtitle file of a session.
package struct SidecarRecord: Hashable, Sendable {
    package var sidecar: Sidecar
    /// The ids of its tracks. `nil` until the file has been read once.
    package var tracks: Range<Int>?
    /// The source's folder, if the engine found the file there; `nil` if a client named the file. A path, or the URL of
    /// a folder on a server, without credentials.
    package var foundBeneath: String?

    package init(sidecar: Sidecar, tracks: Range<Int>? = nil, foundBeneath: String? = nil) {
        self.sidecar = sidecar
        self.tracks = tracks
        self.foundBeneath = foundBeneath
    }
}
