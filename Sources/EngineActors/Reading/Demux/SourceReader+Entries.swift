// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// What containers state about their tracks but libavformat does not expose.
extension SourceReader {
    /// How many bytes of a Matroska file are searched for its track entries.
    private static let headByteLimit = 1 << 20

    /// Notes the cropping that the container declares. In Matroska the aspect ratio is corrected too: the file's
    /// display size is that of the cropped picture, but libavformat applies it to the whole picture.
    func noteCropping(in media: inout MediaDescription) {
        let videos = media.streams.indices.filter { media.streams[$0].kind == .video }
        if let movie, context.container.isMP4 {
            for index in videos {
                guard let video = media.streams[index].video,
                    let entry = MovieEntry(inMovie: movie, trackNumber: index),
                    let cropping = entry.cropping(width: video.width, height: video.height)
                else { continue }
                media.streams[index].video?.cropping = cropping
            }
        } else if context.container.isMatroska, let head = try? file.read(at: 0, count: Self.headByteLimit) {
            for (index, cropping) in zip(videos, MatroskaCropping.find(in: head)) {
                guard let video = media.streams[index].video, !cropping.isNone,
                    cropping.fits(width: video.width, height: video.height)
                else { continue }
                let ratio = video.sampleAspectRatio
                let wide = video.width - cropping.left - cropping.right
                let high = video.height - cropping.top - cropping.bottom
                media.streams[index].video?.cropping = cropping
                media.streams[index].video?.sampleAspectRatio =
                    Ratio(ratio.numerator * video.width * high, ratio.denominator * video.height * wide).reduced
            }
        }
    }

    /// Notices for the streams whose `dec3` box claims objects that the packets do not carry.
    func noticesOfClaims(in media: MediaDescription) -> [Notice] {
        guard let movie, context.container.isMP4 else { return [] }
        return media.streams.compactMap { stream in
            guard stream.codec == .eac3, stream.audio?.objects == nil,
                let claimed = MovieEntry(inMovie: movie, trackNumber: stream.index)?.claimedObjects
            else { return nil }
            let text =
                "the container declares Dolby Atmos of complexity \(claimed) for stream \(stream.index), "
                + "but its packets carry none; none is assumed"
            return Notice(.warning, "audio.container_contradicted", text)
        }
    }
}
