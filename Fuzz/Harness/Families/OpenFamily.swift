// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

func exerciseOpen(_ bytes: [UInt8]) {
    exerciseTrack(.av1, bytes)
    exerciseTrack(.vp9, bytes)
    if let header = try? AV1SequenceHeader(payload: bytes), bytes.count <= RawPayload.byteLimit {
        let record = AV1Configuration.record(for: header, payload: bytes)
        let units = AV1Configuration.units(in: record)
        let payload = (try? AV1Units.units(in: units.span))?.first?.payload
        expect(payload.map { Array(units[$0]) } == bytes, "av1C keeps its sequence header")
    }
    exerciseTransform(.openBitstreamUnits, bytes)
    var messages = VideoMessages()
    messages.readAV1(bytes.span)
    for codec in [CodecID.av1, .vp9] {
        _ = RandomAccess.isRandomAccessPoint(codec: codec, transform: .openBitstreamUnits, prefix: bytes.span)
    }
    if let header = try? VP9FrameHeader(bytes) {
        expect(header.width > 0 && header.height > 0, "a picture of \(header.width)x\(header.height)")
    }
}
