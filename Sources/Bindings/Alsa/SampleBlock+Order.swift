// SPDX-License-Identifier: Apache-2.0

extension SampleBlock {
    /// Reorders the channels of packed samples: channel `n` of the result is channel `order[n]` of this block.
    ///
    /// - Precondition: samples of 2 or 4 bytes per channel.
    func ordered(_ order: [Int], _ format: AudioFormat) -> SampleBlock {
        let plane = planes.first ?? []
        precondition(format.layout.count == order.count && plane.count == count * format.stride)
        let ordered = unsafe [UInt8](unsafeUninitializedCapacity: plane.count) { target, filled in
            unsafe plane.withUnsafeBytes { source in
                switch format.samples.bytesPerSample {
                case 2: unsafe Self.move(UInt16.self, source, UnsafeMutableRawBufferPointer(target), order)
                case 4: unsafe Self.move(UInt32.self, source, UnsafeMutableRawBufferPointer(target), order)
                default: preconditionFailure("samples of \(format.samples.bytesPerSample) bytes")
                }
            }
            filled = plane.count
        }
        return SampleBlock(planes: [ordered], count: count)
    }

    @unsafe private static func move<Sample: BitwiseCopyable>(
        _ type: Sample.Type,
        _ source: UnsafeRawBufferPointer,
        _ target: UnsafeMutableRawBufferPointer,
        _ order: [Int]
    ) {
        let from = unsafe source.bindMemory(to: type)
        let to = unsafe target.bindMemory(to: type)
        for first in stride(from: 0, to: from.count, by: order.count) {
            for (channel, place) in order.enumerated() { unsafe to[first + channel] = from[first + place] }
        }
    }
}
