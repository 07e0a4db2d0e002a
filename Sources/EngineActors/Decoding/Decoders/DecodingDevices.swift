// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The devices that may decode video.
struct DecodingDevices: Sendable {
    /// The kinds that could decode a codec, best first.
    let kinds: @Sendable (CodecID) -> [HardwareDevice.Kind]
    /// - Throws: when the device does not respond or does not support this stream.
    let open: @Sendable (HardwareDevice.Kind, CodecParameters) throws(FFmpegError) -> VideoDecoder

    /// The devices of this machine.
    static let system = DecodingDevices(
        kinds: { codec in HardwareDevice.Kind.allCases.filter { HardwareDevice.decodes(codec, on: $0) } },
        open: { (kind, parameters) throws(FFmpegError) in
            let device = try HardwareDevice.shared(kind)
            return try VideoDecoder.open(parameters, threading: .frames, threads: 1, device: device)
        }
    )
}
