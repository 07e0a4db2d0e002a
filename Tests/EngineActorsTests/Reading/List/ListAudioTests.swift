// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("Formats of the audio of lists")
struct ListAudioTests {
    private func format(_ codec: CodecID) -> ListedAudio {
        ListedAudio(codec: codec, extradata: [], frame: [1], properties: nil, time: 0)
    }

    @Test("a format keeps the number that it got when its group was first read")
    func numbers() {
        let audio = ListAudio()
        #expect(!audio.isKnown(1, of: 0) && audio.audio(numbered: 1) == nil)
        audio.note([3: format(.ac3), 4: format(.mp3)], in: 1, of: 0)
        audio.note([3: format(.aac)], in: 1, of: 0)
        audio.note([5: format(.aac)], in: 1, of: 1)
        #expect(audio.audio(of: 3, in: 1, of: 0)?.number == 1)
        #expect([1, 2, 3].map { audio.audio(numbered: $0)?.codec } == [.ac3, .mp3, .aac])
        #expect(audio.audio(numbered: 0) == nil && audio.audio(numbered: Packet.unknownFormat) == nil)
    }

    @Test("the formats of the oldest groups are dropped if there are too many groups, or if their frames are too large")
    func limits() {
        let audio = ListAudio()
        for group in 1...513 { audio.note([3: format(.ac3)], in: group, of: 0) }
        #expect(!audio.isKnown(1, of: 0) && audio.isKnown(2, of: 0) && audio.isKnown(513, of: 0))
        let frame = [UInt8](repeating: 0, count: 24 << 20)
        let large = ListedAudio(codec: .flac, extradata: [], frame: frame, properties: nil, time: 0)
        for group in 1...3 { audio.note([3: large], in: group, of: 1) }
        #expect(!audio.isKnown(513, of: 0) && [1, 2, 3].map { audio.isKnown($0, of: 1) } == [false, true, true])
        // A format that is read again has another number.
        audio.note([3: large], in: 1, of: 1)
        #expect(audio.audio(of: 3, in: 1, of: 1)?.number == 517 && audio.audio(numbered: 514) == nil)
        #expect(audio.isKnown(3, of: 1) && !audio.isKnown(2, of: 1))
    }

    @Test("packets whose codec is not that of their group have an unknown format")
    func packets() {
        let audio = ListAudio()
        audio.note([3: format(.ac3)], in: 1, of: 0)
        func number(_ other: CodecID?, in group: Int) -> Int { audio.format(of: 3, .aac, other, in: group, of: 0) }
        #expect(number(.ac3, in: 1) == 1 && number(nil, in: 1) == Packet.unknownFormat)
        #expect(number(.mp3, in: 1) == Packet.unknownFormat)
        #expect(audio.format(of: 3, .mp2, .mp3, in: 0, of: 0) == 0, "layers are told apart late")
        // No format is kept of the group that was read first, and of a group without audio in its first segment.
        #expect(number(nil, in: 0) == 0 && number(.ac3, in: 0) == Packet.unknownFormat)
    }
}
