// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("Records of sessions")
struct SessionRecordTests {
    @Test(
        "a restored session starts far above the revision in its record",
        arguments: [0, 5, 0xF_FFFF, 0x10_0000, 0x10_0001, 0x17_FFFF, 0x63F_FFFE] as [UInt64]
    )
    func nextRevision(written: UInt64) {
        var record = SessionRecord(id: SessionID(rawValue: "1"), token: "", request: LoadRequest(source: "/a"))
        record.revision = written
        #expect(record.nextRevision >= written + (1 << 19))
    }
}
