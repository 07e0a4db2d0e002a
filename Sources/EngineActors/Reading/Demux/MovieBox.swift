// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Finds the `moov` box of an MP4 file, wherever it is in the file.
enum MovieBox {
    /// A larger box is left to the demuxer.
    private static let sizeLimit: Int64 = 256 << 20
    private static let boxLimit = 4096

    /// The box's bytes, including its header. `nil` when the file is not MP4, or the box is missing or too large.
    static func read(from file: RegularFile) throws(Errno) -> [UInt8]? {
        var offset: Int64 = 0
        for number in 0..<boxLimit {
            let head = try file.read(at: offset, count: 16)
            guard head.count >= 8 else { return nil }
            let type = head[4..<8]
            if number == 0,
                !["ftyp", "moov", "wide", "free", "skip", "mdat"].contains(String(decoding: type, as: UTF8.self))
            {
                return nil
            }
            var size = head[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if size == 1, head.count == 16 { size = head[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            if size == 0 { size = file.byteCount - offset }
            guard size >= 8 else { return nil }
            if type.elementsEqual("moov".utf8) {
                return size <= sizeLimit ? try file.read(at: offset, count: Int(size)) : nil
            }
            offset &+= size
        }
        return nil
    }
}
