// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The devices that may decode pictures.
struct DecodingDevices: Sendable {
    /// Those that could decode a codec, the best first.
    let kinds: @Sendable (CodecID) -> [HardwareDevice.Kind]
    /// - Throws: when the device does not answer, or not for these pictures.
    let open: @Sendable (HardwareDevice.Kind, CodecParameters) throws(FFmpegError) -> VideoDecoder

    /// What the machine has.
    static let system = DecodingDevices(
        kinds: { codec in HardwareDevice.Kind.allCases.filter { HardwareDevice.decodes(codec, on: $0) } },
        open: { (kind, parameters) throws(FFmpegError) in
            let device = try HardwareDevice.shared(kind)
            return try VideoDecoder.open(parameters, threading: .frames, threads: 1, device: device)
        }
    )
}
