// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

// The player-related fields of a session's state: settings, chapter, metadata, statistics, renderer.
extension SessionState {
    func wirePlayer(
        _ state: UnsafeMutablePointer<Engine__V1__SessionState>,
        in arena: MessageArena,
        fields: StateFields
    ) {
        if fields.contains(.settings) {
            unsafe state.pointee.volume = volume
            unsafe state.pointee.muted = isMuted ? 1 : 0
            unsafe state.pointee.looping = isLooping ? 1 : 0
            let range = unsafe arena.message(Engine__V1__RateRange.self)
            unsafe range.pointee.min = rateRange.lowerBound
            unsafe range.pointee.max = rateRange.upperBound
            unsafe state.pointee.rate_range = range
        }
        if fields.contains(.chapter), let chapter {
            let current = unsafe arena.message(Engine__V1__CurrentChapter.self)
            unsafe current.pointee.index = UInt32(clamping: chapter)
            unsafe state.pointee.current_chapter = current
        }
        if fields.contains(.metadata) {
            unsafe state.pointee.n_metadata = metadata.count
            unsafe state.pointee.metadata = arena.array(metadata) { unsafe .some($0.wire(in: arena)) }
            unsafe state.pointee.cover_art_url = arena.string(coverArtURL)
        }
        if fields.contains(.statistics) { unsafe state.pointee.statistics = statistics.wire(in: arena) }
        if fields.contains(.subtitles) {
            unsafe state.pointee.n_subtitle_tracks = subtitleTracks.count
            unsafe state.pointee.subtitle_tracks = arena.array(subtitleTracks) { unsafe .some($0.wire(in: arena)) }
            unsafe state.pointee.n_selected_subtitles = selectedSubtitles.count
            unsafe state.pointee.selected_subtitles = arena.array(selectedSubtitles) { UInt32(clamping: $0) }
        }
        if fields.contains(.filters) { unsafe writeFilters(to: state, in: arena) }
        if fields.contains(.renderer), let renderer {
            let wire = unsafe arena.message(Engine__V1__Renderer.self)
            unsafe wire.pointee.name = arena.string(renderer)
            unsafe state.pointee.renderer = wire
        }
    }

    mutating func takePlayer(_ state: Engine__V1__SessionState) throws(EngineError) {
        volume = unsafe state.volume
        isMuted = unsafe state.muted != 0
        isLooping = unsafe state.looping != 0
        if let range = unsafe state.rate_range {
            let (lowest, highest) = unsafe (range.pointee.min, range.pointee.max)
            guard lowest <= highest else { throw .invalid("rate_range", "has a minimum above its maximum") }
            rateRange = lowest...highest
        }
        chapter = unsafe state.current_chapter.map { Int(unsafe $0.pointee.index) }
        metadata = try unsafe values(state.metadata, state.n_metadata) { tag throws(EngineError) in
            unsafe Tag(wire: tag)
        }
        coverArtURL = unsafe text(state.cover_art_url)
        storyboardURL = unsafe text(state.storyboard_url)
        if let wire = unsafe state.statistics { statistics = unsafe Statistics(wire: wire.pointee) }
        subtitleTracks = try unsafe values(state.subtitle_tracks, state.n_subtitle_tracks) {
            track throws(EngineError) in
            unsafe SubtitleTrack(wire: track)
        }
        if let ids = unsafe state.selected_subtitles {
            selectedSubtitles = (0..<Int(unsafe state.n_selected_subtitles)).map { Int(unsafe ids[$0]) }
        }
        try unsafe takeFilters(state)
        renderer = unsafe state.renderer.map { unsafe text($0.pointee.name) }
    }
}

extension Statistics {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Statistics> {
        let wire = unsafe arena.message(Engine__V1__Statistics.self)
        unsafe wire.pointee.bytes_read = bytesRead
        unsafe wire.pointee.segments_made = segmentsMade
        unsafe wire.pointee.segments_served = segmentsServed
        unsafe wire.pointee.segments_evicted = segmentsEvicted
        unsafe wire.pointee.cache_hits = cacheHits
        unsafe wire.pointee.production_speed = productionSpeed
        unsafe wire.pointee.stalls = stalls
        unsafe wire.pointee.stall_us = stallMicroseconds
        unsafe wire.pointee.dropped_frames = droppedFrames
        unsafe wire.pointee.decode_us = decodeMicroseconds
        unsafe wire.pointee.resident_bytes = residentBytes
        unsafe wire.pointee.decoded_frames = decodedFrames
        unsafe wire.pointee.decode_errors = decodeErrors
        unsafe wire.pointee.pictures_in_place = picturesInPlace
        unsafe wire.pointee.pictures_copied = picturesCopied
        return unsafe wire
    }

    init(wire: Engine__V1__Statistics) {
        self.init()
        bytesRead = unsafe wire.bytes_read
        segmentsMade = unsafe wire.segments_made
        segmentsServed = unsafe wire.segments_served
        segmentsEvicted = unsafe wire.segments_evicted
        cacheHits = unsafe wire.cache_hits
        productionSpeed = unsafe wire.production_speed
        stalls = unsafe wire.stalls
        stallMicroseconds = unsafe wire.stall_us
        droppedFrames = unsafe wire.dropped_frames
        decodeMicroseconds = unsafe wire.decode_us
        residentBytes = unsafe wire.resident_bytes
        decodedFrames = unsafe wire.decoded_frames
        decodeErrors = unsafe wire.decode_errors
        picturesInPlace = unsafe wire.pictures_in_place
        picturesCopied = unsafe wire.pictures_copied
    }
}
