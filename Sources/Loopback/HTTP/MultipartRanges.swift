// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Several ranges of one body as `multipart/byteranges` (RFC 9110 §14.6).
struct MultipartRanges {
    let contentType: String
    let body: ByteBody

    /// - Parameter boundary: must not occur in the body.
    init(_ ranges: [Range<Int>], of whole: ByteBody, type: String, boundary: String) {
        contentType = "multipart/byteranges; boundary=\(boundary)"
        var regions: [any ByteRegion] = []
        for range in ranges {
            let head = """
                --\(boundary)\r
                Content-Type: \(type)\r
                Content-Range: \(Self.contentRange(range, of: whole.byteCount))\r
                \r

                """
            regions.append(ArrayRegion(Array(((regions.isEmpty ? "" : "\r\n") + head).utf8)))
            regions += whole.slice(range)
        }
        regions.append(ArrayRegion(Array("\r\n--\(boundary)--\r\n".utf8)))
        body = ByteBody(regions)
    }

    static func contentRange(_ range: Range<Int>, of byteCount: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
    }
}
