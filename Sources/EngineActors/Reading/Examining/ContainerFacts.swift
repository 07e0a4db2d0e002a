// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The facts about its streams that a file states but libavformat does not expose.
struct ContainerFacts {
    /// The number of bytes of a Matroska file that are searched for its track entries.
    private static let matroskaByteCount = 1 << 20

    private let container: ContainerFormat
    /// The `moov` box of an MP4 file.
    let movie: [UInt8]?
    /// The first `moof` boxes of an MP4 file with encrypted tracks. Empty for other files.
    private let fragments: [UInt8]
    /// The first bytes of a Matroska file or a transport stream. Empty for other containers.
    private let start: [UInt8]
    /// As `StreamSearch.scrambled`.
    private let scrambled: Set<Int>

    init(
        container: ContainerFormat,
        movie: [UInt8]? = nil,
        fragments: [UInt8] = [],
        start: [UInt8] = [],
        scrambled: Set<Int> = []
    ) {
        self.container = container
        self.movie = movie
        self.fragments = fragments
        self.start = start
        self.scrambled = scrambled
    }

    /// Reads the parts of the file that state these facts.
    ///
    /// - Parameters:
    ///   - scrambled: as `StreamSearch.scrambled`.
    ///   - headByteCount: how much of the source a demuxer reads to open it, which includes all headers.
    ///   - isOnDisc: whether the source is the title of a disc, which declares all its streams at its start.
    init(
        _ bytes: any ByteCursor,
        _ container: ContainerFormat,
        scrambled: Set<Int>,
        headByteCount: Int64,
        isOnDisc: Bool,
        movie: [UInt8]?
    ) throws(EngineError) {
        let limit = container.isMatroska || bytes.isGrowing || isOnDisc ? Int(headByteCount) : .max
        let count =
            container.isMatroska
            ? min(Self.matroskaByteCount, limit) : container.isMPEGTS ? min(TransportCaptions.byteCount, limit) : 0
        let isEncrypted = container.isMP4 && movie.map(MovieProtection.isDeclared) ?? false
        self.init(
            container: container,
            movie: movie,
            fragments: isEncrypted ? try TopLevelBoxes(bytes).firstFragments() : [],
            start: try bytes.read(at: 0, count: count),
            scrambled: scrambled
        )
    }

    /// Adds encryption, cropping and declared caption services to the description.
    ///
    /// - Parameter identifiers: the container's IDs by stream index (`StreamInfo.identifier`).
    func completing(_ media: MediaDescription, identifiers: [Int: Int]) -> MediaDescription {
        var media = media
        let videos = media.streams.indices.filter { media.streams[$0].kind == .video }
        if container.isMP4, let movie {
            let protection = MovieProtection(movie: movie, fragments: fragments)
            for index in media.streams.indices { media.streams[index].protection = protection.ofTrack(index) }
            for index in videos {
                guard let video = media.streams[index].video,
                    let entry = MovieEntry(inMovie: movie, trackNumber: index),
                    let cropping = entry.cropping(width: video.width, height: video.height)
                else { continue }
                media.streams[index].video?.cropping = cropping
            }
        } else if container.isMatroska {
            let protections = MatroskaProtection.find(in: start)
            for index in media.streams.indices { media.streams[index].protection = protections[index] }
            for (index, cropping) in zip(videos, MatroskaCropping.find(in: start)) {
                media.streams[index].video = media.streams[index].video.map { Self.cropped($0, cropping) }
            }
        } else if container.isMPEGTS {
            let services = TransportCaptions(start: start).services
            for (index, identifier) in identifiers where media.streams.indices.contains(index) {
                media.streams[index].video?.captionServices = services[identifier] ?? []
                if scrambled.contains(identifier) {
                    media.streams[index].protection = ContentProtection(scheme: "transport scrambling")
                }
            }
        }
        return media
    }

    /// In Matroska, cropping changes the aspect ratio too: the file's display size describes the cropped picture, but
    /// libavformat applies it to the whole picture.
    private static func cropped(_ video: VideoProperties, _ cropping: Cropping) -> VideoProperties {
        guard !cropping.isNone, cropping.fits(width: video.width, height: video.height) else { return video }
        let ratio = video.sampleAspectRatio
        let wide = video.width - cropping.left - cropping.right
        let high = video.height - cropping.top - cropping.bottom
        var video = video
        video.cropping = cropping
        video.sampleAspectRatio =
            Ratio(ratio.numerator * video.width * high, ratio.denominator * video.height * wide).reduced
        return video
    }

    /// Notices for the streams whose `dec3` box claims objects that the packets do not carry.
    ///
    /// - Parameter media: with the objects that were found.
    func contradictions(in media: MediaDescription) -> [Notice] {
        guard container.isMP4, let movie else { return [] }
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
