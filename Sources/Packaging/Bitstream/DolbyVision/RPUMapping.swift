// SPDX-License-Identifier: Apache-2.0

/// The mapping of the base layer to the Dolby Vision picture: the rest of `rpu_data_header` and `vdr_rpu_data_payload`.
package struct RPUMapping: Hashable, Sendable {
    package var id: Int
    package var colorSpace: Int
    package var chromaFormat: Int
    /// Luma, then both chroma components.
    package var curves: [RPUCurve]
    /// `nil` without an enhancement layer.
    package var residual: RPUResidual?
    /// One less than the number of columns and rows that the picture is divided into.
    package var columns: Int
    package var rows: Int

    init(_ reader: inout BitReader, _ header: RPUHeader) throws(PackagingError) {
        id = try reader.unsignedExpGolomb(atMost: 15, "vdr_rpu_id")
        colorSpace = try reader.unsignedExpGolomb(atMost: 255, "mapping_color_space")
        chromaFormat = try reader.unsignedExpGolomb(atMost: 255, "mapping_chroma_format_idc")
        curves = []
        for _ in 0..<3 { curves.append(try RPUCurve(pivotsOf: &reader, bitDepth: header.baseBitDepth)) }
        if header.hasResidual { residual = try RPUResidual(pivotsOf: &reader, bitDepth: header.baseBitDepth) }
        columns = try reader.unsignedExpGolomb(atMost: 0xFFFF, "num_x_partitions_minus1")
        rows = try reader.unsignedExpGolomb(atMost: 0xFFFF, "num_y_partitions_minus1")
        for index in curves.indices { try curves[index].readPieces(&reader, header.coefficientType) }
        try residual?.readComponents(&reader, header)
    }

    func write(to writer: inout BitWriter, _ header: RPUHeader) {
        writer.unsignedExpGolomb(id)
        writer.unsignedExpGolomb(colorSpace)
        writer.unsignedExpGolomb(chromaFormat)
        for curve in curves { curve.writePivots(to: &writer, bitDepth: header.baseBitDepth) }
        residual?.writePivots(to: &writer, bitDepth: header.baseBitDepth)
        writer.unsignedExpGolomb(columns)
        writer.unsignedExpGolomb(rows)
        for curve in curves { curve.writePieces(to: &writer, header.coefficientType) }
        residual?.writeComponents(to: &writer, header)
    }
}
