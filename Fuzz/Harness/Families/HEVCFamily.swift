// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

func exerciseHEVC(_ bytes: [UInt8]) {
    exerciseTrack(.hevc, bytes)
    if let set = try? HEVCParameterSet(unit: bytes) {
        expect(set.width > 0 && set.height > 0, "a picture of \(set.width)x\(set.height)")
        expect((0...16).contains(set.reorderPictures), "pictures reordered by \(set.reorderPictures)")
    }
    if let configuration = try? HEVCConfiguration(record: bytes), let first = configuration.sequenceSets.first,
        let set = try? HEVCParameterSet(unit: first)
    {
        let again = try? HEVCConfiguration(record: configuration.record(for: set))
        expect(again?.videoSets == configuration.videoSets, "hvcC keeps its video parameter sets")
        expect(again?.sequenceSets == configuration.sequenceSets, "hvcC keeps its sequence parameter sets")
        expect(again?.pictureSets == configuration.pictureSets, "hvcC keeps its picture parameter sets")
    }
    for framing in [NALFraming.annexB, .lengthPrefixed(2), .lengthPrefixed(4)] {
        exerciseParameterSets(.hevc, bytes, framing)
        _ = RandomAccess.isRandomAccessPoint(codec: .hevc, transform: .nalUnits(framing), prefix: bytes.span)
    }
}
