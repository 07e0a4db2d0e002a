// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The data of one request (CTA-5004), as header fields or as a query argument. Pure.
struct CMCDReport {
    /// A value of a structured field (RFC 8941). Decimals have at most three digits after the point.
    private enum Value {
        case flag
        case number(Int)
        case decimal(Double)
        case token(String)
        case text(String)

        var text: String {
            switch self {
            case .flag: ""
            case .number(let number): String(number)
            case .decimal(let number): String((min(number, 999_999) * 1000).rounded() / 1000)
            case .token(let token): token
            case .text(let text):
                "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
        }
    }

    private enum Group: String, CaseIterable {
        case request = "CMCD-Request"
        case object = "CMCD-Object"
        case status = "CMCD-Status"
        case session = "CMCD-Session"
    }

    /// Integers of structured fields have at most 15 digits. At a rate close to 0, a deadline would have more.
    private static let integerLimit = 1e14

    private let version: CMCDOptions.Version
    private var pairs: [(key: String, group: Group, value: Value)] = []

    /// - Parameters:
    ///   - sessionID: the value of `sid` if the options have none.
    ///   - object: what is requested.
    ///   - hasStarved: whether playback has run out of media since the last request.
    ///   - throughput: the measured throughput in bits per second.
    ///   - number: the number of the request in its session, from 0.
    init(
        _ options: CMCDOptions,
        sessionID: String,
        _ playback: PlaybackReport,
        of object: RequestedObject,
        hasStarved: Bool,
        throughput: Double?,
        number: Int
    ) {
        version = options.version
        let isStarting = [.starting, .seeking, .rebuffering].contains(playback.state)
        let isPlayed = object.kind.isPlayed
        if isPlayed, let bitrate = playback.bitrate {
            addMeasure("br", .object, Int(min(bitrate / 1000, Self.integerLimit)))
        }
        if let duration = object.duration { add("d", .object, .number(Int(duration.microseconds / 1000))) }
        add("ot", .object, .token(object.kind.rawValue))
        if let buffered = playback.buffered {
            let length = Self.hundreds(buffered / .milliseconds(1))
            if isPlayed { addMeasure("bl", .request, length) }
            // With nothing buffered this is 0: the bytes are needed at once.
            if playback.rate > 0 { add("dl", .request, .number(Self.hundreds(Double(length) / playback.rate))) }
        }
        if let throughput { addMeasure("mtp", .request, Self.hundreds(throughput / 1000)) }
        if isStarting { add("su", .request, .flag) }
        if version == .two {
            add("sn", .request, .number(number))
            add("sta", .request, .token(playback.state.rawValue))
        }
        if hasStarved { add("bs", .status, .flag) }
        if let content = options.contentID { add("cid", .session, .text(content)) }
        if playback.rate != 1 { add("pr", .session, .decimal(playback.rate)) }
        add("sf", .session, .token(object.isListed ? "h" : "o"))
        add("sid", .session, .text(options.sessionID ?? sessionID))
        add("st", .session, .token(playback.isLive ? "l" : "v"))
        if version == .two { add("v", .session, .number(2)) }
    }

    private mutating func add(_ key: String, _ group: Group, _ value: Value) { pairs.append((key, group, value)) }

    /// Adds a number. In version 2 it is a list with one value for each object type.
    private mutating func addMeasure(_ key: String, _ group: Group, _ number: Int) {
        add(key, group, version == .one ? .number(number) : .token("(\(number))"))
    }

    private static func hundreds(_ number: Double) -> Int {
        Int((min(max(0, number), integerLimit) / 100).rounded()) * 100
    }

    /// One field for each group that has a key. Keys are in alphabetical order.
    var fields: [(name: String, value: String)] {
        Group.allCases.compactMap { group in
            let own = pairs.filter { $0.group == group }
            return own.isEmpty ? nil : (group.rawValue, Self.text(own.map { ($0.key, $0.value) }))
        }
    }

    /// The header fields to send.
    var headers: [HTTPHeader] {
        fields.map { name, value in
            do throws(EngineError) {
                return try HTTPHeader(name: name, value: value)
            } catch {
                preconditionFailure("options that were checked make no field of CMCD invalid: \(error)")
            }
        }
    }

    /// The value of the query argument `CMCD`, percent-encoded.
    var query: String {
        Self.text(pairs.map { ($0.key, $0.value) }).utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            if isPlain || "-._~".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }

    private static func text(_ pairs: [(String, Value)]) -> String {
        pairs.sorted { $0.0 < $1.0 }.map { key, value in
            if case .flag = value { key } else { "\(key)=\(value.text)" }
        }.joined(separator: ",")
    }
}
