// SPDX-License-Identifier: Apache-2.0

@testable import Packaging

/// Writes images with the file system ISO 9660, and with Joliet.
struct ISO9660Bytes {
    var isJoliet = false

    private static func both(_ value: Int, _ count: Int) -> [UInt8] {
        UDFBytes.little(value, count) + UDFBytes.little(value, count).reversed()
    }

    /// - Parameter files: each in a folder below the root, in as many records as it has parts.
    func image(_ files: [(folder: String, name: String, parts: [[UInt8]])]) -> [UInt8] {
        var sectors: [Int: [UInt8]] = [:]
        var next = 20
        func write(_ bytes: [UInt8]) -> Int {
            defer { next += max(1, (bytes.count + 2047) / 2048) + 1 }
            for start in stride(from: 0, to: bytes.count, by: 2048) {
                sectors[next + start / 2048] = Array(bytes[start...].prefix(2048))
            }
            return next
        }
        var root: [[UInt8]] = [record([0], 0, 0, flags: 2), record([1], 0, 0, flags: 2)]
        for folder in Set(files.map(\.folder)).sorted() {
            var records: [[UInt8]] = [record([0], 0, 0, flags: 2), record([1], 0, 0, flags: 2)]
            for file in files where file.folder == folder {
                for (number, part) in file.parts.enumerated() {
                    let flags: UInt8 = number + 1 < file.parts.count ? 0x80 : 0
                    records.append(record(name(file.name + ";1"), write(part), part.count, flags: flags))
                }
            }
            let bytes = Self.packed(records)
            root.append(record(name(folder), write(bytes), bytes.count, flags: 2))
        }
        let bytes = Self.packed(root)
        let place = write(bytes)
        let descriptor = [UInt8(isJoliet ? 2 : 1)] + Array("CD001".utf8) + [1] + UDFBytes.zeros(33)
        var body = descriptor + Self.padded(name("FILM"), 32) + UDFBytes.zeros(16)
        body += (isJoliet ? Array("%/E".utf8) : UDFBytes.zeros(3)) + UDFBytes.zeros(37) + Self.both(2048, 2)
        sectors[isJoliet ? 17 : 16] = body + UDFBytes.zeros(24) + record([0], place, bytes.count, flags: 2)
        // With Joliet, the primary descriptor leads nowhere.
        if isJoliet {
            let primary = [1] + body.dropFirst().prefix(127) + Self.both(2048, 2) + UDFBytes.zeros(24)
            sectors[16] = primary + record([0], 1 << 30, 2048, flags: 2)
        }
        sectors[18] = [255] + Array("CD001".utf8) + [1]
        return (0...(sectors.keys.max() ?? 0)).flatMap { sector in
            let bytes = sectors[sector] ?? []
            return bytes + UDFBytes.zeros(2048 - bytes.count)
        }
    }

    private static func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes + UDFBytes.zeros(count - bytes.count)
    }

    private func name(_ text: String) -> [UInt8] {
        isJoliet ? text.utf16.flatMap(UDFBytes.wide) : Array(text.utf8)
    }

    private func record(_ name: [UInt8], _ sector: Int, _ count: Int, flags: UInt8) -> [UInt8] {
        let body = Self.both(sector, 4) + Self.both(count, 4) + UDFBytes.zeros(7) + [flags, 0, 0] + Self.both(1, 2)
        let bytes = [0] + body + [UInt8(name.count)] + name
        let length = (bytes.count + 2) / 2 * 2
        return [UInt8(length)] + bytes + UDFBytes.zeros(length - bytes.count - 1)
    }

    /// Records do not cross sectors.
    private static func packed(_ records: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records {
            if bytes.count % 2048 + record.count > 2048 { bytes += UDFBytes.zeros(2048 - bytes.count % 2048) }
            bytes += record
        }
        return bytes + UDFBytes.zeros((2048 - bytes.count % 2048) % 2048)
    }
}
