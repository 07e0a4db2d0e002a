// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Converts samples from one format to another. Returns them unchanged if both formats are the same.
struct FormatStage {
    private final class Converting {
        var converter: AudioConverter

        init(_ converter: consuming AudioConverter) { self.converter = converter }
    }

    let input: AudioFormat
    let output: AudioFormat
    private let converting: Converting?

    /// Returns `nil` if `input` cannot be converted to `output`.
    init?(from input: AudioFormat, to output: AudioFormat) {
        self.input = input
        self.output = output
        guard input != output else {
            converting = nil
            return
        }
        do throws(FFmpegError) {
            converting = Converting(try AudioConverter.open(from: input, to: output, neverClips: true))
        } catch {
            return nil
        }
    }

    /// Returns `nil` if `block` cannot be converted.
    func convert(_ block: SampleBlock) -> SampleBlock? {
        guard let converting else { return block }
        do throws(FFmpegError) { return try converting.converter.convert(block) } catch { return nil }
    }

    /// The samples that the resampler still holds; `nil` if the rates are equal, or if the conversion fails. Nothing
    /// may be converted afterwards.
    func finish() -> SampleBlock? {
        guard let converting, input.rate != output.rate else { return nil }
        do throws(FFmpegError) { return try converting.converter.convert(nil) } catch { return nil }
    }
}
