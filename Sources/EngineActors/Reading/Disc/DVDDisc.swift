// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The titles of a DVD-Video disc, as its own files describe them.
struct DVDDisc {
    /// A title, and the chains of programs that it plays one after another.
    private struct Title {
        let entry: VideoManager.Title
        let chains: [ProgramChain]
        /// The start of each chapter: the index of its chain in `chains`, and of its program in that chain.
        let chapters: [(chain: Int, program: Int)]
        /// The reason why the title cannot be read. `nil` if it can.
        var failure: PackagingError?

        /// The cells that one angle plays, in order: the index of each cell's chain, and the cell's index in that
        /// chain.
        func cells(angle: Int) -> [(chain: Int, place: Int)] {
            chains.enumerated().flatMap { number, chain in chain.places(angle: angle).map { (number, $0) } }
        }

        func cell(_ place: (chain: Int, place: Int)) -> ProgramChain.Cell { chains[place.chain].cells[place.place] }

        var duration: MediaTime {
            MediaTime(
                cells(angle: 1).reduce(0) { $0 + cell($1).duration + cell($1).still.duration },
                in: .hertz(90_000)
            )
        }
    }

    /// The maximum numbers of chains and cells in a title, and of files with the video objects of a set.
    private static let chainLimit = 100
    private static let cellLimit = 4000
    private static let fileLimit = 9
    /// The number of bytes of each information file that are requested ahead.
    private static let expectedByteCount: Int64 = 256 << 10

    private let files: any DiscFiles
    /// The folder of the disc's files.
    private let folder: [String]
    private let sets: [Int: TitleSet]
    private let titles: [Title]
    private let main: TitleRanking.Choice
    private let notices: [Notice]

    /// - Returns: `nil` if the files are not those of a DVD-Video disc.
    /// - Throws: `noPlayableStream` if it has no title.
    init?(_ files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) {
        self.files = files
        guard let folder = try Self.folder(of: files, interrupt) else { return nil }
        self.folder = folder
        let names = try files.names(in: folder, interrupt)
        let isInformation = { (name: String) in name.lowercased().hasSuffix(".ifo") }
        try files.expect(names.filter(isInformation).map { folder + [$0] }, upTo: Self.expectedByteCount, interrupt)
        try files.expect(names.filter { !isInformation($0) }.map { folder + [$0] }, upTo: 0, interrupt)
        let manager = try files.parsed(
            ["IFO", "BUP"].map { folder + ["VIDEO_TS.\($0)"] },
            limit: VideoManager.byteLimit,
            interrupt
        ) { bytes throws(PackagingError) in try VideoManager(bytes) }
        let entries: [VideoManager.Title]
        var cause = "its VIDEO_TS.IFO names none"
        switch manager {
        case .success(let manager): entries = manager.titles
        case .failure(let error): (entries, cause) = ([], error.message)
        }
        var notices: [Notice] = []
        var sets: [Int: Result<TitleSet, PackagingError>] = [:]
        var titles: [Title] = []
        for (place, entry) in entries.enumerated() {
            if sets[entry.set] == nil { sets[entry.set] = try Self.set(entry.set, files, folder, interrupt) }
            guard let set = sets[entry.set] else { continue }
            do throws(PackagingError) {
                titles.append(try Self.title(entry, in: try set.get()))
            } catch {
                // List the title without content, so that the titles after it keep their numbers.
                titles.append(Title(entry: entry, chains: [], chapters: [], failure: error))
                cause = error.message
                let text = "title \(place + 1) of \(files.path): \(error.message)"
                notices.append(Notice(.warning, "disc.title_skipped", text))
            }
        }
        self.notices = notices
        self.titles = titles
        self.sets = sets.compactMapValues { set in
            if case .success(let set) = set { set } else { nil }
        }
        let playable = titles.indices.filter { !titles[$0].cells(angle: 1).isEmpty }
        guard let main = TitleRanking.main(of: playable.map { Self.candidate(titles[$0]) }) else {
            throw EngineError(.noPlayableStream, "the DVD \(files.path) has no title", cause: cause)
        }
        self.main = .init(place: playable[main.place], isGuess: main.isGuess)
    }

