// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON
internal import EngineModel

struct Draw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw subtitles as images, for a canvas of a given size.",
        discussion: """
            ASS and SSA are drawn as their authors intended, with the fonts of the file, and other text in a neutral \
            style. Bitmap subtitles are written unchanged. Prints a line for each picture: when it appears and \
            disappears, and the sizes of its images and their positions on the canvas. Images are PNGs with \
            premultiplied alpha.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var cues: CueArguments

    @Option(help: ArgumentHelp("The size of the canvas, for example 1280x720.", valueName: "size"))
    var size = SizeArgument(width: 1920, height: 1080)

    @Option(
        help: ArgumentHelp(
            "Pictures per second while subtitles move. Default: those of the session's video, or 25.",
            valueName: "rate"
        )
    )
    var fps: Double?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Save the images into this folder.", valueName: "folder"),
        completion: .directory
    )
    var output: String?

    @Flag(help: "Print each picture as a line of JSON, with its images.")
    var json = false

    func run() async throws {
        try await reporting {
            var request = DrawingRequest(try cues.request(), width: size.width, height: size.height)
            request.frameRate = fps
            let writer = PictureWriter(
                folder: try output.map(Self.folder),
                json: json,
                width: size.width,
                height: size.height
            )
            let wanted = request
            try await cues.withClient(engine) { client in
                var failure: Failure?
                do {
                    try await client.drawSubtitles(wanted) { batch throws(EngineClientError) in
                        do throws(Failure) {
                            try writer.write(batch)
                        } catch {
                            failure = error
                            throw EngineClientError(.cancelled, "the output failed")
                        }
                    }
                } catch {
                    throw failure ?? error
                }
            }
        }
    }

    private static func folder(_ argument: String) throws(Failure) -> FilePath {
        let folder = FileArgument(argument)
        try folder.makeFolder()
        return folder.path
    }
}

/// Prints pictures and saves their images.
private struct PictureWriter: Sendable {
    let folder: FilePath?
    let json: Bool
    let width: Int
    let height: Int

    func write(_ batch: DrawnBatch) throws(Failure) {
        if let fonts = batch.fonts { report(fonts) }
        for picture in batch.pictures {
            for (number, image) in picture.images.enumerated() {
                guard let folder else { break }
                let name = "\(picture.start.microseconds)-\(number).png"
                try FileArgument(path: folder.appending(name.utf8)).write(image.png)
            }
            try Terminal.write(json ? picture.json.text : line(picture))
        }
    }

    private func report(_ fonts: EmbeddedFonts) {
        if !fonts.failure.isEmpty {
            Terminal.writeError("the fonts of the source cannot be read: \(fonts.failure)")
        } else if fonts.leftOutCount > 0 {
            Terminal.writeError("\(fonts.leftOutCount) fonts of the source are left out: it has too many")
        }
    }

    /// For example `0:00:01.000 - 0:00:02.500  412x56+120+640`.
    private func line(_ picture: DrawnPicture) -> String {
        let end = picture.end.map { Words.time($0, withMilliseconds: true) } ?? ""
        let images = picture.images.map { image in
            let x = Int((image.corner.x * Double(width)).rounded())
            let y = Int((image.corner.y * Double(height)).rounded())
            return "\(image.width)x\(image.height)+\(x)+\(y)"
        }
        let what = images.isEmpty ? "nothing" : images.joined(separator: " ")
        return "\(Words.time(picture.start, withMilliseconds: true)) - \(end)  \(what)"
    }
}
