// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// The subtitles of a session: its tracks and files, the decoder, and what is on screen at the playhead.
///
/// Callers do not wait for the decoder, which may be busy reading: changes for it are kept here, and `catchUp` passes
/// them on in order. Belongs to the session's actor.
final class SessionSubtitles {
    /// Changes not yet passed on to the decoder.
    private struct Pending {
        /// Caption tracks that were found in the video and are not listed yet.
        var found: [SubtitleTrack] = []
        var isSelectionNew = false
        /// Whether the playhead has jumped rather than entered the next segment; `nil` if it is still in the same
        /// segment.
        var isJump: Bool?
    }

    private let setup: SessionSetup
    private let media: SessionMedia
    private(set) var tracks: SubtitleTracks
    private var files: SidecarList
    /// `nil` until the source is open.
    private(set) var decoder: SubtitleDecoder?
    private var screen = CueScreen()
    /// Cues are shown this much later than their times.
    private var delay = MediaTime.zero
    /// The playhead's segment, as last passed to the decoder.
    private var segment: Int?
    private var pending = Pending()
    private let pendingWork = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var readers: [Task<Void, Never>] = []

    init(_ record: SessionRecord, _ setup: SessionSetup, _ media: SessionMedia, _ opener: SourceOpener) {
        self.setup = setup
        self.media = media
        let options = record.request.options
        // Subtitles that are drawn into the video are not shown a second time.
        let isBurned = options.burnedSubtitles != nil && options.subtitles == .automatic
        tracks = SubtitleTracks(isBurned ? .none : options.subtitles)
        files = SidecarList(record.sidecars, opener)
    }

    deinit { endReaders() }

    // MARK: Opening

