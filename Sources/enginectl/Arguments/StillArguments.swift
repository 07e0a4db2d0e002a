// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineJSON

/// The source of a still: a file, or a session by its ID.
struct StillTarget {
    /// Text that neither looks like a path nor names an existing file is a session ID.
    static func source(_ text: String, _ still: StillArguments) throws -> StillSource {
        let isPath = text.contains("/") || text.contains(".") || ByteText.hasEscapes(text) || FileArgument(text).exists
        guard isPath else {
            if still.programs.program != nil {
                throw ValidationError("--program requires a file; a session has its own.")
            }
            return .session(SessionID(rawValue: text))
        }
        return .source(
            FileArgument.source(text),
            try still.http.options(),
            program: still.programs.selection
        )
    }
}

/// The output file of a still, and its style.
struct StillArguments: ParsableArguments {
    static let places = "A file, or a session id."

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The output file: .jpg, .png or .webp; - for stdout.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(help: ArgumentHelp("jpeg, png or webp. Default: from the output file's name.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("Maximum width; the still is never enlarged.", valueName: "pixels"))
    var maxWidth: Int?

    @Option(help: ArgumentHelp("Maximum height.", valueName: "pixels"))
    var maxHeight: Int?

    @Option(help: ArgumentHelp("JPEG and WebP quality, 1 to 100.", valueName: "number"))
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "standard: mapped to SDR; or keep: PQ or HLG unchanged, in 16 bits, PNG only.",
            valueName: "range"
        )
    )
    var hdr = StillRange.standard.rawValue

    @OptionGroup var programs: ProgramArguments

    @Flag(help: "Describe the still as JSON.")
    var json = false

    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    func validate() throws {
        if json, output == "-" { throw ValidationError("--json cannot be used with a still on stdout.") }
        guard chosenFormat != nil else {
            throw ValidationError("The output must end in .jpg, .png or .webp, or --format must be given.")
        }
        for side in [maxWidth, maxHeight] {
            if let side, !(1...StillStyle.largestSide).contains(side) {
                throw ValidationError("A side must have 1 to \(StillStyle.largestSide) pixels.")
            }
        }
        guard let range = StillRange(rawValue: hdr) else { throw ValidationError("--hdr must be standard or keep.") }
        if range == .keep, chosenFormat != .png { throw ValidationError("--hdr keep requires PNG.") }
        if let quality, !(1...100).contains(quality) { throw ValidationError("--quality must be from 1 to 100.") }
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

    /// Describes a still that was written to a file: as `line`, or as JSON.
    func report(_ still: Still, _ line: String, hasTime: Bool = true) throws(Failure) {
        guard output != "-" else { return }
        let document = still.json(file: FileArgument(output).path.text, hasTime: hasTime)
        try Terminal.write(json ? document.indentedText : line)
    }

    /// Writes the still to the output file or to stdout.
    func write(_ still: Still) throws(Failure) {
        guard output != "-" else { return try Terminal.write(still.bytes) }
        try FileArgument(output).write(still.bytes)
    }
}
