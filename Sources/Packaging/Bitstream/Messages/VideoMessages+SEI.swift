// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoMessages {
    private enum MessageType {
        static let registeredUserData = 4
        static let masteringDisplay = 137
        static let contentLight = 144
        static let alternativeTransfer = 147
    }

    /// Reads the SEI messages of a NAL unit (ITU-T H.264 §7.3.2.3.1, H.265 §7.3.5). A message that extends beyond its
    /// NAL unit ends the parsing and is counted as damaged.
    mutating func readSupplemental(_ unit: [UInt8], headerSize: Int) {
        do throws(PackagingError) {
            var reader = ByteReader(try RawPayload.unescaped(unit), subject: "SEI")
            try reader.skip(headerSize)
            // The last byte is rbsp_trailing_bits.
            while reader.remaining > 2 {
                let type = try Self.number(&reader)
                let size = try Self.number(&reader)
                try readMessage(type, try reader.take(size))
            }
        } catch {
            damagedMessages += 1
        }
    }

    private mutating func readMessage(_ type: Int, _ payload: [UInt8]) throws(PackagingError) {
        switch type {
        case MessageType.registeredUserData:
            readRegisteredUserData(payload)
        case MessageType.masteringDisplay:
            let found = try Self.masteringDisplay(payload)
            masteringDisplay = masteringDisplay ?? found
        case MessageType.contentLight:
            var reader = ByteReader(payload, subject: "content light level SEI")
            let found = ContentLight(maximum: try reader.uint16(), frameAverage: try reader.uint16())
            contentLight = contentLight ?? found
        case MessageType.alternativeTransfer:
            var reader = ByteReader(payload, subject: "alternative transfer characteristics SEI")
            let found = Int(try reader.byte())
            preferredTransfer = preferredTransfer ?? found
        default:
            break
        }
    }

    /// mastering_display_colour_volume, H.265 §D.2.28: green, blue, red, white.
    private static func masteringDisplay(_ payload: [UInt8]) throws(PackagingError) -> MasteringDisplay {
        var reader = ByteReader(payload, subject: "mastering display SEI")
        var points: [MasteringDisplay.Chromaticity] = []
        for _ in 0..<4 { points.append(.init(x: try reader.uint16(), y: try reader.uint16())) }
        return MasteringDisplay(
            red: points[2],
            green: points[0],
            blue: points[1],
            white: points[3],
            maximumLuminance: try reader.uint32(),
            minimumLuminance: try reader.uint32()
        )
    }

    /// Reads a message type or size: bytes of 255 are added up with the first byte that is not 255.
    private static func number(_ reader: inout ByteReader) throws(PackagingError) -> Int {
        var value = 0
        while true {
            let byte = try reader.byte()
            value += Int(byte)
            if byte != 255 { return value }
        }
    }
}
