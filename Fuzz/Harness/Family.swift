// SPDX-License-Identifier: Apache-2.0

/// Parsers that are fuzzed together, because the same bytes reach them. Seeds lie in `Fuzz/Seeds` under the same name.
enum Family: String, CaseIterable {
    case h264
    case hevc
    case dolbyvision
    /// AV1 and VP9.
    case open
    case audio
    /// ISO BMFF and Matroska, as sources and as what `validate` is given.
    case containers
    case playlists
    /// Playlists of sources with their reloads, and the heads of their segments.
    case presentations
    /// Events of scripts, lists of cues, and files of subtitles.
    case subtitles
    /// Timed text in XML, and text tracks of fragmented MP4.
    case text
    /// Captions within pictures, and packets of subtitles that are pictures.
    case captions
    /// Filters with their options, and drawings, as clients ask for them.
    case filters
    /// The socket and the port.
    case wire
    /// Times of a film as any file may have them, through all that reckons with them.
    case times
    /// Memory that a front-end shares, and what it writes there.
    case rings
    /// How stills, sheets and drawings are laid out, and pictures coloured by their own metadata.
    case stills
    /// Whole films: what the software path reads and decodes of them.
    case films
    /// What the journal of an earlier process may hold.
    case journal
    /// Whole sources of subtitles: what becomes of their tracks, and files beside a film.
    case tracks
    /// What servers of sources answer: heads of responses, redirects, names of hosts.
    case responses
    /// The files of a Blu-ray disc or a DVD, and the file systems of images.
    case discs
    /// Messages of the program that draws subtitles, the times of pictures, and pictures whose text is recognized.
    case drawings

    func exercise(_ bytes: [UInt8]) {
        switch self {
        case .h264: exerciseH264(bytes)
        case .hevc: exerciseHEVC(bytes)
        case .dolbyvision: exerciseDolbyVision(bytes)
        case .open: exerciseOpen(bytes)
        case .audio: exerciseAudio(bytes)
        case .containers: exerciseContainers(bytes)
        case .playlists: exercisePlaylists(bytes)
        case .presentations: exercisePresentations(bytes)
        case .subtitles:
            exerciseSubtitles(bytes)
            exerciseSidecars(bytes)
        case .text: exerciseText(bytes)
        case .captions: exerciseCaptions(bytes)
        case .filters: exerciseFilters(bytes)
        case .wire: exerciseWire(bytes)
        case .times: exerciseTimes(bytes)
        case .rings: exerciseRings(bytes)
        case .stills: exerciseStills(bytes)
        case .films: exerciseFilms(bytes)
        case .journal: exerciseJournal(bytes)
        case .tracks:
            exerciseTracks(bytes)
            exerciseFiles(bytes)
        case .responses: exerciseResponses(bytes)
        case .discs: exerciseDiscs(bytes)
        case .drawings: exerciseDrawings(bytes)
        }
    }
}
