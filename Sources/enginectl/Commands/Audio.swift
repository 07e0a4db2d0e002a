// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON

struct Audio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Select the default audio track.",
        discussion: "For example: audio 2, audio de,en, audio Japanese, audio auto"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp(AudioArgument.form, valueName: "track"))
    var track: AudioArgument

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let before = try await client.state(of: session.id)
            try TracksText(state: before).require(track.selection)
            let state = try await client.selectAudio(session.id, track.selection).state
            try TracksText(state: state).write(asJSON: output.json)
        }
    }
}
