// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

private let framings: [NALFraming] = [.annexB, .lengthPrefixed(1), .lengthPrefixed(2), .lengthPrefixed(4)]

func exerciseH264(_ bytes: [UInt8]) {
    exerciseTrack(.h264, bytes)
    if let set = try? H264ParameterSet(unit: bytes) {
        expect(set.width > 0 && set.height > 0, "a picture of \(set.width)x\(set.height)")
        expect((0...16).contains(set.reorderDepth), "pictures reordered by \(set.reorderDepth)")
    }
    if let configuration = try? AVCConfiguration(record: bytes), let first = configuration.sequenceSets.first,
        let set = try? H264ParameterSet(unit: first)
    {
        let again = try? AVCConfiguration(record: configuration.record(for: set))
        expect(again?.sequenceSets == configuration.sequenceSets, "avcC keeps its sequence parameter sets")
        expect(again?.pictureSets == configuration.pictureSets, "avcC keeps its picture parameter sets")
    }
    _ = MPEG4Visual.isPacked(bytes.span)
    for framing in framings {
        exerciseParameterSets(.h264, bytes, framing)
        exerciseTransform(.nalUnits(framing), bytes)
        _ = RandomAccess.isGradual(codec: .h264, transform: .nalUnits(framing), prefix: bytes.span)
        _ = RandomAccess.isRandomAccessPoint(codec: .h264, transform: .nalUnits(framing), prefix: bytes.span)
    }
}
