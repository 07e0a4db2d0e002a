// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import EngineClient
@testable import Wire

@Suite("The parts of a client's call")
struct ClientCallPartsTests {
    private func framed(_ byte: UInt8) -> [UInt8] { MessageFraming.framed([[byte]]) }

    @Test("the window closes while too many messages wait, and opens again once few are left")
    func window() throws {
        var messages = ResponseMessages()
        let size = framed(0).count
        for byte in 1...20 {
            let window = try messages.receive(framed(UInt8(byte)).span)
            #expect(window == (byte < ResponseMessages.highWater ? size : 0), "message \(byte)")
        }
        let held = (20 - ResponseMessages.highWater + 1) * size
        for byte in 1...20 {
            let next = messages.next()
            #expect(next?.message == [UInt8(byte)])
            #expect(next?.window == (20 - byte == ResponseMessages.lowWater ? held : 0), "message \(byte)")
        }
        #expect(messages.isEmpty)
    }

    @Test("the bytes of an unfinished message return their window at once")
    func partOfMessage() throws {
        var messages = ResponseMessages()
        let bytes = framed(7)
        let (head, rest) = (Array(bytes[..<4]), Array(bytes[4...]))
        let first = try messages.receive(head.span)
        #expect(first == 4 && messages.isEmpty)
        let second = try messages.receive(rest.span)
        #expect(second == rest.count)
        let next = messages.next()
        #expect(next?.message == [7])
    }

    @Test("a request is sent in parts, waits for more, and ends once it is complete")
    func request() {
        var request = RequestBody([1, 2, 3], isComplete: false)
        let parts = request.parts(of: 2)
        #expect(parts == [[1, 2], [3]])
        request.append([4])
        let rest = request.parts(of: 2)
        #expect(rest == [[4]])
        request.complete()
        guard case .end(trailers: nil) = request.next(limit: 2) else {
            Issue.record("the request does not end")
            return
        }
    }

    @Test("a request has room up to the limit of unsent bytes")
    func room() {
        var request = RequestBody([UInt8](repeating: 0, count: RequestBody.limit), isComplete: false)
        #expect(request.hasRoom)
        request.append([1])
        #expect(!request.hasRoom)
        _ = request.next(limit: 1)
        #expect(request.hasRoom)
    }

    struct Outcome: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fields: [(HeaderName, String)]
        let failure: EngineClientError?
    }

    @Test(
        "the header fields say how a call ended",
        arguments: [
            Outcome(testDescription: "success", fields: [(.status, "200"), (.grpcStatus, "0")], failure: nil),
            Outcome(
                testDescription: "no status",
                fields: [(.status, "200")],
                failure: EngineClientError(GRPCStatus(.unknown))
            ),
            Outcome(
                testDescription: "a status that is not a number",
                fields: [(.status, "200"), (.grpcStatus, "ok")],
                failure: EngineClientError(GRPCStatus(.unknown))
            ),
            Outcome(
                testDescription: "a failure with a message",
                fields: [(.status, "200"), (.grpcStatus, "5"), (.grpcMessage, "not%20here")],
                failure: EngineClientError(GRPCStatus(.notFound, "not here"))
            ),
            Outcome(
                testDescription: "an HTTP error",
                fields: [(.status, "404"), (.grpcStatus, "0")],
                failure: EngineClientError(.unavailable, "the server returned HTTP status 404")
            ),
        ]
    )
    func outcome(_ outcome: Outcome) {
        var status = ResponseStatus()
        for (name, value) in outcome.fields { status.receive(name, value) }
        #expect(status.failure == outcome.failure)
    }
}

extension RequestBody {
    /// Takes parts until none is left.
    fileprivate mutating func parts(of limit: Int) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        while case .bytes(let part) = next(limit: limit) { parts.append(Array(part)) }
        return parts
    }
}
