// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import Foundation

/// The source of a still: a file, or a session by its ID.
struct StillTarget {
    /// Text that neither looks like a path nor names an existing file is a session ID.
    static func source(_ text: String) -> StillSource {
        let isPath = text.contains("/") || text.contains(".") || FileManager.default.fileExists(atPath: text)
        return isPath ? .file(absoluteSource(text)) : .session(SessionID(rawValue: text))
    }
}

/// The output file of a still, and its style.
struct StillArguments: ParsableArguments {
    static let places = "A file, or the id of a session."

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where the picture goes: .jpg, .png or .webp; - for stdout.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(help: ArgumentHelp("jpeg, png or webp; without it as the name of the output says.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("At most so wide; it is never made larger.", valueName: "pixels"))
    var maxWidth: Int?

    @Option(help: ArgumentHelp("At most so high.", valueName: "pixels"))
    var maxHeight: Int?

    @Option(help: ArgumentHelp("1 to 100, for JPEG and WebP.", valueName: "number"))
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "standard, as an ordinary display shows it; or keep: PQ or HLG as it is, in 16 bits, PNG only.",
            valueName: "range"
        )
    )
    var hdr = StillRange.standard.rawValue

    func validate() throws {
        guard chosenFormat != nil else {
            throw ValidationError("A picture is .jpg, .png or .webp; --format says which.")
        }
        for side in [maxWidth, maxHeight] {
            if let side, !(1...StillStyle.largestSide).contains(side) {
                throw ValidationError("A side has 1 to \(StillStyle.largestSide) pixels.")
            }
        }
        guard let range = StillRange(rawValue: hdr) else { throw ValidationError("--hdr is standard or keep.") }
        if range == .keep, chosenFormat != .png { throw ValidationError("Light is kept in a .png only.") }
        if let quality, !(1...100).contains(quality) { throw ValidationError("--quality is from 1 to 100.") }
    }

    private var chosenFormat: StillFormat? {
        if let format { return StillFormat(rawValue: format) }
        switch output.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": return .jpeg
        case "png": return .png
        case "webp": return .webp
        default: return output == "-" ? .jpeg : nil
        }
    }

    var style: StillStyle {
        var style = StillStyle()
        style.format = chosenFormat ?? .jpeg
        style.maximumWidth = maxWidth
        style.maximumHeight = maxHeight
        if let quality { style.quality = quality }
        if let range = StillRange(rawValue: hdr) { style.range = range }
        return style
    }

    /// Writes the picture to the output file or to stdout.
    func write(_ still: Still) throws {
        guard output != "-" else {
            FileHandle.standardOutput.write(Data(still.bytes))
            return
        }
        do {
            try Data(still.bytes).write(to: URL(fileURLWithPath: output))
        } catch {
            throw Failure(.failed, "\(output) cannot be written: \(error.localizedDescription)")
        }
    }
}
