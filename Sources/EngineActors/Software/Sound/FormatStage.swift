// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// From one format to another, without doing anything where they are the same.
struct FormatStage {
    private final class Converting {
        var converter: AudioConverter

        init(_ converter: consuming AudioConverter) { self.converter = converter }
    }

    let input: AudioFormat
    let output: AudioFormat
    private let converting: Converting?

    /// `nil` when there is no way from the one to the other.
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

    /// `nil` for samples that cannot be converted.
    func convert(_ block: SampleBlock) -> SampleBlock? {
        guard let converting else { return block }
        do throws(FFmpegError) { return try converting.converter.convert(block) } catch { return nil }
    }

    /// What a change of the sample rate still holds back. Nothing can be converted after it.
    func finish() -> SampleBlock? {
        guard let converting, input.rate != output.rate else { return nil }
        do throws(FFmpegError) { return try converting.converter.convert(nil) } catch { return nil }
    }
}
