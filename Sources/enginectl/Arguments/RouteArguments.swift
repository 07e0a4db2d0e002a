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
            "Which video to re-encode to H.264: never, when-needed or always. serve: when-needed; other verbs: never.",
            valueName: "which"
        ),
        completion: .list(VideoBridge.allCases.map(\.rawValue))
    )
    var videoBridge: String?

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
    }

    var options: LoadOptions {
        var options = LoadOptions()
        if let known = PlayerProfile.builtIn.first(where: { $0.name == profile }) { options.profile = known }
        if let mode = bridge.flatMap(BridgeMode.init(rawValue:)) { options.bridgeMode = mode }
        if let which = videoBridge.flatMap(VideoBridge.init(rawValue:)) { options.videoBridge = which }
        options.hasDolbyVision = !noDolbyVision
        options.program = programs.selection
        return options
    }
}
