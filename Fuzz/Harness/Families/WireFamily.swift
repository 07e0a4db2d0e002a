// SPDX-License-Identifier: Apache-2.0

import EngineModel
import NIOCore

@testable import Server
@testable import Wire
@testable import Loopback

func exerciseWire(_ bytes: [UInt8]) {
    exerciseMessages(bytes)
    exerciseRequests(bytes)
    exerciseDeframer(bytes)
    exerciseHeads(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    _ = GRPCTimeout.parse(text)
    expect(PercentEncoding.encode(text).utf8.count <= 3 * PercentEncoding.longestText, "a trailer is short")
    _ = PercentEncoding.decode(text)
    _ = RequestTarget(text)
    _ = HostCheck(boundAddress: "127.0.0.1").allows(text)
    if case .part(let range) = ByteRange(header: text, byteCount: 1000) {
        expect(range.lowerBound >= 0 && range.upperBound <= 1000 && !range.isEmpty, "a range of \(range)")
    }
}

/// The input is taken as every message of clients and servers. A message that was read can be written and read again.
private func exerciseMessages(_ bytes: [UInt8]) {
    let body = { (framed: [UInt8]) in Array(framed.dropFirst(MessageFraming.prefixByteCount)) }
    if let load = try? LoadRequest(wire: bytes) {
        expect((try? LoadRequest(wire: body(load.framed()))) == load, "LoadRequest reads back")
    }
    if let command = try? CommandRequest(wire: bytes, command: .player(.play)) {
        expect(
            (try? CommandRequest(wire: body(command.framed()), command: .player(.play))) == command,
            "a command reads back"
        )
    }
    if let request = try? StateRequest(wire: bytes) {
        expect((try? StateRequest(wire: body(request.framed()))) == request, "the request of GetState reads back")
    }
    if let seek = try? CommandRequest(seek: bytes) {
        expect((try? CommandRequest(seek: body(seek.framed()))) == seek, "SeekRequest reads back")
    }
    _ = try? CommandRequest(setRate: bytes)
    if let choice = try? CommandRequest(selectAudio: bytes) {
        expect((try? CommandRequest(selectAudio: body(choice.framed()))) == choice, "SelectAudioRequest reads back")
    }
    if let watch = try? WatchOptions(wire: bytes) {
        expect((try? WatchOptions(wire: body(watch.framed()))) == watch, "WatchRequest reads back")
    }
    if let probe = try? ProbeRequest(wire: bytes) {
        expect((try? ProbeRequest(wire: body(probe.framed()))) == probe, "ProbeRequest reads back")
    }
    if let still = try? StillRequest(thumbnail: bytes) {
        expect((try? StillRequest(thumbnail: body(still.framed()))) == still, "ThumbnailRequest reads back")
    }
    if let still = try? StillRequest(snapshot: bytes) {
        expect((try? StillRequest(snapshot: body(still.framed()))) == still, "SnapshotRequest reads back")
    }
    if let sheet = try? ContactSheetRequest(wire: bytes) {
        expect((try? ContactSheetRequest(wire: body(sheet.framed()))) == sheet, "ContactSheetRequest reads back")
    }
    _ = try? PrewarmMessages.source(wire: bytes)
    _ = try? Still(wire: bytes)
    _ = try? ContactSheetProgress(wire: bytes)
    _ = try? ListSessionsRequest.check(bytes)
    var segment: [UInt8] = []
    _ = try? SegmentChunk.append(wire: bytes, to: &segment)
    expect(segment.count <= bytes.count, "a chunk is not longer than its message")
    _ = try? HealthMessages.service(wire: bytes)
    _ = try? ReflectionRequest(wire: bytes)
    _ = try? SessionState(wire: bytes)
    _ = try? MediaDescription(wire: bytes)
    _ = try? CommandResult(wire: bytes)
    _ = try? WatchEvent.decoded(bytes)
}

private func exerciseDeframer(_ bytes: [UInt8]) {
    func messages(cutAt cut: Int) -> [[UInt8]]? {
        var deframer = MessageDeframer(limit: 1 << 16)
        var messages: [[UInt8]] = []
        for part in [bytes.prefix(cut), bytes.dropFirst(cut)] {
            let part = Array(part)
            guard (try? deframer.receive(part.span) { messages.append($0) }) != nil else { return nil }
            expect(deframer.heldByteCount <= bytes.count, "nothing is held that did not come")
        }
        return messages
    }
    expect(messages(cutAt: 0) == messages(cutAt: bytes.count / 2), "messages do not depend on how bytes arrive")
}

private func exerciseHeads(_ bytes: [UInt8]) {
    func heads(cutAt cut: Int) -> [HeadFramer.Result] {
        var framer = HeadFramer(requestLineLimit: 256, headLimit: 512)
        var results: [HeadFramer.Result] = []
        for part in [bytes.prefix(cut), bytes.dropFirst(cut)] {
            framer.append(ByteBuffer(bytes: part))
            reading: while true {
                let result = framer.next()
                switch result {
                case .head: results.append(result)
                case .needsBytes: break reading
                // The connection ends here.
                case .requestLineTooLong, .headTooLong: return results + [result]
                }
            }
        }
        return results
    }
    expect(heads(cutAt: 0) == heads(cutAt: bytes.count / 3), "heads do not depend on how bytes arrive")
}
