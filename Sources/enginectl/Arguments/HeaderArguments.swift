// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// HTTP headers in the form `Name: value`.
enum HeaderText {
    static func header(_ text: String) throws(EngineError) -> HTTPHeader {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        return try HTTPHeader(
            name: String(text[..<colon]),
            value: String(text[colon...].dropFirst().drop { $0 == " " })
        )
    }

    /// - Throws: if a `--header` option is invalid.
    static func validate(_ texts: [String]) throws {
        for text in texts {
            try requireText(text, "--header")
            guard text.contains(":") else { throw ValidationError("--header needs the form \"name: value\"") }
            do { _ = try header(text) } catch { throw ValidationError("--header: \(error)") }
        }
    }
}

/// How to read a sidecar subtitle file.
struct SidecarArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The character encoding of the text. Default: detected.", valueName: "charset"))
    var charset = ""

    @Option(
        help: ArgumentHelp(
            "A request header for a file fetched over HTTP, e.g. \"Cookie: a=b\".",
            valueName: "name: value"
        )
    )
    var header: [String] = []

    func validate() throws {
        try requireText(charset, "--charset")
        try HeaderText.validate(header)
    }

    func headers() throws(EngineError) -> [HTTPHeader] {
        try header.map { text throws(EngineError) in try HeaderText.header(text) }
    }
}
