// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Requests for frames and audio on the wire")
struct AttachmentWireTests {
    @Test("a request for frames survives the wire", arguments: FrameFormat.allCases)
    func frames(format: FrameFormat) throws {
        var request = FramesRequest(of: SessionID(rawValue: "3"), format: format, slotCount: 9, pace: .everyFrame)
        if format != .source { (request.maximumWidth, request.maximumHeight) = (1280, 720) }
        #expect(try FramesRequest(wire: Array(request.framed().dropFirst(MessageFraming.prefixByteCount))) == request)
    }

    @Test("a request for audio survives the wire", arguments: PCMFormat.allCases)
    func audio(format: PCMFormat) throws {
        let request = AudioRequest(format: format, rate: 44_100, layout: "5.1(side)", buffer: .seconds(2))
        #expect(try AudioRequest(wire: Array(request.framed().dropFirst(MessageFraming.prefixByteCount))) == request)
    }

    @Test("absent fields have their defaults")
    func defaults() throws {
        #expect(try FramesRequest(wire: []) == FramesRequest())
        #expect(try AudioRequest(wire: []) == AudioRequest())
    }

    @Test(
        "a message of the side socket is 16 bytes, and anything else is invalid",
        arguments: [HandoverMessage.Kind.memory, .news, .refused, .over]
    )
    func message(kind: HandoverMessage.Kind) {
        let message = HandoverMessage(kind, value: 0x1234_5678_9ABC_DEF0)
        #expect(message.bytes.count == HandoverMessage.byteCount)
        #expect(HandoverMessage(message.bytes) == message)
        #expect(HandoverMessage(Array(message.bytes.dropLast())) == nil)
        var strange = message.bytes
        strange[0] = 9
        #expect(HandoverMessage(strange) == nil)
        strange = message.bytes
        strange[4] = 2
        #expect(HandoverMessage(strange) == nil)
    }
}
