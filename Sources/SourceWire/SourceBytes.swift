// SPDX-License-Identifier: Apache-2.0

/// The longest message of the source protocol, in bytes.
package let longestSourceMessage = 16 << 10

/// A violation of the source protocol by a received message.
package enum SourceViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message is too short or too long, or one of its fields is out of bounds.
    case malformed
    case version(UInt32)
    case kind(UInt32)
    case problem(UInt32)
    /// An answer to a request that is not pending.
    case unasked(id: UInt32)
    /// More bytes than were requested.
    case tooMany(count: Int, asked: Int)

    package var description: String {
        switch self {
        case .malformed: "a malformed message"
        case .version(let version): "a message of version \(version), not \(sourceProtocolVersion)"
        case .kind(let kind): "a message of the unknown kind \(kind)"
        case .problem(let code): "an error with the unknown code \(code)"
        case .unasked(let id): "an answer to request \(id), which was never sent or has already been answered"
        case .tooMany(let count, let asked): "\(count) bytes where \(asked) were asked for"
        }
    }
}

/// Writes a message: little-endian numbers, and texts with their length.
struct SourceWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ numbers: UInt32...) {
        for number in numbers {
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
    }

    mutating func add(_ number: Int64) {
        let bits = UInt64(bitPattern: number)
        add(UInt32(truncatingIfNeeded: bits), UInt32(truncatingIfNeeded: bits >> 32))
    }

    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count))
        bytes += text.utf8
    }
}

/// Reads a message, checking all bounds.
struct SourceReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number() throws(SourceViolation) -> UInt32 {
        guard bytes.count - position >= 4 else { throw .malformed }
        defer { position += 4 }
        return (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << (8 * UInt32($1)) }
    }

    mutating func long() throws(SourceViolation) -> Int64 {
        let low = try number()
        return Int64(bitPattern: UInt64(try number()) << 32 | UInt64(low))
    }

    mutating func text(limit: Int = longestSourceMessage) throws(SourceViolation) -> String {
        let count = Int(try number())
        guard count <= min(limit, bytes.count - position),
            let text = String(validating: bytes[position..<position + count], as: UTF8.self)
        else { throw .malformed }
        position += count
        return text
    }

    /// Throws if any bytes are left.
    func end() throws(SourceViolation) { guard position == bytes.count else { throw .malformed } }
}
