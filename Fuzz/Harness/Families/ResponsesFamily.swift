// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Glibc

@testable import Bindings
@testable import Transfers

/// The input is heads of responses, separated by empty lines: a status in the first line, then fields. Only bytes that
/// were requested are accepted. A chain of redirects ends, does not pass on secrets, and does not leave HTTPS. The
/// input is also read as the listing of a folder, whose names never lead out of the folder.
func exerciseResponses(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let blocks = text.split(separator: "\n\n", omittingEmptySubsequences: true).prefix(32)
    let heads = blocks.map { head(String($0)) }
    for head in heads { exerciseRange(head) }
    exerciseRedirects(heads)
    exerciseListing(bytes)
    for line in text.split(separator: "\n").prefix(64) {
        exerciseAddress(String(line))
        if let pause = RetryAfter.pause(String(line), now: 1_700_000_000) {
            expect(pause >= .zero && pause <= .seconds(86_400), "a pause of \(pause)")
        }
    }
}

private func head(_ text: String) -> ResponseHead {
    let lines = text.split(separator: "\n")
    let fields = lines.dropFirst().compactMap { line -> ResponseHead.Field? in
        let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        return ResponseHead.Field(String(halves[0]), halves[1].trimmingSpaces)
    }
    return ResponseHead(status: lines.first.flatMap { Int($0) } ?? 206, fields: fields)
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

private func exerciseRange(_ head: ResponseHead) {
    let known = ResourceState(byteCount: 1_000_000, tag: "\"a\"")
    let wanted: [RequestedRange] = [.whole, .from(0), .from(5000), .bytes(0..<4096), .bytes(4096..<8192), .last(1000)]
    for asked in wanted {
        let untagged = ResourceState(byteCount: 1_000_000, weakTag: "\"a\"", modified: "x")
        for known in [ResourceState(), known, untagged] {
            let response = RangeResponse(head, to: asked, known: known)
            guard case .part(let range, let state) = response else { continue }
            expect(range.lowerBound >= 0 && !range.isEmpty, "a part of \(range)")
            if let total = state.byteCount ?? known.byteCount {
                expect(range.upperBound <= total, "\(range) lies within \(total) bytes")
            }
            switch asked {
            case .whole: expect(false, "a part of what was asked for as a whole")
            case .from(let first): expect(range.lowerBound == first, "\(range) begins where it was asked for")
            case .bytes(let asked):
                expect(
                    range.lowerBound == asked.lowerBound && range.upperBound <= asked.upperBound,
                    "\(range) in \(asked)"
                )
            case .last(let count): expect(range.count <= count, "\(range) are the last bytes")
            }
            expect(state.agrees(with: known), "the part is of the known version")
        }
    }
}

private func exerciseRedirects(_ heads: [ResponseHead]) {
    for start in ["https://user:secret@films.example/a/b.mkv?sig=1", "http://films.example:8080/b.mkv"] {
        guard let url = try? ResourceURL(start) else { return expect(false, "\(start) is a URL") }
        var policy = RedirectPolicy(url)
        var request = TransferRequest(url, byteLimit: 1 << 20)
        request.headers = [("X-Own", "secret"), ("Accept", "*/*")].compactMap { try? HTTPHeader(name: $0, value: $1) }
        var wasTrusted = true
        var count = 0
        for head in heads {
            do throws(RedirectPolicy.Refusal) { try policy.follow(head) } catch { break }
            count += 1
            expect(count <= RedirectPolicy.limit, "a chain of \(count) redirects")
            expect(policy.url.origin.isSecure || !url.origin.isSecure, "https leads to \(policy.url.text)")
            expect(policy.url.text.hasPrefix("http"), "a redirect leads to \(policy.url.text)")
            expect(!policy.url.shown.contains("?"), "\(policy.url.shown) has no query")
            expect(wasTrusted || !policy.isTrusted, "trust does not come back")
            wasTrusted = policy.isTrusted
            let next = policy.request(request)
            if policy.url.origin != url.origin {
                expect(
                    next.credentials == nil && next.headers.allSatisfy { $0.name != "X-Own" },
                    "secrets stay at home"
                )
            }
            let marked = policy.url.adding(argument: "CMCD", "bl%3D100")
            expect(marked.origin == policy.url.origin, "an argument does not change the origin of \(policy.url.text)")
        }
    }
}

private func exerciseListing(_ bytes: [UInt8]) {
    let folder = Array("/films/a b/".utf8)
    let listings = [
        try? FolderListing.names(inMultistatus: bytes, of: folder), try? FolderListing.names(endedBy: 0, in: bytes),
        try? FolderListing.names(endedBy: UInt8(ascii: "\n"), in: bytes),
    ]
    for url in ["dav://u:p@h/films/a%20b/c.mkv?key=1", "sftp://u:p@h/films/a%20b/c?.mkv"] {
        guard let source = try? ResourceURL(url) else { return expect(false, "\(url) is a URL") }
        for name in listings.compactMap(\.self).joined().prefix(64) {
            guard let file = source.beside(name) else {
                expect(name.count > 1 << 20, "\(name) is a name in a folder")
                continue
            }
            expect(file.fileName == name && file.folderPath == source.folderPath, "\(file.text) is in the folder")
            expect(file.origin == source.origin && file.credentials == source.credentials, "the server of \(file.text)")
        }
    }
}

private func exerciseAddress(_ text: String) {
    if let url = try? ResourceURL(text) {
        expect((1...65_535).contains(url.origin.port) && !url.origin.host.isEmpty, "the origin of \(text)")
        expect((try? ResourceURL(url.text))?.origin == url.origin, "\(url.text) is read as it is written")
    }
    var policy = AddressPolicy(ownPorts: [80])
    let refusal = policy.judge(text, port: 443)
    guard let address = IPAddress(text) else { return expect(refusal == .malformed, "\(text) is no address") }
    let isIPv6 = text.contains(":")
    var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
    if unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 {
        expect(address.bytes == bytes, "\(text) is \(bytes)")
    }
    if refusal == nil { expect(policy.highest == address.scope, "the scope of \(text)") }
}
