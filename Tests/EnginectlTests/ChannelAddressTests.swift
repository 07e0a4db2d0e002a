// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import enginectl

@Suite("Addresses of channels")
struct ChannelAddressTests {
    private static let files: Set = ["/tv/film #1.ts", "/tv/what?.ts", "/tv/a%20b.ts", "/tv/c d.ts", "/b.ts"]

    private func address(_ entry: String, beside list: FilePath = FilePath("/tv/list.m3u")) -> String {
        ChannelAddress.file(entry, beside: list) { Self.files.contains($0.text) }
    }

    @Test(
        "An entry that is no URL is the name of a file beside the list, exactly as it is written",
        arguments: ["film #1.ts", "what?.ts", "a%20b.ts", "missing #1.ts", "100%.ts", "missing%20.ts"]
    )
    func names(_ entry: String) { #expect(address(entry) == "/tv/" + entry) }

    @Test("Percent escapes are decoded only if the result is the name of a file that exists")
    func escapes() { #expect(address("c%20d.ts") == "/tv/c d.ts") }

    @Test("An absolute path does not depend on the list")
    func absolute() { #expect(address("/b.ts") == "/b.ts") }

    @Test("URLs stay as they are", arguments: ["http://tuner:5004/v5.1", "udp://@239.0.0.1:1234", "file:/b%E9.ts"])
    func urls(_ entry: String) { #expect(address(entry) == entry) }

    @Test("The folder of a list may have any name")
    func folders() {
        let list = FilePath(Array("/t".utf8) + [0xE9] + Array("/list.m3u".utf8))
        #expect(address("a.ts", beside: list) == "file:///t%E9/a.ts")
    }

    @Test("An entry of a list on a server is resolved against the URL of the list")
    func resources() throws {
        let list = try #require(URL(string: "http://tuner/lists/all.m3u"))
        #expect(ChannelAddress.resource("../v1", beside: list) == "http://tuner/v1")
        #expect(ChannelAddress.resource("rtp://239.0.0.1:1", beside: list) == "rtp://239.0.0.1:1")
    }
}

@Suite("Resources in files")
struct FetchedFileTests {
    @Test("A file is read whatever bytes its name has, without the query of its URL, up to the limit")
    func anyName() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fetched-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let inner = FilePath(folder.path).appending([0xE9])
        try FileArgument(path: inner).makeFolder()
        let file = FileArgument(path: inner.appending([0x61, 0xFF, 0x23]))
        try file.write([1, 2, 3])
        let url = try #require(URL(string: file.path.fileURL + "?a=b"))
        #expect(url.shown == file.path.text)
        #expect(try await ResourceFetcher().fetch(url, limit: 3) == [1, 2, 3])
        await #expect(throws: Failure.self) { try await ResourceFetcher().fetch(url, limit: 2) }
        let list = try #require(URL(string: FilePath(inner.bytes + Array("/list.m3u8".utf8)).fileURL))
        let segment = try #require(URL(string: "a%FF%23", relativeTo: list))
        #expect(try await ResourceFetcher().fetch(segment, limit: 3) == [1, 2, 3])
        let missing = try #require(URL(string: inner.fileURL + "/b%FE"))
        let failure = await #expect(throws: Failure.self) { try await ResourceFetcher().fetch(missing, limit: 3) }
        #expect(failure.map { "\($0)".contains("/%E9/b%FE") } == true)
    }
}
