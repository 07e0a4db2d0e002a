// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides whether a video is decoded and re-encoded for the player. This step of routing is between remuxing and the
/// software path. Pure.
package enum VideoBridging {
    /// The codec to which video is encoded for a player; `nil` if the player supports none that has an encoder.
    ///
    /// - Parameter requested: the codec that the client asks for; `nil`: the profile's preference.
    /// - Throws: `unsupportedFeature` if the player does not support what the client asks for.
    package static func codec(
        for profile: PlayerProfile,
        requested: CodecID?
    ) throws(PackagingError) -> EncodedCodec? {
        let found = (requested.map { [$0] } ?? profile.videoBridges)
            .compactMap { EncodedCodec(rawValue: $0.rawValue) }
            .first { profile.formats.contains($0.entry.rawValue) }
        if found == nil, let requested {
            throw PackagingError(.unsupportedFeature, "\(profile.label) does not play \(requested.rawValue)")
        }
        return found
    }

    /// The reason why a video is re-encoded, for a player that supports an encoder's codec; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - route: how the video would be played without a bridge.
    ///   - burnsSubtitles: whether subtitles are drawn into the video.
    package static func reason(
        for route: Route,
        mode: VideoBridge,
        burnsSubtitles: Bool = false
    ) -> String? {
        switch (burnsSubtitles ? .always : mode, route) {
        case (.always, .remux) where burnsSubtitles: return "subtitles are drawn into the video"
        case (.whenNeeded, .software(let reason)), (.always, .software(let reason)): return reason
        case (.always, .remux): return "the video bridge is set to always"
        case (.never, _), (.whenNeeded, _), (.always, _): return nil
        }
    }
}