    /// Creates the decoder for the source.
    ///
    /// - Returns: the cues around the playhead, as they change.
    func open(_ opened: OpenedMedia) -> AsyncStream<CueWindow> {
        let (windows, window) = AsyncStream.makeStream(
            of: CueWindow.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        decoder = SubtitleDecoder(
            source: opened.source,
            plan: opened.plan,
            pressure: opened.producer.pressure,
            onWindow: { window.yield($0) }
        )
        setup.publish(tracks.open(opened.source.media))
        if tracks.isSelectionMade { selectionChanged() }
        return windows
    }

    /// Yields an element whenever `catchUp` has something to do.
    var work: AsyncStream<Void> { pendingWork.stream }

    /// - Parameter readers: read the windows of `open` and `work`. Cancelled when the session ends.
    func read(_ readers: Task<Void, Never>...) { self.readers += readers }

    /// Reads the subtitle files that the load request named, that lie beside the source, or that an earlier process
    /// had, and selects the requested tracks. Returns when the local files that were named, and a few of those that
    /// were found, have been read; all other files are added as they arrive. The folder of a source on a server is
    /// listed only after that, and nothing waits for it.
    func startFiles(isolation: isolated (any Actor)? = #isolation) async {
        await find()
        // The track that will be drawn into the video may be in a bitmap file.
        let isBurned = setup.request.options.burnedSubtitles != nil
        let (first, later) = files.startingOrder(awaitsBitmaps: isBurned)
        for entry in first { await readAtStart(entry) }
        let folder = searchedFolder
        files.isSearching = folder != nil
        selectAtStart(isFirst: true)
        guard !media.isStopped else { return }
        if let folder {
            // Ends when the files have been read, or when the session stops, which cancels the task.
            let searching = Task {
                _ = isolation
                for entry in await self.find(in: folder) {
                    await self.readAtStart(entry)
                    self.selectAtStart(isFirst: false)
                }
            }
            read(searching)
        }
        guard !later.isEmpty else { return }
        // Ends when the files have been read, or when the session stops, which interrupts their decoders.
        let reading = Task {
            _ = isolation
            for entry in later {
                await self.readAtStart(entry)
                self.selectAtStart(isFirst: false)
            }
        }
        read(reading)
    }

    /// Has the track that the load names drawn into the video.
    func burn() async {
        guard let choice = setup.request.options.burnedSubtitles, let decoder, let source = media.opened?.source else {
            return
        }
        guard source.file.growth == nil else { return setup.publish(.notBurned("the source is still growing")) }
        guard source.lead.videoBridge != nil else { return setup.publish(.notBurned("its video is not encoded")) }
        guard let track = SubtitleChooser(tracks.all).track(choice) else {
            let error = EngineError.noSubtitles(choice, in: tracks.all, of: setup.request.source)
            return setup.publish(.notBurned(error.message))
        }
        await media.burn(track, by: decoder, of: setup)
        setup.publish(Notice(.info, "subtitles.burned", "subtitle track \(track.id) is drawn into the video"))
    }

    /// Lists the subtitle files that lie beside the source. A restored session keeps those that it had.
    private func find() async {
        guard setup.settings.findsSubtitles, setup.record == nil,
            let path = media.opened?.source.file.fileName
        else { return }
        let search = SidecarSearch()
        let found = await interrupting(by: search.interrupt) { await search.sidecars(of: path) }
        _ = take(found, beside: path.text)
    }

    /// The folder of the source, if it is on a server that lists it.
    private var servedFolder: ServedFolder? {
        guard let source = media.opened?.source.file else { return nil }
        let request = media.refreshed(setup.request)
        return files.opener.folder(of: source, named: request.source, request.http)
    }

    /// The folder on a server in which subtitle files are searched for. A restored session keeps those that it had.
    private var searchedFolder: ServedFolder? {
        setup.settings.findsSubtitles && setup.record == nil ? servedFolder : nil
    }

    /// Lists the subtitle files in the folder of a source on a server.
    ///
    /// - Returns: the files to be read.
    private func find(in folder: ServedFolder) async -> [SidecarList.Entry] {
        let search = SidecarSearch()
        let found = await interrupting(by: search.interrupt) { await search.sidecars(in: folder) }
        files.isSearching = false
        let added = take(found, beside: folder.shown)
        if added.isEmpty { selectAtStart(isFirst: false) }
        return added
    }

    /// Adds the files that a search has found, and reports what it could not find.
    private func take(_ found: SidecarSearch.Result, beside place: String) -> [SidecarList.Entry] {
        guard !media.isStopped else { return [] }
        for failure in found.failures { setup.publish(Notice(.warning, "subtitles.folder_unreadable", "\(failure)")) }
        let (added, left) = files.take(found: found.files)
        guard left > 0 else { return added }
        let text = "\(left) subtitle files beside \(place) are left out: a session has at most \(Sidecar.countLimit)"
        setup.publish(Notice(.warning, "subtitles.files_left_out", text))
        return added
    }

    /// Reads a file. If that fails, the failure is reported and the file is left out.
    private func readAtStart(_ entry: SidecarList.Entry) async {
        guard !media.isStopped, files.entry(entry.key) != nil else { return }
        do throws(EngineError) {
            _ = try await read(entry)
        } catch {
            files.giveUp(entry.key)
            guard !media.isStopped else { return }
            setup.publish(Notice(.warning, "subtitles.file_unavailable", "\(error)"))
        }
    }

    /// Selects the requested tracks among those known by now. After the first call it does nothing once a client has
    /// made a selection.
    private func selectAtStart(isFirst: Bool) {
        guard isFirst || !tracks.isSelectionMade, !media.isStopped, decoder != nil else { return }
        let notice = tracks.selectAtStart(setup.record == nil ? files.shownTracks : nil)
        if !files.isWaiting { setup.publish(notice) }
        selectionChanged()
    }

    // MARK: Tracks

    func select(_ selection: SubtitleSelection) {
        setup.publish(tracks.select(selection, of: media.opened?.source.media))
        selectionChanged()
    }

    /// Lists captions that were found late as subtitle tracks. The selection does not change.
    func add(captions channels: Set<String>) {
        guard let source = media.opened?.source, decoder != nil else { return }
        pending.found += source.media.streams[source.lead.stream.index].captionTracks(channels)
        pendingWork.continuation.yield()
    }

    private func selectionChanged() {
        publishTracks()
        pending.isSelectionNew = true
        pendingWork.continuation.yield()
    }

    private func publishTracks() {
        guard decoder != nil else { return }
        let (all, selected) = (tracks.all, tracks.selected)
        setup.publish { state in
            state.subtitleTracks = all
            state.selectedSubtitles = selected
        }
    }

    // MARK: Files

    /// - Returns: the ids of the tracks that were added.
    func add(_ sidecar: Sidecar) async throws(EngineError) -> [Int] {
        do throws(EngineError) {
            return try await read(sidecar)
        } catch {
            throw error.blaming("file", path: "path")
        }
    }

    private func read(_ sidecar: Sidecar) async throws(EngineError) -> [Int] {
        await media.untilOpen()
        guard decoder != nil, !media.isStopped else {
            throw EngineError(.unavailable, "session \(setup.id.rawValue) has no source to add subtitles to")
        }
        guard !files.isFull else {
            throw EngineError(.resourceExhausted, "the session already has \(Sidecar.countLimit) subtitle files")
        }
        let entry = files.begin(SidecarRecord(sidecar: sidecar))
        do throws(EngineError) {
            let tracks = try await read(entry)
            if sidecar.isShown { select(.tracks(Array(tracks))) }
            return Array(tracks)
        } catch {
            files.remove(entry.key)
            throw error
        }
    }

    /// Reads a file and publishes its tracks. Cancelling the task interrupts the read.
    private func read(_ entry: SidecarList.Entry) async throws(EngineError) -> Range<Int> {
        guard let reader = entry.decoder, let source = media.opened?.source else {
            throw EngineError(.cancelled, "the session was stopped")
        }
        let record = entry.record
        let sidecar = record.sidecar
        let folder = record.foundBeneath == nil ? nil : servedFolder
        let name = folder?.sourceName ?? (source.file.fileName ?? FilePath(source.file.path)).name
        let context = SidecarContext(
            name: ByteText.text(of: name),
            frameRate: source.media.ownStreams.first { $0.kind == .video }?.video?.frameRate
        )
        let request = media.refreshed(setup.request)
        let count = try await interrupting(by: reader.interrupt) { () async throws(EngineError) in
            try await reader.open(record, request, in: folder, for: context)
        }
        let ids = files.ids(of: entry.key, count: count)
        let found = try await interrupting(by: reader.interrupt) { () async throws(EngineError) in
            try await reader.decode(sidecar, for: context, firstID: ids.lowerBound)
        }
        guard !media.isStopped, files.entry(entry.key) != nil, let decoder else {
            throw EngineError(.cancelled, "the session was stopped or the file was removed before it was read")
        }
        files.finish(entry.key, tracks: ids)
        tracks.add(found.map(\.track))
        for track in found {
            await decoder.install(track.cues, scriptHeader: track.scriptHeader, track: track.track.id)
        }
        publishTracks()
        return ids
    }

    /// Removes the file that `track` belongs to.
    func removeFile(ofTrack track: Int) async throws(EngineError) {
        guard let entry = files.entry(ofTrack: track), let ids = entry.record.tracks else {
            throw EngineError(.trackNotFound, "track \(track) is not from an added subtitle file", field: "track")
        }
        files.remove(entry.key)
        let wasShown = tracks.remove(ids)
        if let decoder {
            for id in ids { await decoder.uninstall(track: id) }
        }
        if wasShown { selectionChanged() } else { publishTracks() }
    }

    /// The files, and the selection, that the next process needs to have the same tracks.
    var recorded: (files: [SidecarRecord], selection: SubtitleSelection) {
        (files.records, tracks.recorded(isWaiting: files.isWaiting))
    }

    // MARK: The screen

    /// Takes over the cues around the playhead. The screen changes with the next `follow`.
    func take(_ window: CueWindow) {
        let keepsLines = setup.request.options.preservesScripts
        screen.replace(keepsLines ? window.cues : window.cues.readable)
    }

    /// Publishes the cues on screen at `playhead`, `delay` later than their times, and has the decoder follow.
    func follow(_ playhead: MediaTime, delayedBy delay: MediaTime) {
        guard decoder != nil else { return }
        if delay != self.delay { screen.publishAnew() }
        self.delay = delay
        if var cues = screen.move(to: playhead - delay) {
            cues.origin = media.opened?.source.origin.time ?? .zero
            cues.delay = delay
            setup.hub.cues(setup.id, cues)
        }
        let segment = media.segment(at: playhead - delay)
        guard segment != self.segment else { return }
        let isJump = self.segment.map { segment != $0 + 1 } ?? true
        self.segment = segment
        pending.isJump = isJump || pending.isJump ?? false
        pendingWork.continuation.yield()
    }

    /// When the next cue appears or disappears, or the playhead enters the next segment, whichever comes first. `nil`
    /// when no track is shown.
    func nextMoment(after playhead: MediaTime) -> MediaTime? {
        guard !tracks.selected.isEmpty else { return nil }
        let place = playhead - delay
        let segmentEnd = media.endTime(ofSegment: media.segment(at: place))
        return [screen.nextMoment, segmentEnd > place ? segmentEnd : nil].compactMap(\.self).min().map { $0 + delay }
    }

    /// Notifies the decoder and the producer of everything that has changed since the last call.
    ///
    /// - Parameter playhead: returns the position of the playhead.
    func catchUp(_ playhead: () -> MediaTime) async {
        guard let decoder, let media = media.opened else { return }
        let pending = pending
        self.pending = Pending()
        if !pending.found.isEmpty {
            // The decoder lists them first, so that clients can request the cues of every track they see.
            await decoder.add(pending.found)
            guard !self.media.isStopped else { return }
            tracks.add(pending.found)
            publishTracks()
        }
        if pending.isSelectionNew {
            let selected = Set(tracks.selected)
            let streams = Self.streams(of: tracks.shown, alongside: decoder)
            // The task waits only for the thread of the decoder, which the session stops. Segments may arrive in any order.
            await media.producer.harvest(streams) { found in Task { await decoder.harvest(found) } }
            await decoder.move(to: playhead() - delay, isJump: true)
            await decoder.add(tracks.all.filter { $0.stream != nil })
            await decoder.select(selected)
        } else if let isJump = pending.isJump {
            await decoder.move(to: playhead() - delay, isJump: isJump)
        }
    }

    /// The streams whose packets the producer can harvest. Captions within video that the producer does not read are
    /// left out.
    private static func streams(of shown: [SubtitleTrack], alongside decoder: SubtitleDecoder) -> Set<Int> {
        var streams: Set<Int> = []
        for track in shown {
            guard let stream = track.stream else { continue }
            if !track.isWithinPictures || decoder.isAlongside(track) { streams.insert(stream) }
        }
        return streams
    }

    // MARK: Requests

    /// The cues that a request refers to. They are read piece by piece, as the caller requests them.
    func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        guard let decoder else {
            throw EngineError(.unavailable, "session \(setup.id.rawValue) is still being opened")
        }
        var tracks = tracks.tracks(request.choice)
        if tracks.isEmpty, let named = media.opened?.source.media.unlistedTrack(request.choice) { tracks = [named] }
        guard !tracks.isEmpty else {
            throw .noSubtitles(request.choice, in: self.tracks.all, of: setup.request.source)
        }
        var header = ""
        if request.isRaw, tracks.count == 1 { header = try await decoder.header(of: tracks[0]) }
        return SessionCues(request, of: tracks, header: header, by: decoder)
    }

    // MARK: Ending

    /// Interrupts the decoder and the decoders of files, which end at once.
    func interrupt() {
        decoder?.interrupt()
        files.interrupt()
    }

    /// Clears the screen and releases the decoder's thread.
    func stop() async {
        endReaders()
        guard let decoder else { return }
        setup.hub.cues(setup.id, ScreenCues(origin: media.opened?.source.origin.time ?? .zero))
        await decoder.stop()
    }

    private func endReaders() {
        for reader in readers { reader.cancel() }
        files.interrupt()
    }
}

extension Notice {
    static func notBurned(_ reason: String) -> Notice {
        Notice(.warning, "subtitles.not_burned", "subtitles are not drawn into the video: \(reason)")
    }
}
