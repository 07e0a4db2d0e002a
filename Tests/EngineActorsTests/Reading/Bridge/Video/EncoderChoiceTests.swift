// SPDX-License-Identifier: Apache-2.0

import Bindings
import Packaging
import Testing

@testable import Reading

@Suite("Encoders of bridged video")
struct EncoderChoiceTests {
    /// The choice on a machine on which these encoders work.
    private func choice(
        _ working: Set<EncoderLibrary>,
        usesDevice: Bool,
        for codec: EncodedCodec = .h264
    ) throws(PackagingError) -> (made: EncoderLibrary, refusals: [EncoderChoice.Refusal], tried: [EncoderLibrary]) {
        var tried: [EncoderLibrary] = []
        let candidates = EncoderChoice.candidates(for: codec, usesDevice: usesDevice)
        let found = try EncoderChoice.first(of: candidates) { (candidate) throws(PackagingError) in
            tried.append(candidate)
            guard working.contains(candidate) else {
                throw PackagingError(.unsupportedCodec, "no \(candidate.rawValue)")
            }
            return candidate
        }
        return (found.made, found.refusals, tried)
    }

    @Test("the processor encodes unless a device is asked for, and no device is tried")
    func processor() throws {
        let found = try choice([.x264, .vaapi, .nvenc], usesDevice: false)
        #expect(found.made == .x264 && found.refusals.isEmpty && found.tried == [.x264])
    }

    @Test("the first device that works encodes, and the refusals of the devices before it are returned")
    func devices() throws {
        let first = try choice([.x264, .vaapi, .nvenc], usesDevice: true)
        #expect(first.made == .vaapi && first.refusals.isEmpty && first.tried == [.vaapi])
        let second = try choice([.x264, .nvenc], usesDevice: true)
        #expect(second.made == .nvenc && second.tried == [.vaapi, .nvenc])
        #expect(second.refusals == [.init(device: "VAAPI", reason: "no h264_vaapi")])
    }

    @Test("if no device works, the processor encodes, and the refusal of each device is returned")
    func fallback() throws {
        let found = try choice([.x264], usesDevice: true)
        #expect(found.made == .x264 && found.tried == [.vaapi, .nvenc, .x264])
        #expect(found.refusals.map(\.device) == ["VAAPI", "NVENC"])
        #expect(found.refusals.map(\.reason) == ["no h264_vaapi", "no h264_nvenc"])
    }

    @Test("if nothing encodes, the error is that of the processor")
    func nothing() {
        #expect(throws: PackagingError(.unsupportedCodec, "no libx264")) { try choice([], usesDevice: true) }
    }

    @Test("codecs that no device encodes are encoded by the processor", arguments: [EncodedCodec.vp9, .av1])
    func others(codec: EncodedCodec) throws {
        let found = try choice(Set(EncoderLibrary.libraries), usesDevice: true, for: codec)
        #expect(found.made == (codec == .vp9 ? .vpx : .svtAV1) && found.refusals.isEmpty && found.tried.count == 1)
    }

    @Test("only x264 models the decoder's buffer; VAAPI, libvpx and SVT-AV1 write no captions")
    func properties() {
        #expect(EncoderLibrary.allCases.filter(\.hasBufferModel) == [.x264])
        #expect(EncoderLibrary.allCases.filter(\.carriesCaptions) == [.x264, .nvenc])
        #expect(EncoderLibrary.libraries + EncoderLibrary.devices == EncoderLibrary.allCases)
        #expect(EncoderLibrary.allCases.filter { $0.deviceName != nil } == EncoderLibrary.devices)
    }
}
