// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides whether a video is decoded and re-encoded for the player. This step of routing is between remuxing and the
/// software path. Pure.
package enum VideoBridging {
    /// The reason why a video is re-encoded; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - route: how the video would be played without a bridge.
    ///   - burnsSubtitles: whether subtitles are drawn into the video.
    package static func reason(
        for route: Route,
        mode: VideoBridge,
        burnsSubtitles: Bool = false,
        profile: PlayerProfile
    ) -> String? {
        guard profile.formats.contains(VideoEntry.avc1.rawValue) else { return nil }
        switch (burnsSubtitles ? .always : mode, route) {
        case (.always, .remux) where burnsSubtitles: return "subtitles are drawn into the video"
        case (.whenNeeded, .software(let reason)), (.always, .software(let reason)): return reason
        case (.always, .remux): return "the video bridge is set to always"
        case (.never, _), (.whenNeeded, _), (.always, _): return nil
        }
    }
}
