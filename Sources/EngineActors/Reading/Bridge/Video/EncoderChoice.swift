// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Chooses what encodes bridged video: a device if the load asks for one and one works, otherwise the processor. Pure.
enum EncoderChoice {
    /// Why a device does not encode.
    struct Refusal: Hashable, Sendable {
        let device: String
        let reason: String
    }

    /// What encodes a codec, in the order in which it is tried. The last one is on the processor.
    static func candidates(for codec: EncodedCodec, usesDevice: Bool) -> [EncoderLibrary] {
        switch codec {
        case .h264: (usesDevice ? EncoderLibrary.devices : []) + [.x264]
        case .vp9: [.vpx]
        case .av1: [.svtAV1]
        }
    }

    /// What `make` returns for the first candidate for which it does not throw, and why the devices before it do not encode.
    ///
    /// - Throws: what `make` throws for the last candidate.
    static func first<Made>(
        of candidates: [EncoderLibrary],
        make: (EncoderLibrary) throws(PackagingError) -> Made
    ) throws(PackagingError) -> (made: Made, refusals: [Refusal]) {
        var refusals: [Refusal] = []
        for candidate in candidates {
            do throws(PackagingError) {
                return (try make(candidate), refusals)
            } catch {
                guard let device = candidate.deviceName else { throw error }
                refusals.append(Refusal(device: device, reason: error.message))
            }
        }
        throw PackagingError(.unsupportedCodec, "no encoder is left")
    }
}
