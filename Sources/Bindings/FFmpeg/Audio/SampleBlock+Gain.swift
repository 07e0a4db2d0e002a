// SPDX-License-Identifier: Apache-2.0

extension SampleBlock {
    /// Applies a gain that changes linearly from `start` to `end` over the first `length` samples and then stays at
    /// `end`.
    ///
    /// - Precondition: packed floats with `channels` channels.
    package func gained(from start: Float, to end: Float, within length: Int, channels: Int) -> SampleBlock {
        var bytes = planes.first ?? []
        unsafe bytes.withUnsafeMutableBytes { raw in
            let samples = unsafe raw.bindMemory(to: Float.self)
            for index in samples.indices {
                let place = index / max(1, channels) + 1
                let gain = place >= length ? end : start + (end - start) * Float(place) / Float(length)
                unsafe samples[index] *= gain
            }
        }
        return SampleBlock(planes: [bytes], count: count)
    }

    /// Silence, `count` samples long, with the bytes that `av_samples_set_silence` writes.
    package static func silence(_ count: Int, _ format: AudioFormat) -> SampleBlock {
        let value: UInt8 = format.samples.isUnsigned ? 0x80 : 0
        let plane = [UInt8](repeating: value, count: count * format.stride)
        return SampleBlock(planes: Array(repeating: plane, count: format.planeCount), count: count)
    }
}
