// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct SkipChapter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chapter",
        abstract: "Skip to another chapter.",
        discussion: "For example: chapter next, chapter 3"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: ArgumentHelp(
            "A number, counted from 1, next or previous; previous restarts a chapter that has played for more than 3 seconds.",
            valueName: "chapter"
        ),
        completion: .list(["next", "previous"])
    )
    var chapter: ChapterArgument

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let chapters = try await client.state(of: session.id).media?.chapters ?? []
            guard !chapters.isEmpty else { throw Failure(.failed, "the source has no chapters") }
            switch chapter {
            case .step(let step):
                try output.print(await client.skipChapter(session.id, step), clamped: \.clampedPosition)
            case .number(let number):
                guard chapters.indices.contains(number - 1) else {
                    let known = (1...chapters.count).map(String.init)
                    throw Failure(.failed, Words.missing("chapter", "\(number)", among: known))
                }
                try output.print(
                    await client.seek(session.id, .position(chapters[number - 1].start)),
                    clamped: \.clampedPosition
                )
            }
        }
    }
}
