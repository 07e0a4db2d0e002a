// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// The text of one setting. Each method parses it, or throws an error that states which values are valid.
struct SettingValue {
    /// As `ByteText`.
    let text: String
    /// As in `Settings.set`.
    let origin: String

    /// - Parameter rule: what the value must be, as the beginning of a sentence.
    func parsed<Value>(_ parse: (String) -> Value?, _ rule: String) throws(SettingsError) -> Value {
        guard let value = parse(text) else { throw SettingsError(origin, "\(rule), not \"\(text)\"") }
        return value
    }

    func number(_ range: ClosedRange<Int>, _ rule: String) throws(SettingsError) -> Int {
        try parsed({ Int($0).flatMap { range.contains($0) ? $0 : nil } }, rule)
    }

    /// A number of bytes.
    func size(from least: Int, _ rule: String) throws(SettingsError) -> Int {
        try parsed({ ByteSize($0).flatMap { $0.count >= least ? $0.count : nil } }, rule)
    }

    /// A number of bytes on disk; 0 for "off".
    func diskSize(_ rule: String) throws(SettingsError) -> Int {
        let parse = { (text: String) in
            (text == "off" ? 0 : ByteSize(text)?.count).flatMap { $0 == 0 || $0 >= 16 << 20 ? $0 : nil }
        }
        return try parsed(parse, rule)
    }

    func isOn(_ what: String) throws(SettingsError) -> Bool {
        try parsed({ ["on": true, "off": false][$0] }, "\(what) must be on or off")
    }

    /// - Parameter rule: as in `parsed`, without the list of the cases, which follows it.
    func choice<Word: RawRepresentable<String> & CaseIterable>(_ rule: String) throws(SettingsError) -> Word {
        try parsed({ Word(rawValue: $0) }, "\(rule) \(Self.words(Array(Word.allCases)))")
    }

    /// Any text that is not empty.
    ///
    /// - Parameter rule: the whole sentence.
    func word(_ rule: String) throws(SettingsError) -> String {
        guard !text.isEmpty else { throw SettingsError(origin, rule) }
        return text
    }

    /// The path of the control socket, as in `FilePath.text`.
    func socket() throws(SettingsError) -> String {
        let text = try word("the socket path is empty")
        return ByteText.hasEscapes(text) ? FilePath(ByteText.bytes(of: text)).text : text
    }

    /// Returns the options that contain this value, if all of them can be sent. A line break, for example, would inject
    /// a header field.
    func checked(_ options: HTTPConnectionOptions) throws(SettingsError) -> HTTPConnectionOptions {
        do throws(EngineError) { return try options.checked() } catch { throw SettingsError(origin, error.message) }
    }

    func path() throws(SettingsError) -> String {
        try parsed({ $0.hasPrefix("/") ? $0 : nil }, "the path must be absolute")
    }

    /// A time limit for connections.
    func limit() throws(SettingsError) -> Duration {
        let parse = { (text: String) in Double(text).flatMap { (0.001...3600).contains($0) ? $0 : nil } }
        return .seconds(try parsed(parse, "the time-out must be 0.001 … 3600 seconds"))
    }

    /// `SCHEME=PATH`, several of them separated by commas.
    func helpers() throws(SettingsError) -> [String: String] {
        var helpers: [String: String] = [:]
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            let isBuiltIn = ["file", "udp", "rtp", "pipe", "source"].contains(parts.first)
            guard parts.count == 2, !isBuiltIn, ServerScheme(parts[0]) == nil, parts[1].hasPrefix("/"),
                parts[0].utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
            else {
                throw SettingsError(
                    origin,
                    "helpers must be SCHEME=PATH with a scheme that the engine does not have, not \"\(entry)\""
                )
            }
            helpers[parts[0]] = parts[1]
        }
        return helpers
    }

    static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
        words.map(\.rawValue).joined(separator: ", ")
    }
}
