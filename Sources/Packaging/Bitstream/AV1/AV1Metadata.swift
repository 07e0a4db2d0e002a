// SPDX-License-Identifier: Apache-2.0

extension LightMetadata {
    /// Reads metadata_obu (AV1 bitstream specification §5.8) into the units of `mdcv` and `clli`.
    init(av1Payload payload: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(payload, subject: "AV1 metadata")
        switch try reader.byte() {
        case 1:
            contentLightLevel = try reader.take(4)
        case 2:
            // Red, green, blue, white; 0.16 fixed point to steps of 0.00002.
            var points: [[UInt16]] = []
            for _ in 0..<4 {
                points.append([Self.chromaticity(try reader.uint16()), Self.chromaticity(try reader.uint16())])
            }
            let maximum = UInt64(try reader.uint32()) * 10_000 / 256
            let minimum = UInt64(try reader.uint32()) * 10_000 / 16_384
            var writer = BoxWriter()
            for value in points[1] + points[2] + points[0] + points[3] { writer.uint16(value) }
            writer.uint32(UInt32(clamping: maximum))
            writer.uint32(UInt32(clamping: minimum))
            masteringDisplay = writer.bytes
        default:
            break
        }
    }

    private static func chromaticity(_ value: UInt16) -> UInt16 {
        UInt16(clamping: (UInt32(value) * 50_000 + 32_768) >> 16)
    }
}
