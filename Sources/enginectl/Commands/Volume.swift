// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Volume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set the volume of the renderer.",
        discussion: "For example: volume 0.8, volume 80%, volume +5, volume -5"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    // Unrecognized, because `-5` looks like an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("\(VolumeArgument.form).", valueName: "volume"))
    var volume: [String]

    func validate() throws {
        guard target != nil else { throw ValidationError("The volume must be \(VolumeArgument.form).") }
    }

    private var target: VolumeArgument? { MisreadArguments.single(volume).flatMap { VolumeArgument(argument: $0) } }

    func run() async throws {
        try await reporting {
            guard let target else { return }
            let client = try await EngineAccess.connect(engine)
            let volume =
                switch target {
                case .absolute(let volume): volume
                case .relative(let change): try await client.state(of: session.id).volume + change
                }
            try output.print(await client.setVolume(session.id, volume)) {
                Words.clamped("volume", $0.volume, to: 0...1)
            }
        }
    }
}
