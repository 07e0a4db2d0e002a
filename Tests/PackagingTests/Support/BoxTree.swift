// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Finds boxes by path: `moov/trak/mdia`.
struct BoxTree {
    let bytes: [UInt8]

    /// The number of bytes before a box's children.
    private static let heads = [
        "stsd": 8, "avc1": 78, "avc3": 78, "hvc1": 78, "hev1": 78, "dvh1": 78, "av01": 78, "dav1": 78, "vp09": 78,
        "mp4a": 28, "ac-3": 28, "ec-3": 28, "fLaC": 28,
        "alac": 28, "Opus": 28,
    ]

    /// The payload of the first box at `path`, or `nil`.
    func payload(_ path: String) -> [UInt8]? {
        var content = bytes
        var name = ""
        for part in path.split(separator: "/").map(String.init) {
            content.removeFirst(min(content.count, Self.heads[name] ?? 0))
            guard let next = Self.child(part, in: content) else { return nil }
            content = next
            name = part
        }
        return content
    }

    private static func child(_ type: String, in bytes: [UInt8]) -> [UInt8]? {
        var index = 0
        while index + 8 <= bytes.count {
            let size = bytes[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, index + size <= bytes.count else { return nil }
            if String(decoding: bytes[(index + 4)..<(index + 8)], as: UTF8.self) == type {
                return Array(bytes[(index + 8)..<(index + size)])
            }
            index += size
        }
        return nil
    }
}

extension ByteBody {
    /// All regions concatenated.
    var joined: [UInt8] {
        regions.flatMap { region in region.withBytes { (span: Span<UInt8>) in span.indices.map { span[$0] } } }
    }
}

/// Bytes written as hexadecimal digits, spaces allowed.
func hex(_ digits: String) -> [UInt8] {
    var rest = digits.filter { !$0.isWhitespace }[...]
    var bytes: [UInt8] = []
    while rest.count >= 2 {
        if let byte = UInt8(rest.prefix(2), radix: 16) { bytes.append(byte) }
        rest = rest.dropFirst(2)
    }
    return bytes
}
