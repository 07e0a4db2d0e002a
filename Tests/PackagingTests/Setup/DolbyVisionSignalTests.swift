// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("What a Dolby Vision record signals", .timeLimit(.minutes(10)))
struct DolbyVisionSignalTests {
    private func signal(_ compatibility: Int, transfer: Int, pictures: Int) -> DolbyVisionSignal {
        var video = VideoProperties()
        video.color = ColorDescription(primaries: 9, transfer: transfer, matrix: 9)
        video.dolbyVision = DolbyVisionConfiguration(profile: 8, level: 5, compatibility: compatibility)
        var messages = VideoMessages()
        messages.pictures = pictures
        (messages.hasDolbyVision, messages.dolbyVisionProfile) = (pictures > 0, pictures > 0 ? 8 : nil)
        return DolbyVisionSignal(codec: .hevc, video: video, messages: messages)
    }

    @Test(
        "the transfer function of the base layer decides, if it is specified",
        arguments: [
            (1, 16, 1, 0), (4, 16, 1, 1), (4, 18, 4, 0), (1, 18, 4, 1), (4, 14, 4, 0), (4, 15, 4, 0), (2, 14, 2, 0),
            (1, 14, 2, 1), (4, 2, 4, 0), (6, 2, 1, 1), (1, 1, 2, 1),
        ]
    )
    func compatibility(declared: Int, transfer: Int, found: Int, notices: Int) {
        let signal = signal(declared, transfer: transfer, pictures: 1)
        #expect(signal.record?.compatibility == found && signal.notices.count == notices)
    }

    @Test("a record is trusted until a picture has been seen")
    func unseen() { #expect(signal(1, transfer: 16, pictures: 0).record?.name == "8.1") }
}
