// SPDX-License-Identifier: Apache-2.0

/// The ID3 tags at the start of a segment of packed audio (RFC 8216 §3.4): ID3v2.2 to ID3v2.4, one after another.
package struct PackedAudioHead: Hashable, Sendable {
    /// The total size of the tags. 0 if there are none.
    package var byteCount: Int
    /// The PTS of the first sample in 90 kHz ticks, 33 bits, from the first PRIV frame that states it. `nil` if none
    /// does.
    package var timestamp: Int64?

    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
    private static let tagLimit = 16
    private static let frameLimit = 4096
    private static let headerLength = 10

    /// - Parameter bytes: the segment from its start, at least up to the end of its tags.
    /// - Throws: `truncated` if the bytes end within a tag, `malformed` if a tag is invalid.
    package init(_ bytes: [UInt8]) throws(PackagingError) {
        byteCount = 0
        for _ in 0..<Self.tagLimit {
            let rest = bytes[byteCount...]
            guard rest.starts(with: [0x49, 0x44, 0x33]) else { return }
            guard rest.count >= Self.headerLength else { throw PackagingError(.truncated, "an ID3 tag is cut off") }
            let header = Array(rest.prefix(Self.headerLength))
            guard header[3] != 0xFF, let size = Self.syncsafe(header[6...]) else {
                throw PackagingError(.malformed, "an ID3 tag has no valid size")
            }
            let hasFooter = header[3] >= 4 && header[5] & 0x10 != 0
            let total = Self.headerLength + size + (hasFooter ? Self.headerLength : 0)
            guard total <= rest.count else {
                throw PackagingError(.truncated, "an ID3 tag claims \(total) bytes, \(rest.count) remain")
            }
            let body = rest.dropFirst(Self.headerLength).prefix(size)
            if timestamp == nil { timestamp = Self.timestamp(Array(body), version: header[3], flags: header[5]) }
            byteCount += total
        }
    }

    /// - Parameters:
    ///   - body: the tag without its header.
    ///   - version: the major version, 2 to 4.
    private static func timestamp(_ body: [UInt8], version: UInt8, flags: UInt8) -> Int64? {
        guard version == 3 || version == 4 else { return nil }
        // Unsynchronisation inserts zeros after 0xFF: up to version 3 throughout the tag, in version 4 in single
        // frames.
        let body = version == 3 && flags & 0x80 != 0 ? withoutStuffing(body[...]) : body
        var rest = body[...]
        if flags & 0x40 != 0 {
            guard rest.count >= 4 else { return nil }
            let head = rest.prefix(4)
            let size = version == 4 ? syncsafe(head) : plain(head).addingReportingOverflow(4).partialValue
            guard let size, size >= 4, size <= rest.count else { return nil }
            rest = rest.dropFirst(size)
        }
        for _ in 0..<frameLimit where rest.count > headerLength {
            let header = rest.prefix(headerLength)
            let name = Array(header.prefix(4))
            let sizeBytes = header.dropFirst(4).prefix(4)
            // Many programs write plain sizes in version 4 as well; they differ only above 127 bytes.
            let size = version == 4 ? syncsafe(sizeBytes) ?? plain(sizeBytes) : plain(sizeBytes)
            guard name[0] != 0, size <= rest.count - headerLength else { return nil }
            var content = Array(rest.dropFirst(headerLength).prefix(size))
            if version == 4, header[header.startIndex + 9] & 0x02 != 0 { content = withoutStuffing(content[...]) }
            if name == Array("PRIV".utf8), content.starts(with: owner), content.count >= owner.count + 8 {
                let value = content.dropFirst(owner.count).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
                return value & 0x1_FFFF_FFFF
            }
            rest = rest.dropFirst(headerLength + size)
        }
        return nil
    }

    /// A number coded in the lower seven bits of each byte. `nil` if a high bit is set.
    private static func syncsafe(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.reduce(0) { $0 << 7 | Int($1) }
    }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func withoutStuffing(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        for byte in bytes {
            if previous != 0xFF || byte != 0 { kept.append(byte) }
            previous = byte
        }
        return kept
    }
}
