// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Messages about loudness survive the wire")
struct LoudnessMessageTests {
    private static func body(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(MessageFraming.prefixByteCount)) }

    @Test(
        "requests",
        arguments: [LoudnessRequest.Place.session(nil), .session(SessionID(rawValue: "s1")), .source("/film.mkv")],
        [nil, 0, 3]
    )
    func requests(place: LoudnessRequest.Place, stream: Int?) throws {
        var request = LoudnessRequest(place)
        request.stream = stream
        if case .source = place { request.program = .number(7) }
        #expect(try LoudnessRequest(wire: Self.body(request.framed())) == request)
    }

    @Test("an empty request is for the played track of the default session, and an empty source is rejected")
    func defaults() throws {
        #expect(try LoudnessRequest(wire: []) == LoudnessRequest(.session(nil)))
        #expect(throws: EngineError(.invalidArgument, "source is empty", field: "source")) {
            try LoudnessRequest(wire: Self.body(LoudnessRequest(.source("")).framed()))
        }
    }

    @Test("steps, without a loudness and with that of silence")
    func steps() throws {
        var step = LoudnessStep(stream: 2)
        step.progress = 0.25
        #expect(try LoudnessStep(wire: Self.body(step.framed())) == step)
        step.loudness = Loudness(integrated: -.infinity, range: 0, truePeak: -0.5, duration: .seconds(3))
        #expect(try LoudnessStep(wire: Self.body(step.framed())) == step)
    }
}
