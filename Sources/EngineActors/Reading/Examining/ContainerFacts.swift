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

    init(container: ContainerFormat, movie: [UInt8]? = nil, fragments: [UInt8] = [], start: [UInt8] = []) {
        self.container = container
        self.movie = movie
        self.fragments = fragments
        self.start = start
    }

    /// Reads the parts of the file that state these facts.
    ///
    /// - Parameter headByteCount: how much of the source a demuxer reads to open it, which includes all headers.
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
        let isEncrypted = container.isMP4 && movie.map(MovieProtection.isDeclared) ?? false
        self.init(
            container: container,
            movie: movie,
            fragments: isEncrypted ? try TopLevelBoxes(bytes).firstFragments() : [],
            start: try bytes.read(at: 0, count: count)
        )
    }

    /// Adds encryption, cropping and announced caption services to the description.
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
            guard !services.isEmpty else { return media }
            for (index, identifier) in identifiers where media.streams.indices.contains(index) {
                media.streams[index].video?.captionServices = services[identifier] ?? []
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

/// Finds the `moov` box of an MP4 file, wherever it is in the file.
enum MovieBox {
    /// The box's bytes, including its header. `nil` when the file is not MP4, or the box is missing or too large.
    ///
    /// - Parameter start: the bytes at the start of a remote file that will be read next.
    static func read(from bytes: any ByteCursor, before start: [Range<Int64>] = []) throws(EngineError) -> [UInt8]? {
        try TopLevelBoxes(bytes).movie(before: start)
    }
}

/// Walks over the top-level boxes of an MP4 file (ISO/IEC 14496-12 §4.2).
struct TopLevelBoxes {
    private struct Box {
        let type: String
        let offset: Int64
        let byteCount: Int64
        /// Whether the box extends to the end of the file (a size of 0).
        let isOpenEnded: Bool
    }

    /// A larger `moov` box is parsed by the demuxer only.
    private static let movieLimit: Int64 = 256 << 20
    /// The header of a movie in fragments has no tables of samples.
    private static let fragmentedMovieLimit: Int64 = 4 << 20
    private static let fragmentLimit: Int64 = 1 << 20
    /// The number of fragments that are searched for data that applies to all of them, such as encryption. Each costs a
    /// seek.
    private static let fragmentCount = 4
    private static let boxLimit = 4096
    /// The rest of a remote file is fetched at once if it is not longer than this.
    private static let expectedByteCount: Int64 = 32 << 20

    private let bytes: any ByteCursor

    init(_ bytes: any ByteCursor) { self.bytes = bytes }

    /// As `MovieBox.read(from:before:)`.
    func movie(before start: [Range<Int64>] = []) throws(EngineError) -> [UInt8]? {
        var found: Box?
        try walk { box in
            if box.type == "moov" { found = box }
            if found == nil { expectIndex(after: box, and: start) }
            return found == nil
        }
        guard let found, found.byteCount <= Self.movieLimit else { return nil }
        return try bytes.read(at: found.offset, count: Int(found.byteCount))
    }

    /// Whether the media of an MP4 file comes before its index.
    func indexFollowsMedia() throws(EngineError) -> Bool {
        var found = false
        try walk { box in
            if box.type == "mdat" { found = true }
            return !["moov", "mdat"].contains(box.type)
        }
        return found
    }

    /// Whether the index of an MP4 file is complete, even if another program still has the file open for writing.
    /// Unlike the other calls, never waits for bytes of a growing file.
    func hasWholeIndex() throws(EngineError) -> Bool {
        let end = bytes.byteCount
        guard end >= 16 else { return false }
        var found = false
        try walk { box in
            // Muxers write the size of a box last; until then it is 0.
            guard !box.isOpenEnded, box.byteCount <= end - box.offset else { return false }
            found = box.type == "moov"
            return !found && end - box.offset - box.byteCount >= 16
        }
        return found
    }

    /// The bytes of the first `moof` boxes, one after another.
    func firstFragments() throws(EngineError) -> [UInt8] {
        var found: [Box] = []
        try walk { box in
            if box.type == "moof", box.byteCount <= Self.fragmentLimit { found.append(box) }
            return found.count < Self.fragmentCount
        }
        var fragments: [UInt8] = []
        for box in found { fragments += try bytes.read(at: box.offset, count: Int(box.byteCount)) }
        return fragments
    }

    /// The beginning of a movie in fragments without an index of all of them.
    struct FragmentedHead {
        /// The `moov` box.
        let movie: [UInt8]
        /// The end of the `moov` box.
        let movieEnd: Int64
        /// The first `moof` box.
        let fragment: [UInt8]
    }

    /// Returns `nil` for any other file.
    func fragmentedHead() throws(EngineError) -> FragmentedHead? {
        var movie: Box?
        var fragment: Box?
        var indexes: [Box] = []
        try walk { box in
            switch box.type {
            case "moov": movie = box
            case "moof": fragment = box
            case "sidx": indexes.append(box)
            default: break
            }
            return fragment == nil && box.type != "mdat"
        }
        guard let movie, let fragment, movie.offset < fragment.offset, movie.byteCount <= Self.fragmentedMovieLimit,
            fragment.byteCount <= Self.fragmentLimit
        else { return nil }
        for box in indexes where try isWhole(box) { return nil }
        return FragmentedHead(
            movie: try bytes.read(at: movie.offset, count: Int(movie.byteCount)),
            movieEnd: movie.offset + movie.byteCount,
            fragment: try bytes.read(at: fragment.offset, count: Int(fragment.byteCount))
        )
    }

    /// Whether a `sidx` box lists everything up to the end of the file, or up to an `mfra` box there. libavformat then reads
    /// the header of a fragment only when it needs it.
    private func isWhole(_ box: Box) throws(EngineError) -> Bool {
        guard box.byteCount <= Self.fragmentLimit,
            let end = SegmentIndex.end(inBox: try bytes.read(at: box.offset, count: Int(box.byteCount)), at: box.offset)
        else { return false }
        if end == bytes.byteCount { return true }
        guard end < bytes.byteCount else { return false }
        let last = try bytes.read(at: bytes.byteCount - 4, count: 4)
        return bytes.byteCount - end == last.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// Announces to a remote source the bytes after a box, because the index may follow the media, and those that will
    /// be read after the index.
    private func expectIndex(after box: Box, and start: [Range<Int64>]) {
        let end = box.offset &+ box.byteCount
        guard end < bytes.byteCount, bytes.byteCount - end <= Self.expectedByteCount else { return }
        bytes.expect([end..<bytes.byteCount] + start)
    }

    /// - Parameter visit: called with each box; returns whether to continue.
    private func walk(_ visit: (Box) -> Bool) throws(EngineError) {
        var offset: Int64 = 0
        for number in 0..<Self.boxLimit {
            let head = try bytes.read(at: offset, count: 16)
            guard head.count >= 8 else { return }
            let type = String(decoding: head[4..<8], as: UTF8.self)
            if number == 0, !["ftyp", "moov", "wide", "free", "skip", "mdat"].contains(type) { return }
            var size = head[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            if size == 1, head.count == 16 { size = head[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            let isOpenEnded = size == 0
            if isOpenEnded { size = bytes.byteCount - offset }
            let box = Box(type: type, offset: offset, byteCount: size, isOpenEnded: isOpenEnded)
            guard size >= 8, visit(box) else { return }
            offset &+= size
            guard offset > 0 else { return }
        }
    }
}
