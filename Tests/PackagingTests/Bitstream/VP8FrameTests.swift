// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite("VP8 frame tags")
struct VP8FrameTests {
    private func isShown(_ bytes: [UInt8]) -> Bool { VP8Frame.isShown(bytes.span) }

    @Test("the tag says whether a frame is displayed; an empty frame, which repeats the last one, is displayed")
    func shown() {
        #expect(isShown([0x10, 0, 0]) && isShown([]))
        #expect(!isShown([0x01, 0, 0]))
    }
}
