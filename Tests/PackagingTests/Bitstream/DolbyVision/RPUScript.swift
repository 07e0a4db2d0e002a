// SPDX-License-Identifier: Apache-2.0

/// Writes an RPU field by field as text of zeros and ones, from the syntax tables alone: it shares no code with the
/// module under test.
struct RPUScript {
    enum Layer { case none, minimal, full }
    enum Curves { case straight, bent }

    var name: String
    /// Determines the header fields and the parameters of the residual.
    var layer = Layer.none
    var curves = Curves.straight
    var isFloat = false
    var baseDepth = 10
    var enhancementDepthCode = 2
    var rpuProfile = 1
    var isFullRange = false
    var outputDepth = 12
    var partitions = 0
    var previousID: Int?
    var hasColor = true
    var isCompressed = false
    /// Row by row, including the offsets.
    var matrices = RPUScript.discMatrices
    var colorSpace = 1
    var blocks: [(level: Int, payload: String)] = []
    var newerBlocks: [(level: Int, payload: String)]?
    var rest = ""
    var trailing = ""
    /// Bits of the checksum to flip.
    var damage: UInt32 = 0
    /// Changes to the body, included in the checksum: the position, modulo the body's length, and the bits to flip.
    var mutations: [(place: Int, bits: UInt8)] = []
    /// The number of body bytes to keep.
    var cutLength: Int?

    /// The same script without the last byte of its body.
    var cut: RPUScript {
        var script = self
        script.cutLength = bits.count / 8 - 1
        return script
    }

    static let discMatrices = (
        rgb: [8192, 0, 12900, 8192, -1534, -3836, 8192, 15201, 0], offsets: [0, 1 << 28, 1 << 28],
        lms: [5845, 9702, 837, 2568, 12256, 1561, 0, 679, 15705]
    )
    static let standardMatrices = (
        rgb: [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0], offsets: [16_777_216, 134_217_728, 134_217_728],
        lms: [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
    )

    var unit: [UInt8] {
        var body = bytes(bits)
        if let cutLength { body = Array(body.prefix(cutLength)) }
        for change in mutations where !body.isEmpty { body[change.place % body.count] ^= change.bits }
        var crc = UInt32.max
        for byte in body {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 1 << 31 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
        }
        crc ^= damage
        body += [24, 16, 8, 0].map { UInt8(crc >> $0 & 255) } + [0x80]
        var unit: [UInt8] = [0x7C, 1]
        for byte in [0x19] + body {
            if unit.suffix(2) == [0, 0], byte < 4 { unit.append(3) }
            unit.append(byte)
        }
        return unit + hex(trailing)
    }

    private var bits: String {
        var text = u(2, 6) + u(18, 11) + u(rpuProfile, 4) + u(0, 4) + "1" + "0"
        text += isFloat ? u(1, 2) : u(0, 2) + ue(23)
        text += u(1, 2) + (isFullRange ? "1" : "0")
        text += ue(baseDepth - 8) + ue(enhancementDepthCode) + ue(outputDepth - 8)
        text += "0" + u(isCompressed ? 1 : 0, 3) + (layer == .none ? "01" : "10")
        text += (hasColor ? "1" : "0") + (previousID.map { "1" + ue($0) } ?? "0")
        if previousID == nil { text += mapping }
        if hasColor { text += color }
        text = aligned(text)
        for block in blocks { text += ue(hex(block.payload).count) + u(block.level, 8) + binary(block.payload) }
        if let newerBlocks {
            text = aligned(text + ue(newerBlocks.count))
            for block in newerBlocks {
                text += ue(hex(block.payload).count) + u(block.level, 8) + binary(block.payload)
            }
        }
        return aligned(text) + binary(rest)
    }

    private var mapping: String {
        let last = 1 << baseDepth - 1
        var text = ue(0) + ue(0) + ue(0)
        let pivots =
            curves == .bent ? [[64, 448, 428], [0, last], [0, last]] : [[0, last], [0, last], [0, last]]
        for list in pivots { text += ue(list.count - 2) + list.map { u($0, baseDepth) }.joined() }
        if layer != .none { text += u(0, 3) + u(0, baseDepth) + u(last, baseDepth) }
        text += ue(partitions) + ue(partitions)
        switch curves {
        case .straight: for _ in 0..<3 { text += ue(0) + ue(0) + "0" + se(0, 0) + se(1, 0) }
        case .bent:
            text += ue(0) + ue(1) + se(-1, 8_000_001) + se(2, 17) + se(-3, 4)
            text += ue(0) + ue(0) + "0" + se(5, 3) + se(-7, 8_388_607)
            for order in 1...2 {
                text += ue(1) + u(order, 2) + se(-1, 99)
                for index in 0..<(7 * (order + 1)) { text += se(index - 9, 1000 + index) }
            }
        }
        switch layer {
        case .none: break
        case .minimal:
            for _ in 0..<3 { text += u(0, 10) + number(1, 0, ue) + number(0, 0, ue) + number(0, 0, ue) }
        case .full:
            for _ in 0..<3 { text += u(512, 10) + number(0, 1024, ue) + number(1, 2048, ue) + number(0, 77, ue) }
        }
        return text
    }

    private var color: String {
        var text = ue(0) + ue(0) + ue(1)
        if !isCompressed {
            text += (matrices.rgb.map { u($0, 16) } + matrices.offsets.map { u($0, 32) }).joined()
            text += matrices.lms.map { u($0, 16) }.joined() + u(65535, 16) + u(0, 64)
            text += u(12, 5) + u(colorSpace, 2) + u(0, 2) + u(1, 2) + u(62, 12) + u(3696, 12) + u(42, 10)
        }
        return text + ue(blocks.count)
    }

    // MARK: Fields

    private func u(_ value: Int, _ count: Int) -> String {
        (0..<count).reversed().map { value >> $0 & 1 == 1 ? "1" : "0" }.joined()
    }

    private func ue(_ value: Int) -> String {
        let code = String(value + 1, radix: 2)
        return String(repeating: "0", count: code.count - 1) + code
    }

    private func se(_ whole: Int, _ fraction: Int) -> String {
        number(whole, fraction) { ue($0 > 0 ? $0 * 2 - 1 : $0 * -2) }
    }

    /// In floating point, only the sum of `whole` and `fraction` is written.
    private func number(_ whole: Int, _ fraction: Int, _ code: (Int) -> String) -> String {
        let value = Float(whole) + Float(fraction) / Float(1 << 23)
        return isFloat ? u(Int(value.bitPattern), 32) : code(whole) + u(fraction, 23)
    }

    private func aligned(_ text: String) -> String { text + String(repeating: "0", count: (8 - text.count % 8) % 8) }

    private func binary(_ text: String) -> String { hex(text).map { u(Int($0), 8) }.joined() }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 8).map { start in
            digits[start..<(start + 8)].reduce(0) { $0 << 1 | ($1 & 1) }
        }
    }
}
