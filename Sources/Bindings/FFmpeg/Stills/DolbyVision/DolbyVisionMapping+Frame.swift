// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

extension DolbyVisionMapping {
    /// Reads the mapping that the decoder attached to a frame (`AV_FRAME_DATA_DOVI_METADATA`); `nil` if there is none.
    package init?(of frame: VideoFrame) {
        let found: DolbyVisionMapping? = unsafe frame.withPointer { pointer in
            guard let data = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_DOVI_METADATA),
                let bytes = unsafe data.pointee.data
            else { return nil }
            let metadata = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: AVDOVIMetadata.self)
            return unsafe DolbyVisionMapping(
                av_dovi_get_header(metadata).pointee,
                av_dovi_get_mapping(metadata).pointee,
                av_dovi_get_color(metadata).pointee
            )
        }
        guard let found, found.isUsable else { return nil }
        self = found
    }

    private init(_ header: AVDOVIRpuDataHeader, _ mapping: AVDOVIDataMapping, _ color: AVDOVIColorMetadata) {
        let unit = 1 / Float(UInt64(1) << UInt64(min(header.coef_log2_denom, 62)))
        let largest = Float((UInt32(1) << UInt32(min(header.bl_bit_depth, 16))) - 1)
        let curves = mapping.curves
        self.init(
            curves: [curves.0, curves.1, curves.2].map { Curve($0, unit: unit, largest: largest) },
            toNonlinear: Self.floats(of: color.ycc_to_rgb_matrix),
            offset: Self.floats(of: color.ycc_to_rgb_offset),
            toLMS: Self.floats(of: color.rgb_to_lms_matrix),
            sourceMaximumPQ: Int(color.source_max_pq)
        )
    }

    private static func floats<Tuple>(of tuple: Tuple) -> [Float] {
        elements(of: tuple, as: AVRational.self).map { Float(av_q2d($0)) }
    }
}

extension DolbyVisionMapping.Curve {
    fileprivate init(_ curve: AVDOVIReshapingCurve, unit: Float, largest: Float) {
        let count = min(max(Int(curve.num_pivots), 2), Int(AV_DOVI_MAX_PIECES) + 1)
        let methods = elements(of: curve.mapping_idc, as: AVDOVIMappingMethod.self)
        let orders = elements(of: curve.poly_order, as: UInt8.self)
        let coefficients = elements(of: curve.poly_coef, as: Int64.self)
        let regressionOrders = elements(of: curve.mmr_order, as: UInt8.self)
        let constants = elements(of: curve.mmr_constant, as: Int64.self)
        let regressions = elements(of: curve.mmr_coef, as: Int64.self)
        self.init(
            pivots: elements(of: curve.pivots, as: UInt16.self).prefix(count).map { Float($0) / largest },
            pieces: (0..<count - 1).map { piece in
                if methods[piece] == AV_DOVI_MAPPING_MMR {
                    let orders = min(max(Int(regressionOrders[piece]), 1), 3)
                    return .regression(
                        constant: Float(constants[piece]) * unit,
                        orders: (0..<orders).map { order in
                            let start = (piece * 3 + order) * 7
                            return regressions[start..<start + 7].map { Float($0) * unit }
                        }
                    )
                }
                let order = min(Int(orders[piece]), 2)
                return .polynomial((0...order).map { Float(coefficients[piece * 3 + $0]) * unit })
            }
        )
    }
}

/// The elements of a C array, which Swift imports as a tuple.
private func elements<Tuple, Element>(of tuple: Tuple, as type: Element.Type) -> [Element] {
    unsafe withUnsafeBytes(of: tuple) { unsafe Array($0.bindMemory(to: type)) }
}
