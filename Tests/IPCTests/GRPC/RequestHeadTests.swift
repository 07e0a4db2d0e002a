// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("The head of a call")
struct RequestHeadTests {
    @Test(
        "is rejected with an HTTP status unless it is gRPC",
        arguments: [
            ("POST", "application/grpc", nil), ("POST", "application/grpc+proto", nil),
            ("GET", "application/grpc", "405"), ("POST", "application/grpc-web", "415"),
            ("POST", "text/plain", "415"), ("POST", "", "415"),
        ] as [(String, String, String?)]
    )
    func refusal(method: String, contentType: String, status: String?) {
        var head = RequestHead()
        head.add(.method, method)
        head.add(.contentType, contentType)
        #expect(head.httpRefusal == status)
    }

    @Test(
        "may be as long as the limit, and must not announce compressed messages",
        arguments: [
            (100, nil, nil), (100, "identity", nil), (101, nil, .resourceExhausted), (0, "gzip", .unimplemented),
        ] as [(Int, String?, GRPCStatusCode?)]
    )
    func check(listSize: Int, encoding: String?, code: GRPCStatusCode?) {
        var head = RequestHead()
        (head.listSize, head.encoding) = (listSize, encoding)
        var found: GRPCStatusCode?
        do throws(GRPCFailure) { try head.check(listLimit: 100) } catch { found = error.status.code }
        #expect(found == code)
    }
}
