// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The first bytes of a keyframe in Matroska")
struct KeyframeBytesTests {
    private final class File {
        let bytes: [UInt8]
        private(set) var reads = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            reads += 1
            return Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
    }

    private func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let size = [16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: content.count >> shift) }
        return id + [0x10 | UInt8(content.count >> 24)] + size + content
    }

    /// A cluster at 1 s after a hundred other bytes: a keyframe of the second track, then one of the first.
    private func file(companion: Int) -> File {
        let other = element([0xA3], [0x82, 0, 1, 0x80] + [UInt8](repeating: 0xEE, count: companion))
        let lead = element([0xA3], [0x81, 0, 0, 0x80] + VP9Fixture.keyframe + [UInt8](repeating: 7, count: 5000))
        let cluster = element([0x1F, 0x43, 0xB6, 0x75], element([0xE7], [0x03, 0xE8]) + other + lead)
        return File([UInt8](repeating: 0, count: 100) + cluster)
    }

    private let keyframe = Keyframe(time: 1000, seekTimestamp: 1000, position: 100)

    private func reader(_ file: File) -> KeyframeBytes {
        KeyframeBytes(of: .fixture(), in: ContainerFormat(name: "matroska,webm"), read: file.read)
    }

    @Test("Headers that lie near each other are read together", arguments: [0, 200, 800])
    func near(companion: Int) {
        let file = file(companion: companion)
        #expect(reader(file).isRandomAccessPoint(keyframe))
        #expect(file.reads <= 2)
    }

    @Test(
        "The frame is the same however far its header is from the cluster's",
        arguments: [0, 985, 1011, 1024, 70_000]
    )
    func far(companion: Int) {
        let file = file(companion: companion)
        let bytes = reader(file).beginning(of: keyframe)
        #expect(bytes == VP9Fixture.keyframe + [UInt8](repeating: 7, count: 4096 - VP9Fixture.keyframe.count))
    }

    @Test("Of packets that are stored compressed, nothing is read: decoding may start at each")
    func compressed() {
        let file = File([UInt8](repeating: 0x78, count: 5000))
        let bytes = KeyframeBytes(
            of: .fixture(),
            in: ContainerFormat(name: "matroska,webm"),
            isCompressed: true,
            read: file.read
        )
        #expect(
            bytes.isRandomAccessPoint(keyframe) && !bytes.isGradual(keyframe) && bytes.beginning(of: keyframe).isEmpty
        )
        #expect(file.reads == 0)
    }

    @Test("A frame that is cut off by the end of the file is read up to that end")
    func cut() {
        let whole = file(companion: 200).bytes
        let file = File(Array(whole.dropLast(4000)))
        #expect(reader(file).beginning(of: keyframe).count == VP9Fixture.keyframe.count + 1000)
    }
}
