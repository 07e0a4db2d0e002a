// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The sample entry and the configuration box of a codec in `stsd`. A new codec is added to this table.
struct SampleEntryFormat: Sendable {
    enum Configuration: Sendable {
        case none
        case box(BoxType)
        case fullBox(BoxType, version: UInt8)
        /// `esds`; the object type indication may depend on the sample rate.
        case elementaryStream(@Sendable (_ sampleRate: Int) -> UInt8)
    }

    let entry: BoxType
    let configuration: Configuration

    init(codec: CodecID) {
        (entry, configuration) =
            switch codec {
            case .h264: ("avc1", .box("avcC"))
            case .hevc: ("hvc1", .box("hvcC"))
            case .av1: ("av01", .box("av1C"))
            case .vp9: ("vp09", .fullBox("vpcC", version: 1))
            case .aac: ("mp4a", .elementaryStream { _ in ElementaryStreamDescriptor.mpeg4Audio })
            case .mp3: ("mp4a", .elementaryStream(ElementaryStreamDescriptor.mpegAudio(sampleRate:)))
            case .ac3: ("ac-3", .box("dac3"))
            case .eac3: ("ec-3", .box("dec3"))
            case .flac: ("fLaC", .fullBox("dfLa", version: 0))
            case .alac: ("alac", .fullBox("alac", version: 0))
            case .opus: ("Opus", .box("dOps"))
            default: ("free", .none)
            }
    }
}
