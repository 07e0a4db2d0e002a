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
    /// Playlists of sources with their reloads, and the first bytes of their segments.
    case presentations
    /// Events of scripts, lists of cues, and sidecar files.
    case subtitles
    /// Timed text in XML, and text tracks of fragmented MP4.
    case text
    /// Captions in video, and packets of bitmap subtitles.
    case captions
    /// Filters with their options, and overlays, as clients request them.
    case filters
    /// Messages on the control socket, and heads of HTTP requests.
    case wire
    /// Arbitrary times of a source, through everything that computes with them.
    case times
    /// Memory that is shared with a front-end, and what the front-end writes there.
    case rings
    /// The layout of stills, sheets and overlays, and colour conversion with a picture's own metadata.
    case stills
    /// Whole sources, read and decoded as on the software path.
    case films
    /// The journal of an earlier process.
    case journal
    /// Whole sources with subtitles, whose tracks are decoded, and sidecar files.
    case tracks
    /// Answers of a source's servers: heads of responses, redirects, names of hosts, listings of folders.
    case responses
    /// The files of a Blu-ray disc or a DVD, and the file systems of images.
    case discs
    /// Tables of broadcasts, and live transport streams.
    case broadcasts
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
        case .broadcasts: exerciseBroadcasts(bytes)
        case .drawings: exerciseDrawings(bytes)
        }
    }
}
