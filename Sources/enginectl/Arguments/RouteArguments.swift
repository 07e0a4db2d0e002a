// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The options that determine the route of every stream.
struct RouteArguments: ParsableArguments {
    private static let names = PlayerProfile.builtIn.map(\.name)

    @Option(
        help: ArgumentHelp("The player that plays the result: \(names.joined(separator: ", ")).", valueName: "name"),
        completion: .list(names)
    )
    var profile: String?

    @Option(
        help: ArgumentHelp("How to re-encode unsupported audio: surround or lossless.", valueName: "mode"),
        completion: .list(BridgeMode.allCases.map(\.rawValue))
    )
    var bridge: String?

    @Option(
        help: ArgumentHelp(
            "Which video to re-encode: never, when-needed or always. serve: when-needed; other verbs: never.",
            valueName: "which"
        ),
        completion: .list(VideoBridge.allCases.map(\.rawValue))
    )
    var videoBridge: String?

    @Option(
        help: ArgumentHelp(
            "The codec to re-encode video to: h264, vp9 or av1. By default the one that the player prefers.",
            valueName: "codec"
        ),
        completion: .list(PlayerProfile.knownVideoBridges.map(\.rawValue))
    )
    var videoBridgeCodec: String?

    @Option(
        help: ArgumentHelp(
            "The largest size to re-encode video to, such as 720. By default what the engine encodes in real time.",
            valueName: "lines"
        )
    )
    var videoBridgeLines: Int?

    @Flag(help: "Re-encode video to H.264 on a device (VAAPI or NVENC), if there is one.")
    var videoBridgeHardware = false

    @Option(
        help: ArgumentHelp(
            "Smaller sizes of the video that players may switch to, encoded on request, such as 1080,720,480.",
            valueName: "lines"
        )
    )
    var ladder: String?

    @Option(
        help: ArgumentHelp(
            "Draw a subtitle track into the video: its number, counted from 0, its language, or auto.",
            valueName: "track"
        )
    )
    var burn: SubtitleTrackArgument?

    @OptionGroup var sound: SoundArguments
    @OptionGroup var programs: ProgramArguments

    @Flag(help: "Serve only the base layer of Dolby Vision video.")
    var noDolbyVision = false

    func validate() throws {
        do throws(EngineError) {
            if let profile { _ = try PlayerProfile.named(profile) }
        } catch {
            throw ValidationError(error.message)
        }
        if let bridge, BridgeMode(rawValue: bridge) == nil {
            throw ValidationError("--bridge must be surround or lossless.")
        }
        if let videoBridge, VideoBridge(rawValue: videoBridge) == nil {
            throw ValidationError("--video-bridge must be never, when-needed or always.")
        }
        if let videoBridgeCodec, Self.codec(named: videoBridgeCodec) == nil {
            throw ValidationError("--video-bridge-codec must be h264, vp9 or av1.")
        }
        let lines = LoadOptions.ladderLines
        if let videoBridgeLines, !lines.contains(videoBridgeLines) {
            throw ValidationError("--video-bridge-lines must be from \(lines.lowerBound) to \(lines.upperBound).")
        }
        if let ladder, Self.sizes(in: ladder) == nil {
            let limit = LoadOptions.ladderLimit
            throw ValidationError(
                "--ladder must be a list of at most \(limit) sizes from \(lines.lowerBound) to \(lines.upperBound), such as 1080,720,480."
            )
        }
    }

    var options: LoadOptions {
        var options = LoadOptions()
        if let known = PlayerProfile.builtIn.first(where: { $0.name == profile }) { options.profile = known }
        if let mode = bridge.flatMap(BridgeMode.init(rawValue:)) { options.bridgeMode = mode }
        if let which = videoBridge.flatMap(VideoBridge.init(rawValue:)) { options.videoBridge = which }
        options.videoBridgeCodec = videoBridgeCodec.flatMap(Self.codec)
        options.videoBridgeLines = videoBridgeLines
        options.usesHardwareEncoder = videoBridgeHardware
        if let sizes = ladder.flatMap(Self.sizes) { options.ladder = sizes }
        options.burnedSubtitles = burn.map { $0.choice == .language("auto") ? .automatic : $0.choice }
        options.sound = sound.treatment
        options.hasDolbyVision = !noDolbyVision
        options.program = programs.selection
        return options
    }

    private static func codec(named name: String) -> CodecID? {
        PlayerProfile.knownVideoBridges.first { $0.rawValue == name }
    }

    /// The sizes that a list such as `1080,720` names. `nil` if it is not such a list.
    private static func sizes(in list: String) -> [Int]? {
        // `Int` would also take a sign.
        let sizes = list.split(separator: ",", omittingEmptySubsequences: false).map { size in
            size.allSatisfy { $0.isASCII && $0.isNumber } ? Int(size) : nil
        }
        let usable = sizes.compactMap(\.self).filter(LoadOptions.ladderLines.contains)
        guard usable.count == sizes.count, sizes.count <= LoadOptions.ladderLimit else { return nil }
        return Set(usable).sorted(by: >)
    }
}
