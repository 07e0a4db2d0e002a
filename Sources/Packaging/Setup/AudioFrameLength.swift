// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The duration of one frame of coded audio, from its own header.
package struct AudioFrameLength: Hashable, Sendable {
    package let samples: Int
    package let rate: Int

    /// - Parameter frame: the frame with its header, as in a transport stream.
    /// - Returns: `nil` for other codecs, and if the header is invalid.
    package init?(codec: CodecID, frame: [UInt8]) {
        do throws(PackagingError) {
            switch codec {
            case .aac:
                guard let header = ADTSHeader(frame.span) else { return nil }
                // One block or more of 1024 samples: ISO/IEC 13818-7 §6.2.
                samples = 1024 * max(1, header.blockCount)
                rate = AudioSpecificConfig.sampleRates[header.sampleRateIndex]
            case .ac3:
                (samples, rate) = (AC3Frame.samplesPerFrame, try AC3Frame(frame).sampleRate)
            case .mp2:
                // Layer II, ISO/IEC 11172-3 §2.4.2.3 and 13818-3 §2.4.2.3.
                let rates = [44_100, 48_000, 32_000]
                guard frame.count >= 4, frame[0] == 0xFF, frame[1] & 0xE6 == 0xE4,
                    rates.indices.contains(Int(frame[2] >> 2 & 3))
                else { return nil }
                let isFull = frame[1] & 0x18 == 0x18
                (samples, rate) = (1152, rates[Int(frame[2] >> 2 & 3)] / (isFull ? 1 : 2))
            case .mp3:
                let header = try MPEGAudioHeader(frame)
                (samples, rate) = (header.samplesPerFrame, header.sampleRate)
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
