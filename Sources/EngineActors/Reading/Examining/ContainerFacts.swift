// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// What a file states about its streams but libavformat does not expose.
struct ContainerFacts {
    /// How many bytes of a Matroska file are searched for its track entries.
    private static let matroskaByteCount = 1 << 20

    private let container: ContainerFormat
    /// The `moov` box of an MP4 file.
    let movie: [UInt8]?
    /// The first bytes of a Matroska file or a transport stream. Empty for other containers.
    private let start: [UInt8]

    init(container: ContainerFormat, movie: [UInt8]? = nil, start: [UInt8] = []) {
        self.container = container
        self.movie = movie
        self.start = start
    }

    /// Reads the data that contains the container's facts.
    ///
    /// - Parameter headByteCount: what a demuxer that has just opened the source has read of it: all headers.
    init(
        _ bytes: any ByteCursor,
        _ container: ContainerFormat,
        headByteCount: Int64,
        movie: [UInt8]?
    ) throws(EngineError) {
        let limit = container.isMatroska || bytes.isGrowing ? Int(headByteCount) : .max
        let count =
            container.isMatroska
            ? min(Self.matroskaByteCount, limit) : container.isMPEGTS ? min(TransportCaptions.byteCount, limit) : 0
        self.init(container: container, movie: movie, start: try bytes.read(at: 0, count: count))
    }

    /// The description with encryption, cropping and announced caption services.
    ///
    /// - Parameter identifiers: the container's IDs by stream index (`StreamInfo.identifier`).
    func completing(_ media: MediaDescription, identifiers: [Int: Int]) -> MediaDescription {
        var media = media
        let videos = media.streams.indices.filter { media.streams[$0].kind == .video }
        if container.isMP4, let movie {
            let protection = MovieProtection(movie: movie)
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
            guard !services.isEmpty else { return media }
            for (index, identifier) in identifiers where media.streams.indices.contains(index) {
                media.streams[index].video?.captionServices = services[identifier] ?? []
            }
        }
        return media
    }

    /// In Matroska, cropping changes the aspect ratio too: the file's display size is that of the cropped picture, but
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

/// Finds the `moov` box of an MP4 file, wherever it is in the file.
enum MovieBox {
    /// A larger box is left to the demuxer.
    private static let sizeLimit: Int64 = 256 << 20
    private static let boxLimit = 4096
    /// The end of a remote file is fetched at once if it is not longer.
    private static let expectedByteCount: Int64 = 32 << 20

    /// Whether the media of an MP4 file comes before its index.
    static func followsMedia(in bytes: any ByteCursor) throws(EngineError) -> Bool {
        var found = false
        try walk(bytes) { type, _, _ in
            if type == "mdat" { found = true }
            return !["moov", "mdat"].contains(type)
        }
        return found
    }

    /// The box's bytes, including its header. `nil` when the file is not MP4, or the box is missing or too large.
    static func read(from bytes: any ByteCursor) throws(EngineError) -> [UInt8]? {
        var movie: (offset: Int64, byteCount: Int64)?
        try walk(bytes) { type, offset, size in
            if type == "moov" { movie = (offset, size) }
            return type != "moov"
        }
        guard let movie, movie.byteCount <= sizeLimit else { return nil }
        return try bytes.read(at: movie.offset, count: Int(movie.byteCount))
    }

    /// Visits the boxes of an MP4 file, until `visit` returns `false`. Visits none of another file.
    private static func walk(
        _ bytes: any ByteCursor,
        _ visit: (_ type: String, _ offset: Int64, _ byteCount: Int64) -> Bool
    ) throws(EngineError) {
        var offset: Int64 = 0
        for number in 0..<boxLimit {
            let head = try bytes.read(at: offset, count: 16)
            guard head.count >= 8 else { return }
            let type = String(decoding: head[4..<8], as: UTF8.self)
            if number == 0, !["ftyp", "moov", "wide", "free", "skip", "mdat"].contains(type) { return }
            var size = head[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if size == 1, head.count == 16 { size = head[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            if size == 0 { size = bytes.byteCount - offset }
            guard size >= 8, visit(type, offset, size) else { return }
            offset &+= size
            // What follows the media is its index.
            if offset > 0, offset < bytes.byteCount, bytes.byteCount - offset <= expectedByteCount {
                bytes.expect([offset..<bytes.byteCount])
            }
        }
    }
}
