// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
package import Reading

/// Examines the first decoded frames of a stream that is declared as interlaced.
package enum FieldSurvey {
    /// Whether the stream really is interlaced. A stream that cannot be decoded is taken as declared.
    ///
    /// - Parameter video: the video stream.
    package static func verdict(on source: FilmSource, video: Int) async -> FieldWatch.Verdict {
        let feed = PacketFeed(source, video: video, audio: nil)
        let decoder = SoftwareVideoDecoder(feed: feed, usesDevices: false)
        var watch = FieldWatch()
        let begin = monotonicNanoseconds()
        do throws(EngineError) {
            try await feed.enter(at: .zero, generation: 1)
            repeat {
                guard case .some(let pictures) = try await decoder.next(generation: 1) else { break }
                for picture in pictures { watch.note(isInterlaced: picture.frame.isInterlaced) }
            } while await watch.goesOn(
                packets: decoder.packetCount,
                elapsed: MediaTime(microseconds: (monotonicNanoseconds() - begin) / 1000)
            )
        } catch {
            // The frames decoded so far decide.
        }
        await decoder.close()
        await feed.close()
        return watch.finish()
    }
}
