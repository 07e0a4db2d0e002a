// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading
internal import Subtitles

// Subtitle files beside the source.
extension PlaybackSession {
    /// Reads the subtitle files that the load request named or an earlier process had, and selects the requested
    /// tracks. Returns when local files have been read; files on servers are added as they arrive.
    func startSidecars() async {
        let entries = subtitles.sidecars.entries
        for entry in entries where entry.isLocal { await readAtStart(entry) }
        selectAtStart(isFirst: true)
        let remote = entries.filter { !$0.isLocal }
        guard !remote.isEmpty, !isStopped else { return }
        // Ends when the files have been read, or when the session stops, which interrupts their decoders.
        Task { [weak self] in
            for entry in remote {
                await self?.readAtStart(entry)
                await self?.selectAtStart(isFirst: false)
            }
        }
    }

    /// Reads a file. One that cannot be read is reported and left out.
    private func readAtStart(_ entry: SidecarShelf.Entry) async {
        guard !isStopped, subtitles.sidecars.entry(entry.key) != nil else { return }
        do throws(EngineError) {
            _ = try await read(entry)
        } catch {
            subtitles.sidecars.giveUp(entry.key)
            guard !isStopped else { return }
            hub.notice(id, Notice(.warning, "subtitles.file_unavailable", "\(error)"))
        }
    }

    /// Selects the requested tracks among those known by now. After the first call it does nothing once a client has
    /// made a selection.
    private func selectAtStart(isFirst: Bool) {
        guard isFirst || !subtitles.isSelectionMade, !isStopped, subtitles.decoder != nil else { return }
        if let notice = subtitles.selectAtStart(isRestored: restored != nil) { hub.notice(id, notice) }
        publishSubtitles()
        // Callers do not wait for the first cues.
        Task { await self.showSelected() }
    }

    /// - Returns: the ids of the tracks that were added.
    func add(_ sidecar: Sidecar) async throws(EngineError) -> [Int] {
        do throws(EngineError) {
            return try await read(sidecar)
        } catch {
            throw error.blaming("file", path: "path")
        }
    }

    private func read(_ sidecar: Sidecar) async throws(EngineError) -> [Int] {
        await untilOpen()
        guard subtitles.decoder != nil, !isStopped else {
            throw EngineError(.unavailable, "session \(id.rawValue) has no source to add subtitles to")
        }
        guard !subtitles.sidecars.isFull else {
            throw EngineError(.resourceExhausted, "the session already has \(Sidecar.countLimit) subtitle files")
        }
        let entry = subtitles.sidecars.begin(SidecarRecord(sidecar: sidecar))
        do throws(EngineError) {
            let tracks = try await read(entry)
            if sidecar.isShown { select(.tracks(Array(tracks))) }
            return Array(tracks)
        } catch {
            subtitles.sidecars.remove(entry.key)
            throw error
        }
    }

    /// Reads a file and publishes its tracks. Cancelling the task interrupts the read.
    private func read(_ entry: SidecarShelf.Entry) async throws(EngineError) -> Range<Int> {
        guard let decoder = entry.decoder, let source = media.opened?.source else {
            throw EngineError(.cancelled, "the session was stopped")
        }
        let sidecar = entry.record.sidecar
        let film = SidecarFilm(
            name: SidecarPlace.name(ofPath: source.file.path),
            frameRate: source.media.streams.first { $0.kind == .video }?.video?.frameRate
        )
        let headers = request.httpHeaders
        let count = try await interrupting(decoder) { () async throws(EngineError) in
            try await decoder.open(sidecar, headers: headers, for: film)
        }
        let ids = subtitles.sidecars.ids(of: entry.key, count: count)
        let tracks = try await interrupting(decoder) { () async throws(EngineError) in
            try await decoder.decode(sidecar, for: film, firstID: ids.lowerBound)
        }
        guard !isStopped, subtitles.sidecars.entry(entry.key) != nil, let cues = subtitles.decoder else {
            throw EngineError(.cancelled, "the session was stopped or the file was removed before it was read")
        }
        subtitles.sidecars.finish(entry.key, tracks: ids)
        subtitles.add(tracks.map(\.track))
        for track in tracks { await cues.install(track.cues, scriptHeader: track.scriptHeader, track: track.track.id) }
        publishSubtitles()
        return ids
    }

    private func interrupting<Value: Sendable>(
        _ decoder: SidecarDecoder,
        _ body: () async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                return Result<Value, EngineError>.success(try await body())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            decoder.interrupt()
        }
        return try result.get()
    }

    func removeSidecar(ofTrack track: Int) async throws(EngineError) {
        guard let entry = subtitles.sidecars.entry(ofTrack: track), let tracks = entry.record.tracks else {
            throw EngineError(.trackNotFound, "track \(track) is not from an added subtitle file", field: "track")
        }
        subtitles.sidecars.remove(entry.key)
        let wasShown = subtitles.selected.contains(where: tracks.contains)
        subtitles.remove(Set(tracks))
        if let decoder = subtitles.decoder {
            for track in tracks { await decoder.uninstall(track: track) }
        }
        publishSubtitles()
        if wasShown { await showSelected() }
    }
}

extension SidecarShelf.Entry {
    var isLocal: Bool { WebAddress(record.sidecar.path) == nil }
}
