// SPDX-License-Identifier: Apache-2.0

internal import Digests
internal import EngineModel
internal import EngineClient

/// A line on stdout for each picture of a film: its time and the MD5 of its bytes, as `ffmpeg -f framemd5` takes it.
struct PictureListing {
    let frames: AttachedFrames

    /// Returns when no picture follows.
    func write() async throws {
        while let frame = try await frames.next() {
            Terminal.write("\(Self.seconds(frame.description.time))\t\(try Self.digest(of: frame))")
        }
    }

    /// Plane after plane and row after row, without what pads them.
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
            return try digest.finish()
        } catch {
            throw Failure(.failed, "MD5 cannot be had on this machine: \(error.function)")
        }
    }

    /// With all six decimals.
    private static func seconds(_ time: MediaTime) -> String {
        let (whole, rest) = abs(time.microseconds).quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = String(1_000_000 + rest).dropFirst()
        return "\(time.microseconds < 0 ? "-" : "")\(whole).\(fraction)"
    }
}
