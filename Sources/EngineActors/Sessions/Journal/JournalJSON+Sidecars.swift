// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Subtitles

extension JournalJSON {
    /// A sidecar subtitle file.
    struct Sidecar: Codable, Equatable {
        var path: String
        var charset: String?
        var language: String?
        var title: String?
        var httpHeaders: [Header]?
        var shown: Bool?
        /// The ID of its first track, and the number of tracks.
        var firstTrack: Int?
        var trackCount: Int?
        /// The source's folder, for a file that the engine found there.
        var foundBeneath: String?
    }
}

extension JournalJSON.Sidecar {
    private static let ids = SubtitleTrack.firstSidecar...Int(Int32.max)
    private static let counts = 1...1024

    init(_ record: SidecarRecord) {
        path = record.sidecar.path
        charset = record.sidecar.charset
        language = record.sidecar.language
        title = record.sidecar.title
        httpHeaders = record.sidecar.httpHeaders.map { .init(name: $0.name, value: $0.value) }
        shown = record.sidecar.isShown
        firstTrack = record.tracks?.lowerBound
        trackCount = record.tracks?.count
        foundBeneath = record.foundBeneath
    }

    /// The file, and the errors of its invalid headers. Invalid headers and values out of range are dropped: a user may
    /// have edited the journal.
    var restored: (record: SidecarRecord, invalid: [EngineError]) {
        var sidecar = EngineModel.Sidecar(path: path)
        sidecar.charset = charset ?? ""
        sidecar.language = language ?? ""
        sidecar.title = title ?? ""
        let headers = JournalJSON.headers(httpHeaders)
        sidecar.httpHeaders = headers.valid
        sidecar.isShown = shown ?? false
        var record = SidecarRecord(sidecar: sidecar, foundBeneath: foundBeneath)
        if let firstTrack, let trackCount, Self.ids.contains(firstTrack), Self.counts.contains(trackCount) {
            record.tracks = firstTrack..<firstTrack + trackCount
        }
        return (record, headers.invalid)
    }
}
