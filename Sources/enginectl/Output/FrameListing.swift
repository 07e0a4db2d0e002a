// SPDX-License-Identifier: Apache-2.0

internal import Digests
internal import EngineModel
internal import EngineClient
internal import EngineJSON

/// Lists frames on stdout, one per line: the time and the MD5 of the pixels, as in `ffmpeg -f framemd5`.
struct FrameListing {
    let frames: AttachedFrames
    let isJSON: Bool

    /// Returns after the last frame.
    func write() async throws {
        while let frame = try await frames.next() {
            let (time, digest) = (frame.description.time, try Self.digest(of: frame))
            let json = JSON.object(("time_us", .integer(time.microseconds)), ("md5", .string(digest)))
            try Terminal.write(isJSON ? json.text : "\(Self.seconds(time))\t\(digest)")
        }
    }

    /// Hashes all rows of all planes, without padding.
    private static func digest(of frame: Frame) throws -> String {
        do throws(Digest.Unavailable) {
            var digest = try Digest(.md5)
            for (place, plane) in frame.description.planes.enumerated() {
                try frame.withPlane(place) { (bytes: Span<UInt8>) throws(Digest.Unavailable) in
                    for row in 0..<plane.rows {
                        let start = row * plane.stride
                        try digest.update(bytes.extracting(start..<start + plane.rowBytes))
                    }
                }
            }
            return Hexadecimal.text(try digest.finish())
        } catch {
            throw Failure(.failed, "MD5 is not available on this machine: \(error.function)")
        }
    }

    /// Always with six decimals.
    private static func seconds(_ time: MediaTime) -> String {
        let (whole, rest) = abs(time.microseconds).quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = String(1_000_000 + rest).dropFirst()
        return "\(time.microseconds < 0 ? "-" : "")\(whole).\(fraction)"
    }
}
