// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel
internal import Foundation

/// A frame for a terminal: opaque RGB pixels, upright. Pure.
struct CellPicture: Sendable {
    /// The height of a character cell divided by its width, in most fonts.
    private static let cellHeight = 2.0

    let width: Int
    let height: Int
    /// The width of a pixel in relation to its height.
    let aspectRatio: Double
    /// Three bytes per pixel.
    let pixels: [UInt8]

    init(width: Int, height: Int, aspectRatio: Double = 1, pixels: [UInt8]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height * 3)
        (self.width, self.height, self.aspectRatio, self.pixels) = (width, height, aspectRatio, pixels)
    }

    /// - Returns: `nil` unless the frame is `rgba`.
    init?(_ frame: Frame) {
        let description = frame.description
        guard description.pixelFormat == "rgba", let plane = description.planes.first, description.width > 0,
            description.height > 0, plane.rows == description.height, plane.rowBytes >= description.width * 4
        else { return nil }
        let isTurned = description.rotation == 90 || description.rotation == 270
        let (across, down) = (description.width, description.height)
        let (width, height) = isTurned ? (down, across) : (across, down)
        let pixels = frame.withPlane(0) { bytes in
            [UInt8](capacity: width * height * 3) { output in
                for y in 0..<height {
                    for x in 0..<width {
                        let (column, row) =
                            switch description.rotation {
                            case 90: (y, down - 1 - x)
                            case 180: (across - 1 - x, down - 1 - y)
                            case 270: (across - 1 - y, x)
                            default: (x, y)
                            }
                        let at = row * plane.stride + column * 4
                        for channel in 0..<3 { output.append(bytes[at + channel]) }
                    }
                }
            }
        }
        let ratio = description.aspectRatio
        let shape =
            ratio.numerator > 0 && ratio.denominator > 0 ? Double(ratio.numerator) / Double(ratio.denominator) : 1
        self.init(width: width, height: height, aspectRatio: isTurned ? 1 / shape : shape, pixels: pixels)
    }

    /// The largest size in cells, within these limits, that keeps the aspect ratio.
    func cells(columns: Int, rows: Int) -> (columns: Int, rows: Int) {
        let shape = Double(width) * aspectRatio / Double(height) * Self.cellHeight
        guard columns > 0, rows > 0, shape.isFinite, shape > 0 else { return (0, 0) }
        let wanted = Double(rows) * shape
        guard wanted > Double(columns) else { return (max(1, Int(wanted.rounded())), rows) }
        return (columns, min(rows, max(1, Int((Double(columns) / shape).rounded()))))
    }

    /// Lines of half blocks. Each block shows two pixels, one above the other, in 24-bit colours (ISO/IEC 8613-6 SGR).
    func halfBlocks(columns: Int, rows: Int) -> [String] {
        (0..<rows).map { row in
            var line = ""
            var last: (top: UInt32?, bottom: UInt32?)
            for column in 0..<columns {
                let top = mean(column, 2 * row, columns, 2 * rows)
                let bottom = mean(column, 2 * row + 1, columns, 2 * rows)
                if top != last.top { line += Self.color(38, top) }
                if bottom != last.bottom { line += Self.color(48, bottom) }
                last = (top, bottom)
                line += "▀"
            }
            return line + "\u{1B}[0m"
        }
    }

    private static func color(_ plane: Int, _ rgb: UInt32) -> String {
        "\u{1B}[\(plane);2;\(rgb >> 16);\(rgb >> 8 & 0xFF);\(rgb & 0xFF)m"
    }

    /// The mean colour of one cell when the picture is divided into `columns` by `rows` cells.
    private func mean(_ column: Int, _ row: Int, _ columns: Int, _ rows: Int) -> UInt32 {
        let (left, top) = (column * width / columns, row * height / rows)
        let right = max(left + 1, (column + 1) * width / columns)
        let bottom = max(top + 1, (row + 1) * height / rows)
        var (red, green, blue) = (0, 0, 0)
        for y in top..<bottom {
            for x in left..<right {
                let at = (y * width + x) * 3
                red += Int(pixels[at])
                green += Int(pixels[at + 1])
                blue += Int(pixels[at + 2])
            }
        }
        let count = (right - left) * (bottom - top)
        return UInt32(red / count) << 16 | UInt32(green / count) << 8 | UInt32(blue / count)
    }

    /// The commands of kitty's graphics protocol that show the picture at the cursor, in place of the previous one.
    func kitty(columns: Int, rows: Int) -> String {
        let text = Data(pixels).base64EncodedData()
        let pieces = stride(from: 0, to: text.count, by: 4096).map { text[$0..<min($0 + 4096, text.count)] }
        return pieces.enumerated().map { number, piece in
            let head =
                number == 0 ? "a=T,f=24,s=\(width),v=\(height),i=1,p=1,c=\(columns),r=\(rows),C=1,q=2," : ""
            let more = number + 1 < pieces.count ? 1 : 0
            return "\u{1B}_G\(head)m=\(more);" + String(decoding: piece, as: UTF8.self) + "\u{1B}\\"
        }.joined()
    }
}
