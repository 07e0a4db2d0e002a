// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension NALFraming {
    /// The framing that codec private data declares for H.264 or HEVC: the record of an MP4 or Matroska file (`avcC`,
    /// `hvcC`) holds the size of the length fields. Without a record, units have start codes.
    init(codec: CodecID, extradata: [UInt8]) {
        switch codec {
        case .h264 where AVCConfiguration.isRecord(extradata): self = .lengthPrefixed(Int(extradata[4] & 3) + 1)
        case .hevc where HEVCConfiguration.isRecord(extradata): self = .lengthPrefixed(Int(extradata[21] & 3) + 1)
        default: self = .annexB
        }
    }
}
