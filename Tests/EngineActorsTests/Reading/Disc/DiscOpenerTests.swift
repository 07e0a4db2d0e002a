// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Packaging
@testable import Reading

@Suite("What is fetched of a resource before it is known to be a disc")
struct DiscOpenerTests {
    @Test(
        "the descriptors of a file system are fetched together if an HTTP resource has a usual name for images",
        arguments: [
            ("http://host/film.iso", true), ("https://host/a.b/Film%20X.ISO?key=1", true),
            ("http://host/disc.img", true),
            ("http://host/film.mkv", false), ("http://host/iso", false), ("http://host/film.iso/", false),
            ("http://host/film?name=x.iso", false), ("sftp://host/film.iso", false),
        ]
    )
    func expectedReads(url: String, isImage: Bool) throws {
        let reads = DiscOpener.expectedReads(of: try ResourceURL(url))
        #expect(reads.isEmpty != isImage)
        guard isImage else { return }
        // All descriptors that the parsers announce, without a gap.
        let (start, descriptors) = (reads[0], reads.dropFirst())
        #expect(start == 0..<128 << 10 && descriptors.first?.lowerBound == 512 << 10)
        #expect(descriptors.last?.upperBound == UDFVolume.firstDescriptors.upperBound)
        #expect(zip(descriptors, descriptors.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    }

    @Test("the image of a disc that is received in the order of its bytes is refused; other sources that grow are not")
    func growing() throws {
        let blank = [UInt8](repeating: 0, count: 40 << 10)
        var image = blank
        image.replaceSubrange(32_769..<32_774, with: Array("BEA01".utf8))
        var film = image
        film[0] = 0x47
        let opener = DiscOpener(choice: TitleChoice())
        func source(_ bytes: [UInt8]) -> ScriptedSource {
            ScriptedSource(bytes, growing: .init(from: bytes.count, after: Gate()))
        }
        #expect {
            _ = try opener.open(image: source(image), InterruptFlag())
        } throws: {
            ($0 as? EngineError)?.code == .sourceNotReadable
        }
        for other in [blank, film] {
            #expect(try opener.open(image: source(other), InterruptFlag()) == nil)
        }
    }
}
