// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

func exerciseAudio(_ bytes: [UInt8]) {
    for codec in [CodecID.aac, .ac3, .eac3, .flac, .alac, .opus, .mp3] { exerciseTrack(codec, bytes) }
    if let configuration = try? AudioSpecificConfig(bytes) {
        expect(configuration.sampleRate > 0 && configuration.outputSampleRate > 0, "sound has a rate")
        // A program config element has at most 45 pairs and three low-frequency channels.
        expect((1...93).contains(configuration.channels ?? 1), "\(configuration.channels ?? 0) channels")
    }
    if let header = ADTSHeader(bytes.span), let program = try? ProgramConfig(rawDataBlock: bytes) {
        expect(program.audioSpecificConfig(header).count <= 512, "a program config element is short")
    }
    exerciseTransform(.adts, bytes)
    if let frame = try? AC3Frame(bytes) {
        expect((1...6).contains(frame.channels) && (128...3840).contains(frame.byteCount), "an AC-3 frame: \(frame)")
        expect(frame.specificBox.count == 3, "dac3 has 3 bytes")
    }
    if let unit = try? EAC3AccessUnit(bytes) {
        expect((1...16).contains(unit.channels), "\(unit.channels) E-AC-3 channels")
        expect(unit.specificBox.count <= 64, "dec3 of \(unit.specificBox.count) bytes")
    }
    if let info = try? FLACStreamInfo(extradata: bytes) {
        expect((try? FLACStreamInfo(extradata: info.bytes)) == info, "STREAMINFO reads back")
    }
    expect((1...65536).contains(FLACFrame.sampleCount(bytes.span) ?? 1), "a FLAC frame of more than 65536 samples")
    expect((1...5760).contains(OpusPacket.sampleCount(bytes.span) ?? 1), "an Opus packet of more than 120 ms")
    _ = try? MPEGAudioHeader(bytes)
    for codec in ObjectAudio.carriers { _ = ObjectAudio.found(in: [bytes] + pieces(bytes), of: codec) }
    for codec in [CodecID.aac, .ac3] { _ = AudioFormatMark(codec: codec, frame: bytes.span) }
}
