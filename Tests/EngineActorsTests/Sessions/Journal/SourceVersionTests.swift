// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

@Suite("Versions of restored sources")
struct SourceVersionTests {
    @Test(
        "Another length is another version, and so is another mark if both are known",
        arguments: [
            (10, "a", 10, "a", false), (10, "a", 10, "b", true), (10, "a", 11, "a", true), (10, nil, 10, "b", false),
            (10, "a", 10, nil, false), (10, nil, 9, nil, true),
        ] as [(Int64, String?, Int64, String?, Bool)]
    )
    func compares(_ oldCount: Int64, _ oldMark: String?, _ count: Int64, _ mark: String?, isOther: Bool) {
        let old = SourceVersion(byteCount: oldCount, mark: oldMark)
        #expect(SourceVersion(byteCount: count, mark: mark).differs(from: old) == isOther)
    }

    @Test("A source that has changed is reported, unless it grows or was not open before")
    func reports() {
        let source = MemorySource([1], name: "list", digest: "new")
        let left = SourceVersion(byteCount: 0, mark: "old")
        #expect(Notice.otherVersion(of: source, than: left)?.code == "source.other_version")
        #expect(Notice.otherVersion(of: source, than: source.version) == nil)
        #expect(Notice.otherVersion(of: source, than: nil) == nil)
        let growing = ScriptedSource([1, 2], growing: ScriptedSource.Growth(from: 1, after: Gate()))
        #expect(Notice.otherVersion(of: growing, than: left) == nil)
    }
}
