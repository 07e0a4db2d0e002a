// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The titles of a Blu-ray disc, which are its playlists, as its own files describe them.
struct BluRayDisc {
    /// A playlist of the disc.
    fileprivate struct Title {
        let name: String
        let playlist: BluRayPlaylist

        /// The parts of clips that the title plays. Adjoining parts of one clip are merged.
        func parts(angle: Int) -> [TitlePart] {
            var parts: [TitlePart] = []
            for (place, item) in playlist.items.enumerated() {
                let clip = item.clips[item.clips.indices.contains(angle - 1) ? angle - 1 : 0]
                if let last = parts.last, last.clip == clip, last.outTime == item.inTime {
                    parts[parts.count - 1].outTime = item.outTime
                    parts[parts.count - 1].items.append(place)
                } else {
                    parts.append(TitlePart(clip: clip, inTime: item.inTime, outTime: item.outTime, items: [place]))
                }
            }
            return parts
        }

        var duration: MediaTime {
            MediaTime(playlist.items.reduce(0) { $0 + Int64($1.duration) }, in: BluRayDisc.clock)
        }

        var angleCount: Int { playlist.items.map(\.clips.count).max() ?? 1 }
    }

    /// A part of a clip.
    fileprivate struct TitlePart {
        let clip: String
        let inTime: UInt32
        var outTime: UInt32
        /// The positions of the playlist items that this part covers.
        var items: [Int]
    }

    /// The clock of playlists.
    static let clock = TimeBase.hertz(45_000)
    private static let ticks = TimeBase.hertz(90_000)
    /// The maximum number of clips in a title, because each local clip is an open file.
    private static let clipLimit = 400
    private static let playlistLimit = 5000
    /// The maximum number of clips whose information is requested ahead before it is known which of them are played.
    private static let fewClips = 32
    /// The number of bytes of each of the disc's own files that are requested ahead.
    private static let expectedByteCount: Int64 = 256 << 10
    /// The time for which a clip is read beyond the end of its part, in ticks of 90 kHz, because audio lies after its
    /// pictures in the file.
    private static let overrun: Int64 = 2 * 90_000

    private let files: any DiscFiles
    private let titles: [Title]
    private let main: TitleRanking.Choice
    private let notices: [Notice]

    /// - Returns: `nil` if the files are not those of a Blu-ray disc.
    /// - Throws: `noPlayableStream` if it has no title.
    init?(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) {
        self.files = files
        let names = try files.names(in: ["BDMV"], interrupt).map { $0.lowercased() }
        guard names.contains("index.bdmv") || names.contains("playlist") else { return nil }
        try Self.expect(files, interrupt)
        (titles, notices) = try Self.titles(files, interrupt)
        let clips = Set(try files.names(in: ["BDMV", "STREAM"], interrupt).map { $0.lowercased() })
        let referenced = try Self.referenced(files, interrupt)
        let candidates = titles.map { title in
            let parts = title.parts(angle: 1)
            return TitleRanking.Candidate(
                parts: parts.map { .init(clip: $0.clip, start: $0.inTime, end: $0.outTime) },
                // A title without its clips cannot be the main one.
                duration: parts.allSatisfy { clips.contains("\($0.clip).m2ts") } ? title.duration : .zero,
                chapterCount: title.playlist.marks.count,
                isReferenced: Int(title.name.prefix { $0 != "." }).map(referenced.contains) ?? false
            )
        }
        guard let main = TitleRanking.main(of: candidates) else {
            throw EngineError(
                .noPlayableStream,
                "the Blu-ray disc \(files.path) has no title",
                cause: notices.first?.message ?? "its folder PLAYLIST names none"
            )
        }
        self.main = main
    }

    // MARK: Reading the disc's own files

    /// Requests ahead the files that opening the disc reads.
    private static func expect(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) {
        var wanted = [["BDMV", "index.bdmv"], ["BDMV", "MovieObject.bdmv"]]
        for (folder, suffix) in [
            (["BDMV", "PLAYLIST"], ".mpls"), (["BDMV", "META", "DL"], ".xml"), (["BDMV", "META", "TN"], ".xml"),
        ] {
            do throws(EngineError) {
                let names = try files.names(in: folder, interrupt).filter { $0.lowercased().hasSuffix(suffix) }
                wanted += names.map { folder + [$0] }
            } catch {
                // The code that needs the files handles the error.
                guard error.code == .sourceReadFailed else { throw error }
            }
        }
        // Of a disc with many clips, only those of the title are read.
        let clips = try files.names(in: ["BDMV", "CLIPINF"], interrupt)
        if clips.count <= fewClips { wanted += clips.map { ["BDMV", "CLIPINF", $0] } }
        try files.expect(wanted, upTo: expectedByteCount, interrupt)
    }

