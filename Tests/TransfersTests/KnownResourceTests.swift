// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

@Suite("Known resource")
struct KnownResourceTests {
    enum Event: Sendable {
        case received(Range<Int64>)
        /// The server has refused a range from this offset without stating the length.
        case refused(Int64)
    }

    private static func resource(_ events: [Event]) -> KnownResource {
        var resource = KnownResource()
        for event in events {
            switch event {
            case .received(let range): resource.received(range)
            case .refused(let offset): resource.refused(at: offset, ResourceState())
            }
        }
        return resource
    }

    @Test(
        "A refused offset bounds the length; the length is known once the bytes up to that offset have been received",
        arguments: [
            ([], nil, nil), ([.received(0..<100)], nil, nil), ([.refused(200)], 200, nil),
            ([.refused(0)], 0, 0), ([.received(0..<100), .refused(200)], 200, nil),
            ([.received(0..<100), .refused(200), .refused(300)], 200, nil),
            ([.received(0..<100), .refused(200), .refused(100)], 100, 100),
            ([.refused(100), .received(0..<100)], 100, 100), ([.refused(100), .received(40..<100)], 100, 100),
            ([.refused(100), .received(0..<0)], 100, nil),
            // Bytes beyond the refused offset show that the refusal was wrong.
            ([.refused(100), .received(0..<150)], nil, nil),
            // Once known, the length stays.
            ([.received(0..<100), .refused(100), .received(50..<100), .refused(100)], 100, 100),
        ] as [([Event], Int64?, Int64?)]
    )
    func concludes(events: [Event], end: Int64?, length: Int64?) {
        let resource = Self.resource(events)
        #expect(resource.end == end && resource.state.byteCount == length)
        #expect(resource.endsBefore(end ?? 0) == (end != nil))
        #expect(!resource.endsBefore((end ?? .max) - 1))
    }

    @Test("A refusal that contradicts the received bytes does not mean that the range lies beyond the end")
    func contradictions() {
        var (resource, empty) = (Self.resource([.received(0..<100)]), KnownResource())
        let bare = TransferHead.http(ResponseHead(status: 416, fields: []))
        let sized = TransferHead.http(
            ResponseHead(status: 416, fields: [ResponseHead.Field("Content-Range", "bytes */70")])
        )
        #expect(resource.response(bare, to: .bytes(99..<200), begunAfter: 0) == .refused(416, retryAfter: nil))
        #expect(resource.response(bare, to: .bytes(100..<200), begunAfter: 0) == .pastEnd(ResourceState()))
        #expect(resource.response(sized, to: .bytes(80..<200), begunAfter: 0) == .changed(ResourceState(byteCount: 70)))
        #expect(empty.response(sized, to: .bytes(80..<200), begunAfter: 0) == .pastEnd(ResourceState(byteCount: 70)))
    }

    @Test("A stated length replaces the bound that refused offsets have given")
    func statedLength() {
        var resource = Self.resource([.received(0..<100), .refused(200)])
        resource.refused(at: 190, ResourceState(byteCount: 150))
        #expect(resource.end == 150 && resource.state.byteCount == 150)
    }

    @Test("If a resource is received from its start again, earlier ranges no longer bound its length")
    func forgets() {
        var resource = Self.resource([.received(0..<100), .refused(200)])
        resource.forgetRanges()
        #expect(resource.end == nil)
        resource.received(0..<200)
        #expect(resource.state.byteCount == nil)
    }
}
