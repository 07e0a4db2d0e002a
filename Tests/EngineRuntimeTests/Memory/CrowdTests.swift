// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineRuntime

@Suite("Memory of many clients", .timeLimit(.minutes(10)))
struct CrowdTests {
    /// The counts at which memory is returned.
    private static func returns(_ counts: some Sequence<Int>) -> [Int] {
        var crowd = Crowd()
        return counts.filter { crowd.changed(to: $0) }
    }

    @Test("is returned whenever seven of eight clients have left")
    func leaving() {
        #expect(Self.returns(stride(from: 4096, through: 0, by: -1)) == [512, 64])
        #expect(Self.returns(stride(from: 256, through: 0, by: -1)) == [32])
    }

    @Test("is kept by a small crowd, and by one whose members come and go")
    func coming() {
        #expect(Self.returns(stride(from: 255, through: 0, by: -1)).isEmpty)
        #expect(Self.returns([1000, 126, 1000, 200, 999]).isEmpty)
        // A second crowd is as large as the first.
        #expect(Self.returns([1000, 0, 1000, 0]) == [0, 0])
    }
}
