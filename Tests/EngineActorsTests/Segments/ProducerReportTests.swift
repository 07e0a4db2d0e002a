// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Segments

@Suite("The report of a producer")
struct ProducerReportTests {
    @Test("The total duration saturates if a damaged source states times centuries apart")
    func boundsLengths() {
        var report = SegmentProducer.Report()
        for length in [Int64(10_000), 1 << 60] {
            let plan = DescribedSource.plan(segments: 3, of: length)
            for index in 0..<3 { report.add(segment: index, of: plan, nanoseconds: 1) }
            #expect(report.madeMicroseconds == (length == 10_000 ? 30_000_000 : .max))
        }
        #expect(report.makingNanoseconds == 6)
    }
}
