// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The sample rate and channel fields of a frame header, to detect a change within a stream. Pure, in constant time.
package struct AudioFormatMark: Hashable, Sendable {
    private let bits: UInt32

    /// `nil` for codecs whose frames have no such header, and for invalid frames.
    package init?(codec: CodecID, frame: Span<UInt8>) {
        switch codec {
        case .aac:
            // adts_fixed_header, ISO/IEC 13818-7 §6.2: profile, sampling_frequency_index, channel_configuration.
            guard frame.count >= 7, frame[0] == 0xFF, frame[1] & 0xF6 == 0xF0 else { return nil }
            bits = UInt32(frame[2] & 0xFD) << 8 | UInt32(frame[3] & 0xC0)
        case .ac3:
            // fscod of syncinfo, ETSI TS 102 366 §4.4.1, and acmod, §4.4.2.
            guard frame.count >= 7, frame[0] == 0x0B, frame[1] == 0x77, frame[5] >> 3 <= 10 else { return nil }
            bits = UInt32(frame[4] & 0xC0) << 8 | UInt32(frame[6] & 0xE0)
        default: return nil
        }
    }
}
