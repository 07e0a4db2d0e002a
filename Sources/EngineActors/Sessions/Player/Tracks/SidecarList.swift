// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading
internal import Subtitles

/// The subtitle files of a session, including those that are still being read. Plain values, except for their decoders.
struct SidecarList {
    struct Entry {
        let key: Int
        var record: SidecarRecord
        var isRead = false
        /// Reads the file. `nil` once the file has been read or given up.
        var decoder: SidecarDecoder?
    }

    /// A load waits for at most this many of the files that were found beside the source.
    private static let awaitedLimit = 8

    private(set) var entries: [Entry] = []
    /// Whether the folder of a source on a server is being searched: further files may be found.
    var isSearching = false
    let opener: SourceOpener
    private var nextKey = 0
    private var nextTrack = SubtitleTrack.firstSidecar

    /// - Parameter records: the files to be read.
    init(_ records: [SidecarRecord], _ opener: SourceOpener) {
        self.opener = opener
        for record in records.prefix(Sidecar.countLimit) {
            _ = begin(record)
            // Track ids that were used before are not used again.
            if let tracks = record.tracks { nextTrack = max(nextTrack, tracks.upperBound) }
        }
    }

    var records: [SidecarRecord] { entries.map(\.record) }
    var isFull: Bool { entries.count >= Sidecar.countLimit }
    /// Whether any file is still being read or searched for.
    var isWaiting: Bool { isSearching || entries.contains { $0.decoder != nil } }

    /// The tracks of the files that have been read and ask to be shown.
    var shownTracks: [Int] {
        entries.filter { $0.isRead && $0.record.sidecar.isShown }.flatMap { Array($0.record.tracks ?? 0..<0) }
    }

    func entry(_ key: Int) -> Entry? { entries.first { $0.key == key } }

    /// The file that a track belongs to.
    func entry(ofTrack track: Int) -> Entry? {
        entries.first { $0.isRead && $0.record.tracks?.contains(track) == true }
    }

    /// Adds a file to read.
    mutating func begin(_ record: SidecarRecord) -> Entry {
        let entry = Entry(key: nextKey, record: record, decoder: SidecarDecoder(opener))
        nextKey += 1
        entries.append(entry)
        return entry
    }

    /// Adds the files that were found beside the source, except those that are known already.
    ///
    /// - Returns: the entries of the added files, and the number of files for which there is no room.
    mutating func take(found records: [SidecarRecord]) -> (added: [Entry], left: Int) {
        let known = Set(entries.map { SourceOpener.shown($0.record.sidecar.path) })
        let new = records.filter { !known.contains($0.sidecar.path) }
        let room = max(0, Sidecar.countLimit - entries.count)
        let added = new.prefix(room).map { begin($0) }
        return (added, new.count - added.count)
    }

    /// The files in the order in which they are read: those that a load waits for, and the rest. A load does not wait
    /// for files on servers, or for more than a few files that were found.
    ///
    /// - Parameter awaitsBitmaps: whether a load also waits for bitmap files that were found.
    func startingOrder(awaitsBitmaps: Bool) -> (first: [Entry], later: [Entry]) {
        var first: [Entry] = []
        var later: [Entry] = []
        var awaited = 0
        for entry in entries {
            let isFound = entry.record.foundBeneath != nil
            let isLate = awaited >= Self.awaitedLimit || entry.isPictures && !awaitsBitmaps
            if entry.isRemote || isFound && isLate {
                later.append(entry)
            } else {
                if isFound { awaited += 1 }
                first.append(entry)
            }
        }
        return (first, later)
    }

    /// The ids for a file's tracks: the ids it had before if the number of tracks is the same, otherwise the next
    /// unused ids.
    mutating func ids(of key: Int, count: Int) -> Range<Int> {
        if let known = entry(key)?.record.tracks, known.count == count { return known }
        defer { nextTrack += count }
        return nextTrack..<nextTrack + count
    }

    /// Marks a file as read, with the ids of its tracks.
    mutating func finish(_ key: Int, tracks: Range<Int>) {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return }
        entries[place].decoder = nil
        entries[place].isRead = true
        entries[place].record.tracks = tracks
    }

    /// A file cannot be read now. It stays on record, so that the next process tries again.
    mutating func giveUp(_ key: Int) {
        guard let place = entries.firstIndex(where: { $0.key == key }) else { return }
        entries[place].decoder = nil
    }

    mutating func remove(_ key: Int) { entries.removeAll { $0.key == key } }

    func interrupt() { for entry in entries { entry.decoder?.interrupt() } }
}

extension SidecarList.Entry {
    fileprivate var isRemote: Bool { SourceOpener.isURL(record.sidecar.path) }

    fileprivate var isPictures: Bool {
        let path = record.sidecar.path.lowercased()
        return [".idx", ".sup", ".sub"].contains { path.hasSuffix($0) }
    }
}
