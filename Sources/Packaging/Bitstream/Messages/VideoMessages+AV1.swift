// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension VideoMessages {
    private enum MetadataType {
        static let contentLight = 1
        static let masteringDisplay = 2
        static let registeredUserData = 4
    }

    /// Reads the metadata OBUs (AV1 bitstream specification §5.8) in `units`. Damaged messages are counted.
    mutating func readAV1(_ units: Span<UInt8>) {
        for unit in AV1Units.unitsToSearch(in: units)
        where unit.type == AV1Units.metadata && unit.payload.count <= RawPayload.byteLimit {
            do throws(PackagingError) {
                try readAV1Metadata([UInt8](copying: units.extracting(unit.payload)))
            } catch {
                damagedMessages += 1
            }
        }
    }

    private mutating func readAV1Metadata(_ payload: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(payload, subject: "AV1 metadata")
        // metadata_type, in leb128; all known values fit one byte.
        switch Int(try reader.byte()) {
        case MetadataType.contentLight:
            let found = ContentLight(maximum: try reader.uint16(), frameAverage: try reader.uint16())
            contentLight = contentLight ?? found
        case MetadataType.masteringDisplay:
            let found = try Self.masteringDisplay(&reader)
            masteringDisplay = masteringDisplay ?? found
        case MetadataType.registeredUserData:
            readRegisteredUserData(reader.takeRest())
        default:
            break
        }
    }

    /// metadata_hdr_mdcv, §5.8.4: red, green, blue, white in 0.16 fixed point; luminances in 24.8 and 18.14.
    private static func masteringDisplay(_ reader: inout ByteReader) throws(PackagingError) -> MasteringDisplay {
        var points: [MasteringDisplay.Chromaticity] = []
        for _ in 0..<4 {
            points.append(.init(x: chromaticity(try reader.uint16()), y: chromaticity(try reader.uint16())))
        }
        let maximum = UInt64(try reader.uint32()) * 10_000 / 256
        let minimum = UInt64(try reader.uint32()) * 10_000 / 16_384
        return MasteringDisplay(
            red: points[0],
            green: points[1],
            blue: points[2],
            white: points[3],
            maximumLuminance: UInt32(clamping: maximum),
            minimumLuminance: UInt32(clamping: minimum)
        )
    }

    private static func chromaticity(_ value: UInt16) -> UInt16 {
        UInt16(clamping: (UInt32(value) * 50_000 + 32_768) >> 16)
    }
}