    /// - Returns: the titles, and a notice for each playlist that cannot be read.
    private static func titles(
        _ files: any DiscFiles,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> (titles: [Title], notices: [Notice]) {
        var titles: [Title] = []
        var notices: [Notice] = []
        let names = try files.names(in: ["BDMV", "PLAYLIST"], interrupt).map { $0.lowercased() }
        for name in names.filter({ $0.hasSuffix(".mpls") }).sorted().prefix(playlistLimit) {
            let playlist = try read(["PLAYLIST", name], of: files, limit: BluRayPlaylist.byteLimit, interrupt) {
                bytes throws(PackagingError) in try BluRayPlaylist(bytes)
            }
            switch playlist {
            case .success(let playlist):
                if !playlist.items.isEmpty { titles.append(Title(name: name, playlist: playlist)) }
            case .failure(let error):
                notices.append(Notice(.warning, "disc.title_skipped", "\(name) of \(files.path): \(error.message)"))
            }
        }
        return (titles, notices)
    }

    /// The numbers of the playlists that the disc's own programs play by name.
    private static func referenced(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) -> Set<Int> {
        let index = try read(["index.bdmv"], of: files, limit: BluRayIndex.byteLimit, interrupt) {
            bytes throws(PackagingError) in try BluRayIndex(bytes)
        }
        let objects = try read(["MovieObject.bdmv"], of: files, limit: MovieObjects.byteLimit, interrupt) {
            bytes throws(PackagingError) in try MovieObjects(bytes)
        }
        // Without these files, titles are ranked only by length and chapters.
        guard case .success(let index) = index, case .success(let objects) = objects else { return [] }
        var found: Set<Int> = []
        for case .movie(let object) in [index.firstPlay] + index.titles where objects.playlists.indices.contains(object)
        {
            found.formUnion(objects.playlists[object])
        }
        return found
    }

    /// Parses a file, or its copy in `BACKUP` if it is missing or damaged.
    private static func read<Value>(
        _ name: [String],
        of files: any DiscFiles,
        limit: Int,
        _ interrupt: InterruptFlag,
        _ parse: ([UInt8]) throws(PackagingError) -> Value
    ) throws(EngineError) -> Result<Value, PackagingError> {
        try files.parsed([["BDMV"] + name, ["BDMV", "BACKUP"] + name], limit: limit, interrupt, parse)
    }

    // MARK: Opening a title

    /// - Throws: `invalidArgument` if there is no such title, or the error of opening its clips.
    func open(_ choice: TitleChoice, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource {
        let place = choice.number.map { $0 - 1 } ?? main.place
        guard titles.indices.contains(place) else {
            throw .invalid("options.title", "is \(place + 1), but \(files.path) has \(titles.count) titles")
        }
        let title = titles[place]
        let parts = title.parts(angle: choice.angle)
        let losses = SourceLosses()
        let clips = try clips(of: parts, losses, interrupt)
        let video = title.playlist.items[0].streams.first { $0.kind == .video }
        var notices = notices
        let samples = try ClipSamples(
            parts.compactMap { part in
                clips[part.clip].map { clip in
                    .init(
                        range: part.range,
                        clip: clip,
                        streams: part.items.flatMap { title.playlist.items[$0].streams }
                    )
                }
            },
            video: video?.pid,
            interrupt
        )
        var builder = TitleBuilder(video: video?.pid, rate: video?.rate, after: samples.head)
        for part in parts {
            guard let clip = clips[part.clip] else { continue }
            guard try builder.add(part.range, of: clip, overrun: Self.overrun, interrupt) else {
                notices.append(.truncated(files.path))
                break
            }
        }
        if choice.number == nil, main.isGuess {
            notices.append(.guessedTitle(title.name, of: titles.count, files.path))
        }
        let texts = try texts(of: title, parts, builder.stretches, interrupt)
        notices += title.playlist.notices(of: "\(title.name) of \(files.path)", showing: texts.map(\.text.language))
        let content = TitleSource.Content(
            kind: .bluRay,
            pieces: builder.pieces,
            timeline: TitleTimeline(builder.stretches, samples: samples.head.samples),
            map: builder.map,
            streams: samples.media,
            name: try name(interrupt),
            languages: languages(of: title),
            texts: texts,
            chapters: try chapters(of: title, parts, builder.stretches, interrupt),
            titles: described(selected: place),
            notices: notices + files.notices,
            losses: losses
        )
        let source = TitleSource(files, number: place + 1, angle: choice.angle, content)
        try source.requireClear(interrupt)
        return source
    }

    private func clips(
        of parts: [TitlePart],
        _ losses: SourceLosses,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [String: DiscClip] {
        let names = Set(parts.map(\.clip)).sorted()
        try files.expect(names.map { ["BDMV", "CLIPINF", "\($0).clpi"] }, upTo: Self.expectedByteCount, interrupt)
        try files.expect(names.map { ["BDMV", "STREAM", "\($0).m2ts"] }, upTo: 0, interrupt)
        var clips: [String: DiscClip] = [:]
        for part in parts where clips[part.clip] == nil {
            guard clips.count < Self.clipLimit else {
                let text = "the title of \(files.path) has more than \(Self.clipLimit) clips"
                throw EngineError(.resourceExhausted, text)
            }
            let name = "\(part.clip).m2ts"
            guard let file = try files.file(["BDMV", "STREAM", name], interrupt) else {
                throw EngineError(.sourceNotFound, "\(files.path) has no clip STREAM/\(name), which its title plays")
            }
            let information = try Self.read(
                ["CLIPINF", "\(part.clip).clpi"],
                of: files,
                limit: ClipInformation.byteLimit,
                interrupt
            ) { bytes throws(PackagingError) in try ClipInformation(bytes) }
            // Without clip information, the whole clip is read, and the title is scanned for random access points.
            var known = ClipInformation(entryPoints: [:])
            if case .success(let information) = information { known = information }
            let media = file.zeroFilled(blockByteCount: TitleSource.Kind.bluRay.blockByteCount, losses: losses)
            clips[part.clip] = DiscClip(file: media, entryPoints: known.entryPoints, streams: known.streams)
        }
        return clips
    }

    /// The name in the disc's library metadata, in English if it has an English one; otherwise the name of its volume.
    private func name(_ interrupt: InterruptFlag) throws(EngineError) -> String? {
        let folder = ["BDMV", "META", "DL"]
        let names = try files.names(in: folder, interrupt).filter { name in
            let lower = name.lowercased()
            return lower.hasPrefix("bdmt_") && lower.hasSuffix(".xml")
        }
        let preferred = names.first { $0.lowercased() == "bdmt_eng.xml" } ?? names.first
        if let preferred, let file = try files.file(folder + [preferred], interrupt),
            file.byteCount <= Int64(DiscLabel.byteLimit)
        {
            let bytes = try file.bytes(limit: DiscLabel.byteLimit, name: preferred, interrupt)
            if let name = DiscLabel.name(inLibrary: bytes) { return name }
        }
        return DiscLabel.name(ofVolume: files.label)
    }

    private func languages(of title: Title) -> [Int: String] {
        var languages: [Int: String] = [:]
        for stream in title.playlist.items.flatMap(\.streams) where !stream.language.isEmpty {
            languages[stream.pid] = languages[stream.pid] ?? stream.language
        }
        return languages
    }

    private func texts(
        of title: Title,
        _ parts: [TitlePart],
        _ stretches: [TitleTimeline.Stretch],
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [TitleText] {
        let texts = BluRayTexts(files: files, playlist: title.playlist) { item, time in
            zip(parts, stretches).first { part, _ in part.items.contains(item) }?.1.placed(time)
        }
        return try texts.found(interrupt)
    }

    /// A title's chapters, with their starts on its clock.
    private func chapters(
        of title: Title,
        _ parts: [TitlePart],
        _ stretches: [TitleTimeline.Stretch],
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> TitleChapters {
        // The index of the first mark at each start.
        var marks: [Int64: Int] = [:]
        for (part, stretch) in zip(parts, stretches) {
            for (place, mark) in title.playlist.marks.enumerated() where part.items.contains(mark.item) {
                let time = stretch.placed(Int64(mark.time) * 2)
                guard time >= stretch.start - TitleTimeline.tolerance, time < stretch.end else { continue }
                marks[max(0, time)] = min(marks[max(0, time)] ?? place, place)
            }
        }
        let starts = marks.sorted { $0.key < $1.key }
        let names = try chapterNames(of: title, interrupt)
        return .times(
            starts.map { MediaTime($0.key, in: Self.ticks) },
            names: starts.map { names.indices.contains($0.value) ? names[$0.value] : nil }
        )
    }

    /// The names of chapters in the disc's library metadata, in the order of the playlist's marks.
    private func chapterNames(of title: Title, _ interrupt: InterruptFlag) throws(EngineError) -> [String?] {
        let folder = ["BDMV", "META", "TN"]
        do throws(EngineError) {
            guard let name = ChapterNames.file(for: title.name, among: try files.names(in: folder, interrupt)),
                let file = try files.file(folder + [name], interrupt), file.byteCount <= Int64(ChapterNames.byteLimit)
            else { return [] }
            return ChapterNames.names(
                inLibrary: try file.bytes(limit: ChapterNames.byteLimit, name: name, interrupt)
            )
        } catch {
            // The title can be played without the names, so a read error is ignored.
            guard error.code == .sourceReadFailed else { throw error }
            return []
        }
    }

    private func described(selected: Int) -> [DiscTitle] {
        titles.enumerated().map { place, title in
            var described = DiscTitle(
                number: place + 1,
                name: title.name,
                duration: title.duration,
                chapterCount: title.playlist.marks.count,
                angleCount: title.angleCount
            )
            described.isMain = place == main.place
            described.isSelected = place == selected
            return described
        }
    }
}

extension BluRayDisc.TitlePart {
    /// The range of the part in ticks of 90 kHz, on a 33-bit clock.
    fileprivate var range: TitleBuilder.Range {
        TitleBuilder.Range(entry: Int64(inTime) * 2, duration: Int64(outTime &- inTime) * 2)
    }
}
