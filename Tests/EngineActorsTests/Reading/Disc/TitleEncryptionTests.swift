// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("How an encrypted Blu-ray title is recognized")
struct TitleEncryptionTests {
    private static let size = TransportUnit.packetByteCount
    private static let packetCount = 128

    /// The packets of a clip. The first one of each 32 has the bits that declare encryption, which decrypted copies may
    /// keep.
    private static func clip(isEncrypted: Bool) -> [UInt8] {
        (0..<packetCount).flatMap { number in
            var packet = [UInt8](repeating: 0x5A, count: size)
            let isFirst = number % 32 == 0
            if isFirst { packet[0] = 0xC0 }
            if isFirst || !isEncrypted { packet[4] = 0x47 }
            return packet
        }
    }

    /// Opens a title that begins at a packet of a clip.
    private static func refusal(_ clip: [UInt8], from packet: Int) -> EngineError? {
        let source = MemorySource(clip, name: "it", digest: "1")
        let content = TitleSource.Content(
            kind: .bluRay,
            pieces: [.init(source: source, range: Int64(packet * size)..<Int64(clip.count))],
            timeline: TitleTimeline([.init(position: 0, entry: 0, start: 0, duration: 90_000)]),
            map: nil,
            name: nil,
            languages: [:],
            chapters: .times([]),
            titles: [],
            notices: []
        )
        do throws(EngineError) {
            try TitleSource(MemoryDiscFiles([:]), number: 1, angle: 1, content).requireClear(InterruptFlag())
            return nil
        } catch {
            return error
        }
    }

    @Test("at whichever packet of its clip a title begins, encryption is recognized")
    func anyPacket() {
        let (encrypted, clear) = (Self.clip(isEncrypted: true), Self.clip(isEncrypted: false))
        for packet in 0..<64 {
            #expect(Self.refusal(encrypted, from: packet)?.code == .sourceEncrypted)
            #expect(Self.refusal(clear, from: packet) == nil)
        }
    }

    @Test("zeros in place of a block that could not be read are not encryption")
    func unreadable() {
        var clip = Self.clip(isEncrypted: false)
        let lost = 4 * Self.size..<80 * Self.size
        clip.replaceSubrange(lost, with: [UInt8](repeating: 0, count: lost.count))
        #expect(Self.refusal(clip, from: 0) == nil)
    }
}
