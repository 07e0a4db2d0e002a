// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides whether a video is decoded and encoded for the player: the rung between copying and the software path. Pure.
package enum VideoBridging {
    /// Why a video is encoded; `nil` if it is not.
    ///
    /// - Parameter route: of the video without a bridge.
    package static func reason(for route: Route, mode: VideoBridge, profile: PlayerProfile) -> String? {
        guard profile.formats.contains(VideoEntry.avc1.rawValue) else { return nil }
        switch (mode, route) {
        case (.whenNeeded, .software(let reason)), (.always, .software(let reason)): return reason
        case (.always, .remux): return "all video is to be encoded"
        case (.never, _), (.whenNeeded, _), (.always, _): return nil
        }
    }
}
