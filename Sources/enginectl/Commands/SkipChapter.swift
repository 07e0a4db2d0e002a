// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct SkipChapter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chapter",
        abstract: "Skip to another chapter."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "next or previous; previous restarts a chapter that has played for more than 3 seconds.")
    var step: ChapterArgument

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try print(await client.skipChapter(session.id, step == .next ? .next : .previous))
        }
    }
}
