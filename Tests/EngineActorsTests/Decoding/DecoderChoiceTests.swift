// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings
@testable import Decoding

@Suite("the choice of a decoder", .timeLimit(.minutes(10)))
struct DecoderChoiceTests {
    @Test("is software if there is no device")
    func none() { #expect(DecoderChoice([]).backend == .processor) }

    @Test("is the next kind of device when one cannot be opened, and software after the last")
    func opening() {
        var choice = DecoderChoice([.vaapi, .cuda])
        #expect(choice.backend == .device(.vaapi))
        choice.couldNotOpen("no display")
        #expect(choice.backend == .device(.cuda))
        choice.couldNotOpen("no driver")
        #expect(choice.backend == .processor)
        #expect(choice.reasons == ["vaapi: no display", "cuda: no driver"])
        choice.couldNotOpen("again")
        #expect(choice.reasons.count == 2)
    }

    @Test("is software from the point where a device gives up")
    func midway() {
        var choice = DecoderChoice([.vaapi, .cuda])
        choice.gaveUp("lost")
        #expect(choice.backend == .processor)
        #expect(choice.reasons == ["vaapi: lost"])
    }
}