    // MARK: Reading the disc's own files

    /// The folder with the disc's files. In some copies, the files are at the top instead of in `VIDEO_TS`.
    private static func folder(of files: any DiscFiles, _ interrupt: InterruptFlag) throws(EngineError) -> [String]? {
        for folder in [["VIDEO_TS"], []] {
            let names = try files.names(in: folder, interrupt).map { $0.lowercased() }
            if names.contains("video_ts.ifo") || names.contains("video_ts.bup") { return folder }
        }
        return nil
    }

    private static func name(_ set: Int, _ rest: String) -> String { "VTS_\(set < 10 ? "0" : "")\(set)_\(rest)" }

    private static func set(
        _ number: Int,
        _ files: any DiscFiles,
        _ folder: [String],
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Result<TitleSet, PackagingError> {
        let names = ["0.IFO", "0.BUP"].map { folder + [name(number, $0)] }
        return try files.parsed(names, limit: TitleSet.byteLimit, interrupt) { bytes throws(PackagingError) in
            try TitleSet(bytes)
        }
    }

    private static func title(_ entry: VideoManager.Title, in set: TitleSet) throws(PackagingError) -> Title {
        guard set.chapters.indices.contains(entry.number - 1) else {
            throw PackagingError(.malformed, "its title set has \(set.chapters.count) titles, not \(entry.number)")
        }
        var numbers: [Int] = []
        var chains: [ProgramChain] = []
        var chapters: [(chain: Int, program: Int)] = []
        for chapter in set.chapters[entry.number - 1] {
            if !numbers.contains(chapter.chain) {
                guard numbers.count < chainLimit, chains.reduce(0, { $0 + $1.cells.count }) < cellLimit else {
                    throw PackagingError(.limitExceeded, "it has more than \(chainLimit) chains or \(cellLimit) cells")
                }
                numbers.append(chapter.chain)
                chains.append(try set.chain(chapter.chain))
            }
            if let chain = numbers.firstIndex(of: chapter.chain) { chapters.append((chain, chapter.program - 1)) }
        }
        guard chains.contains(where: { !$0.cells.isEmpty }) else { throw PackagingError(.malformed, "it has no cells") }
        return Title(entry: entry, chains: chains, chapters: chapters)
    }

    private static func candidate(_ title: Title) -> TitleRanking.Candidate {
        TitleRanking.Candidate(
            parts: title.cells(angle: 1).map { place in
                let cell = title.cell(place)
                let start = UInt32(truncatingIfNeeded: cell.sectors.lowerBound)
                let end = UInt32(truncatingIfNeeded: cell.sectors.upperBound)
                return .init(clip: "\(title.entry.set)", start: start, end: end)
            },
            duration: title.duration,
            chapterCount: title.chapters.count,
            isReferenced: false
        )
    }

    // MARK: Opening a title

    /// - Throws: `invalidArgument` if there is no such title, or the error of reading its video objects.
    func open(_ choice: TitleChoice, _ interrupt: InterruptFlag) throws(EngineError) -> TitleSource {
        let place = choice.number.map { $0 - 1 } ?? main.place
        guard titles.indices.contains(place) else {
            throw .invalid("options.title", "is \(place + 1), but \(files.path) has \(titles.count) titles")
        }
        let title = titles[place]
        guard let set = sets[title.entry.set], let chain = title.chains.first else {
            throw EngineError(
                .sourceNotMedia,
                "title \(place + 1) of \(files.path) cannot be read",
                cause: title.failure?.message ?? "it has no cells"
            )
        }
        let losses = SourceLosses()
        let objects = try objects(of: title.entry.set, interrupt)
            .zeroFilled(blockByteCount: TitleSource.Kind.dvd.blockByteCount, losses: losses)
        var builder = CellBuilder(set, objects, interrupt)
        let cells = title.cells(angle: choice.angle)
        for cell in cells { builder.add(title.cell(cell)) }
        let streams = Streams(set, chain)
        let chapters = Self.chapters(of: title, cells)
        let built = try builder.finish(
            files.path,
            subtitles: streams.subtitles,
            audio: streams.media.subtracting([UnitMap.video]).sorted(),
            chapters: chapters
        )
        var notices = notices + built.notices
        if choice.number == nil, main.isGuess {
            notices.append(.guessedTitle("number \(place + 1)", of: titles.count, files.path))
        }
        let content = TitleSource.Content(
            kind: .dvd,
            pieces: built.pieces,
            timeline: TitleTimeline(built.stretches, samples: built.samples),
            map: .units(built.map),
            streams: streams.media,
            name: DiscLabel.name(ofVolume: files.label),
            languages: streams.languages,
            dispositions: streams.dispositions,
            subtitles: SubtitleSetup(width: set.size.width, height: set.size.height, palette: chain.palette),
            chapters: .cells(chapters.filter(built.cells.indices.contains).map { built.cells[$0] }, built.map),
            titles: described(selected: place),
            notices: notices + files.notices,
            losses: losses
        )
        let source = TitleSource(files, number: place + 1, angle: choice.angle, content)
        try source.requireClear(interrupt)
        return source
    }

    /// The video objects of a title set, joined to one file: the disc has them in files of at most 1 GiB.
    private func objects(of set: Int, _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile {
        var pieces: [DiscFile.Piece] = []
        for number in 1...Self.fileLimit {
            let name = Self.name(set, "\(number).VOB")
            guard let file = try files.file(folder + [name], interrupt) else { break }
            pieces += file.pieces
        }
        guard !pieces.isEmpty else {
            let name = Self.name(set, "1.VOB")
            throw EngineError(.sourceNotFound, "\(files.path) has no \(name), which its title plays")
        }
        return DiscFile(pieces: pieces)
    }

    /// The facts that the title set states about the streams of a title, by their numbers in the container.
    private struct Streams {
        let languages: [Int: String]
        let dispositions: [Int: [String]]
        let subtitles: [Int]
        /// The video and the audio.
        let media: Set<Int>

        init(_ set: TitleSet, _ chain: ProgramChain) {
            let shown = chain.subtitles.map { $0.map { set.isWide ? $0.wide : $0.narrow } }
            var languages: [Int: String] = [:]
            var dispositions: [Int: [String]] = [:]
            for (streams, numbers) in [(set.audio, chain.audio), (set.subtitles, shown)] {
                for (stream, number) in zip(streams, numbers) {
                    guard let number else { continue }
                    let id = stream.base + number
                    dispositions[id] = dispositions[id] ?? stream.dispositions
                    guard !stream.language.isEmpty else { continue }
                    languages[id] = languages[id] ?? LanguageCode.terminology(stream.language)
                }
            }
            self.languages = languages
            self.dispositions = dispositions
            media = Set(zip(set.audio, chain.audio).compactMap { stream, number in number.map { stream.base + $0 } })
                .union([UnitMap.video])
            subtitles = Set(zip(set.subtitles, shown).compactMap { stream, number in number.map { stream.base + $0 } })
                .sorted()
        }
    }

    /// The cells with which a title's chapters begin, in order, as indexes of `cells`.
    ///
    /// - Parameter cells: those that the title plays.
    private static func chapters(of title: Title, _ cells: [(chain: Int, place: Int)]) -> [Int] {
        let places = title.chapters.compactMap { chapter -> Int? in
            let programs = title.chains[chapter.chain].programs
            guard programs.indices.contains(chapter.program) else { return nil }
            // A program may begin with the cell of another angle.
            return cells.firstIndex { $0.chain == chapter.chain && $0.place >= programs[chapter.program] }
        }
        return Set(places).sorted()
    }

    private func described(selected: Int) -> [DiscTitle] {
        titles.enumerated().map { place, title in
            var described = DiscTitle(
                number: place + 1,
                name: "VTS_\(title.entry.set < 10 ? "0" : "")\(title.entry.set) \(title.entry.number)",
                duration: title.duration,
                chapterCount: title.chapters.count,
                angleCount: title.entry.angleCount
            )
            described.isMain = place == main.place
            described.isSelected = place == selected
            return described
        }
    }
}
