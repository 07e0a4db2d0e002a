// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Bindings
@testable import Decoding

extension FFmpegOracle {
    /// Expects the decoded samples of a stream to equal those that the `ffmpeg` command outputs, sample by sample.
    func compare(_ pieces: [TimedAudio], of stream: Int) throws {
        guard let first = pieces.first else {
            #expect(try expectedSamples(of: stream, codec: "pcm_s16le").isEmpty)
            return
        }
        let expected = try expectedSamples(of: stream, codec: first.format.packedCodec)
        var found = Data()
        for piece in pieces { found.append(try piece.packed) }
        #expect(found.count == expected.count)
        #expect(found == expected, "\(path) first differs at byte \(Self.difference(found, expected))")
    }

    private static func difference(_ a: Data, _ b: Data) -> Int {
        let common = min(a.count, b.count)
        return zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? common
    }
}

extension AudioFormat {
    /// The name of the PCM codec with the same samples, interleaved.
    fileprivate var packedCodec: String {
        switch (samples.bytesPerSample, samples.isFloat) {
        case (1, _): "pcm_u8"
        case (2, _): "pcm_s16le"
        case (4, true): "pcm_f32le"
        case (8, true): "pcm_f64le"
        default: "pcm_s32le"
        }
    }
}

extension TimedAudio {
    /// The samples, interleaved.
    var packed: Data {
        get throws {
            guard format.samples.isPlanar else { return Data(block.planes.first ?? []) }
            var target = format
            target.samples = format.samples.packed
            var converter = try AudioConverter.open(from: format, to: target)
            return try Data(converter.convert(block).planes.first ?? [])
        }
    }
}
