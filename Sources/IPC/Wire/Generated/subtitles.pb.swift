// Generated from engine/v1/subtitles.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct CueStage: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let appeared = Self(rawValue: 1)
        static let disappeared = Self(rawValue: 2)
        static let ahead = Self(rawValue: 3)
    }
}

extension Engine__V1__CueStage: ProtobufCEnum {}

extension Proto {
    struct SubtitleTrack: Equatable, Sendable {
        var id: UInt32 = 0
        var codec: String = ""
        var language: String = ""
        var title: String = ""
        var dispositions: [String] = []
        var text: Bool = false
        var path: String = ""
        var charset: String = ""
        var found: Bool = false
    }
}

extension Proto.SubtitleTrack: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SubtitleTrack>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__subtitle_track__init(pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrack.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrack.self)
        id = unsafe c.pointee.id
        codec = unsafe readText(c.pointee.codec)
        language = unsafe readText(c.pointee.language)
        title = unsafe readText(c.pointee.title)
        dispositions = unsafe readTexts(c.pointee.dispositions, c.pointee.n_dispositions)
        text = unsafe c.pointee.text != 0
        path = unsafe readText(c.pointee.path)
        charset = unsafe readText(c.pointee.charset)
        found = unsafe c.pointee.found != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrack.self)
        unsafe c.pointee.id = id
        unsafe c.pointee.codec = arena.text(codec)
        unsafe c.pointee.language = arena.text(language)
        unsafe c.pointee.title = arena.text(title)
        unsafe c.pointee.n_dispositions = dispositions.count
        unsafe c.pointee.dispositions = arena.texts(dispositions)
        unsafe c.pointee.text = text ? 1 : 0
        unsafe c.pointee.path = arena.text(path)
        unsafe c.pointee.charset = arena.text(charset)
        unsafe c.pointee.found = found ? 1 : 0
    }
}

extension Proto {
    struct SubtitleFile: Equatable, Sendable {
        var path: String = ""
        var charset: String = ""
        var language: String = ""
        var title: String = ""
        var httpHeaders: [Proto.HttpHeader] = []
        var show: Bool = false
    }
}

extension Proto.SubtitleFile: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SubtitleFile>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__subtitle_file__init(pointer.assumingMemoryBound(to: Engine__V1__SubtitleFile.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleFile.self)
        path = unsafe readText(c.pointee.path)
        charset = unsafe readText(c.pointee.charset)
        language = unsafe readText(c.pointee.language)
        title = unsafe readText(c.pointee.title)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        show = unsafe c.pointee.show != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleFile.self)
        unsafe c.pointee.path = arena.text(path)
        unsafe c.pointee.charset = arena.text(charset)
        unsafe c.pointee.language = arena.text(language)
        unsafe c.pointee.title = arena.text(title)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.show = show ? 1 : 0
    }
}

extension Proto {
    struct Cue: Equatable, Sendable {
        indirect enum Content: Equatable, Sendable {
            case text(Proto.CueText)
            case image(Proto.CueImage)
        }

        var id: UInt64 = 0
        var track: UInt32 = 0
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
        var forced: Bool = false
        var content: Content?
    }
}

extension Proto.Cue: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Cue>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue__init(pointer.assumingMemoryBound(to: Engine__V1__Cue.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Cue.self)
        id = unsafe c.pointee.id
        track = unsafe c.pointee.track
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
        forced = unsafe c.pointee.forced != 0
        switch unsafe c.pointee.content_case {
        case ENGINE__V1__CUE__CONTENT_TEXT:
            content = unsafe readMessage(c.pointee.text).map(Content.text)
        case ENGINE__V1__CUE__CONTENT_IMAGE:
            content = unsafe readMessage(c.pointee.image).map(Content.image)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Cue.self)
        unsafe c.pointee.id = id
        unsafe c.pointee.track = track
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
        unsafe c.pointee.forced = forced ? 1 : 0
        switch content {
        case .text(let value):
            unsafe c.pointee.content_case = ENGINE__V1__CUE__CONTENT_TEXT
            unsafe c.pointee.text = arena.message(value)
        case .image(let value):
            unsafe c.pointee.content_case = ENGINE__V1__CUE__CONTENT_IMAGE
            unsafe c.pointee.image = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct CueText: Equatable, Sendable {
        var plain: String = ""
        var runs: [Proto.TextRun] = []
        var alignment: UInt32 = 0
        var position: Proto.CuePosition?
        var raw: String = ""
    }
}

extension Proto.CueText: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CueText>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue_text__init(pointer.assumingMemoryBound(to: Engine__V1__CueText.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueText.self)
        plain = unsafe readText(c.pointee.plain)
        runs = unsafe readMessages(c.pointee.runs, c.pointee.n_runs)
        alignment = unsafe c.pointee.alignment
        position = unsafe readMessage(c.pointee.position)
        raw = unsafe readText(c.pointee.raw)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueText.self)
        unsafe c.pointee.plain = arena.text(plain)
        unsafe c.pointee.n_runs = runs.count
        unsafe c.pointee.runs = arena.messages(runs)
        unsafe c.pointee.alignment = alignment
        unsafe c.pointee.position = arena.message(position)
        unsafe c.pointee.raw = arena.text(raw)
    }
}

extension Proto {
    struct TextRun: Equatable, Sendable {
        var text: String = ""
        var bold: Bool = false
        var italic: Bool = false
        var underline: Bool = false
        var strikeout: Bool = false
        var color: String = ""
        var font: String = ""
        var size: Double = 0
    }
}

extension Proto.TextRun: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__TextRun>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__text_run__init(pointer.assumingMemoryBound(to: Engine__V1__TextRun.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TextRun.self)
        text = unsafe readText(c.pointee.text)
        bold = unsafe c.pointee.bold != 0
        italic = unsafe c.pointee.italic != 0
        underline = unsafe c.pointee.underline != 0
        strikeout = unsafe c.pointee.strikeout != 0
        color = unsafe readText(c.pointee.color)
        font = unsafe readText(c.pointee.font)
        size = unsafe c.pointee.size
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TextRun.self)
        unsafe c.pointee.text = arena.text(text)
        unsafe c.pointee.bold = bold ? 1 : 0
        unsafe c.pointee.italic = italic ? 1 : 0
        unsafe c.pointee.underline = underline ? 1 : 0
        unsafe c.pointee.strikeout = strikeout ? 1 : 0
        unsafe c.pointee.color = arena.text(color)
        unsafe c.pointee.font = arena.text(font)
        unsafe c.pointee.size = size
    }
}

extension Proto {
    struct CuePosition: Equatable, Sendable {
        var x: Double = 0
        var y: Double = 0
    }
}

extension Proto.CuePosition: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CuePosition>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue_position__init(pointer.assumingMemoryBound(to: Engine__V1__CuePosition.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CuePosition.self)
        x = unsafe c.pointee.x
        y = unsafe c.pointee.y
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CuePosition.self)
        unsafe c.pointee.x = x
        unsafe c.pointee.y = y
    }
}

extension Proto {
    struct CueImage: Equatable, Sendable {
        var png: [UInt8] = []
        var width: UInt32 = 0
        var height: UInt32 = 0
        var x: Double = 0
        var y: Double = 0
        var extentX: Double = 0
        var extentY: Double = 0
        var canvasWidth: UInt32 = 0
        var canvasHeight: UInt32 = 0
    }
}

extension Proto.CueImage: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CueImage>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue_image__init(pointer.assumingMemoryBound(to: Engine__V1__CueImage.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueImage.self)
        png = unsafe readData(c.pointee.png)
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        x = unsafe c.pointee.x
        y = unsafe c.pointee.y
        extentX = unsafe c.pointee.extent_x
        extentY = unsafe c.pointee.extent_y
        canvasWidth = unsafe c.pointee.canvas_width
        canvasHeight = unsafe c.pointee.canvas_height
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueImage.self)
        unsafe c.pointee.png = arena.data(png)
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.x = x
        unsafe c.pointee.y = y
        unsafe c.pointee.extent_x = extentX
        unsafe c.pointee.extent_y = extentY
        unsafe c.pointee.canvas_width = canvasWidth
        unsafe c.pointee.canvas_height = canvasHeight
    }
}

extension Proto {
    struct GetCuesRequest: Equatable, Sendable {
        enum Place: Equatable, Sendable {
            case sessionID(String)
            case source(String)
        }

        enum Choice: Equatable, Sendable {
            case track(UInt32)
            case number(UInt32)
            case language(String)
        }

        var range: Proto.CueRange?
        var raw: Bool = false
        var charset: String = ""
        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
        var withoutFiles: Bool = false
        var program: Proto.ProgramSelection?
        var place: Place?
        var choice: Choice?
    }
}

extension Proto.GetCuesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__GetCuesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__get_cues_request__init(pointer.assumingMemoryBound(to: Engine__V1__GetCuesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetCuesRequest.self)
        range = unsafe readMessage(c.pointee.range)
        raw = unsafe c.pointee.raw != 0
        charset = unsafe readText(c.pointee.charset)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
        withoutFiles = unsafe c.pointee.without_files != 0
        program = unsafe readMessage(c.pointee.program)
        switch unsafe c.pointee.place_case {
        case ENGINE__V1__GET_CUES_REQUEST__PLACE_SESSION_ID:
            place = .sessionID(unsafe readText(c.pointee.session_id))
        case ENGINE__V1__GET_CUES_REQUEST__PLACE_SOURCE:
            place = .source(unsafe readText(c.pointee.source))
        default: break
        }
        switch unsafe c.pointee.choice_case {
        case ENGINE__V1__GET_CUES_REQUEST__CHOICE_TRACK:
            choice = .track(unsafe c.pointee.track)
        case ENGINE__V1__GET_CUES_REQUEST__CHOICE_NUMBER:
            choice = .number(unsafe c.pointee.number)
        case ENGINE__V1__GET_CUES_REQUEST__CHOICE_LANGUAGE:
            choice = .language(unsafe readText(c.pointee.language))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetCuesRequest.self)
        unsafe c.pointee.range = arena.message(range)
        unsafe c.pointee.raw = raw ? 1 : 0
        unsafe c.pointee.charset = arena.text(charset)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
        unsafe c.pointee.without_files = withoutFiles ? 1 : 0
        unsafe c.pointee.program = arena.message(program)
        switch place {
        case .sessionID(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_CUES_REQUEST__PLACE_SESSION_ID
            unsafe c.pointee.session_id = arena.text(value)
        case .source(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_CUES_REQUEST__PLACE_SOURCE
            unsafe c.pointee.source = arena.text(value)
        case nil: break
        }
        switch choice {
        case .track(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_TRACK
            unsafe c.pointee.track = value
        case .number(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_NUMBER
            unsafe c.pointee.number = value
        case .language(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_CUES_REQUEST__CHOICE_LANGUAGE
            unsafe c.pointee.language = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct CueRange: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
    }
}

extension Proto.CueRange: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CueRange>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue_range__init(pointer.assumingMemoryBound(to: Engine__V1__CueRange.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueRange.self)
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueRange.self)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
    }
}

extension Proto {
    struct GetCuesResponse: Equatable, Sendable {
        var tracks: [Proto.SubtitleTrack] = []
        var cues: [Proto.Cue] = []
        var progress: Double = 0
        var scriptHeader: String = ""
    }
}

extension Proto.GetCuesResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__GetCuesResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__get_cues_response__init(pointer.assumingMemoryBound(to: Engine__V1__GetCuesResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetCuesResponse.self)
        tracks = unsafe readMessages(c.pointee.tracks, c.pointee.n_tracks)
        cues = unsafe readMessages(c.pointee.cues, c.pointee.n_cues)
        progress = unsafe c.pointee.progress
        scriptHeader = unsafe readText(c.pointee.script_header)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetCuesResponse.self)
        unsafe c.pointee.n_tracks = tracks.count
        unsafe c.pointee.tracks = arena.messages(tracks)
        unsafe c.pointee.n_cues = cues.count
        unsafe c.pointee.cues = arena.messages(cues)
        unsafe c.pointee.progress = progress
        unsafe c.pointee.script_header = arena.text(scriptHeader)
    }
}

extension Proto {
    struct DrawSubtitlesRequest: Equatable, Sendable {
        var cues: Proto.GetCuesRequest?
        var width: UInt32 = 0
        var height: UInt32 = 0
        var frameRate: Double = 0
        var straightAlpha: Bool = false
    }
}

extension Proto.DrawSubtitlesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__DrawSubtitlesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__draw_subtitles_request__init(pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesRequest.self)
        cues = unsafe readMessage(c.pointee.cues)
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        frameRate = unsafe c.pointee.frame_rate
        straightAlpha = unsafe c.pointee.straight_alpha != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesRequest.self)
        unsafe c.pointee.cues = arena.message(cues)
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.frame_rate = frameRate
        unsafe c.pointee.straight_alpha = straightAlpha ? 1 : 0
    }
}

extension Proto {
    struct DrawSubtitlesResponse: Equatable, Sendable {
        var track: Proto.SubtitleTrack?
        var fonts: UInt32 = 0
        var fontsLeftOut: UInt32 = 0
        var fontsUnavailable: String = ""
        var pictures: [Proto.DrawnPicture] = []
        var progress: Double = 0
    }
}

extension Proto.DrawSubtitlesResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__DrawSubtitlesResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__draw_subtitles_response__init(pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesResponse.self)
        track = unsafe readMessage(c.pointee.track)
        fonts = unsafe c.pointee.fonts
        fontsLeftOut = unsafe c.pointee.fonts_left_out
        fontsUnavailable = unsafe readText(c.pointee.fonts_unavailable)
        pictures = unsafe readMessages(c.pointee.pictures, c.pointee.n_pictures)
        progress = unsafe c.pointee.progress
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawSubtitlesResponse.self)
        unsafe c.pointee.track = arena.message(track)
        unsafe c.pointee.fonts = fonts
        unsafe c.pointee.fonts_left_out = fontsLeftOut
        unsafe c.pointee.fonts_unavailable = arena.text(fontsUnavailable)
        unsafe c.pointee.n_pictures = pictures.count
        unsafe c.pointee.pictures = arena.messages(pictures)
        unsafe c.pointee.progress = progress
    }
}

extension Proto {
    struct DrawnPicture: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
        var images: [Proto.CueImage] = []
    }
}

extension Proto.DrawnPicture: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__DrawnPicture>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__drawn_picture__init(pointer.assumingMemoryBound(to: Engine__V1__DrawnPicture.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawnPicture.self)
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
        images = unsafe readMessages(c.pointee.images, c.pointee.n_images)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DrawnPicture.self)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
        unsafe c.pointee.n_images = images.count
        unsafe c.pointee.images = arena.messages(images)
    }
}

extension Proto {
    struct RecognizeSubtitlesRequest: Equatable, Sendable {
        var sessionID: String = ""
        var track: UInt32 = 0
        var language: String = ""
        var show: Bool = false
    }
}

extension Proto.RecognizeSubtitlesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RecognizeSubtitlesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__recognize_subtitles_request__init(pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        track = unsafe c.pointee.track
        language = unsafe readText(c.pointee.language)
        show = unsafe c.pointee.show != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.track = track
        unsafe c.pointee.language = arena.text(language)
        unsafe c.pointee.show = show ? 1 : 0
    }
}

extension Proto {
    struct RecognizeSubtitlesResponse: Equatable, Sendable {
        var progress: Double = 0
        var images: UInt32 = 0
        var track: UInt32 = 0
    }
}

extension Proto.RecognizeSubtitlesResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RecognizeSubtitlesResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__recognize_subtitles_response__init(pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesResponse.self)
        progress = unsafe c.pointee.progress
        images = unsafe c.pointee.images
        track = unsafe c.pointee.track
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecognizeSubtitlesResponse.self)
        unsafe c.pointee.progress = progress
        unsafe c.pointee.images = images
        unsafe c.pointee.track = track
    }
}

extension Proto {
    struct AddSubtitlesRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var file: Proto.SubtitleFile?
        var requestID: String = ""
    }
}

extension Proto.AddSubtitlesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AddSubtitlesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__add_subtitles_request__init(pointer.assumingMemoryBound(to: Engine__V1__AddSubtitlesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AddSubtitlesRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        file = unsafe readMessage(c.pointee.file)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AddSubtitlesRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.file = arena.message(file)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.AddSubtitlesRequest: CommandMessage {}

extension Proto {
    struct RemoveSubtitlesRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var track: UInt32 = 0
        var requestID: String = ""
    }
}

extension Proto.RemoveSubtitlesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RemoveSubtitlesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__remove_subtitles_request__init(pointer.assumingMemoryBound(to: Engine__V1__RemoveSubtitlesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveSubtitlesRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        track = unsafe c.pointee.track
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RemoveSubtitlesRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.track = track
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.RemoveSubtitlesRequest: CommandMessage {}

extension Proto {
    struct GetScriptRequest: Equatable, Sendable {
        enum Place: Equatable, Sendable {
            case sessionID(String)
            case source(String)
        }

        enum Choice: Equatable, Sendable {
            case track(UInt32)
            case number(UInt32)
            case language(String)
        }

        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
        var program: Proto.ProgramSelection?
        var place: Place?
        var choice: Choice?
    }
}

extension Proto.GetScriptRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__GetScriptRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__get_script_request__init(pointer.assumingMemoryBound(to: Engine__V1__GetScriptRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetScriptRequest.self)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
        program = unsafe readMessage(c.pointee.program)
        switch unsafe c.pointee.place_case {
        case ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SESSION_ID:
            place = .sessionID(unsafe readText(c.pointee.session_id))
        case ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SOURCE:
            place = .source(unsafe readText(c.pointee.source))
        default: break
        }
        switch unsafe c.pointee.choice_case {
        case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_TRACK:
            choice = .track(unsafe c.pointee.track)
        case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_NUMBER:
            choice = .number(unsafe c.pointee.number)
        case ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_LANGUAGE:
            choice = .language(unsafe readText(c.pointee.language))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetScriptRequest.self)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
        unsafe c.pointee.program = arena.message(program)
        switch place {
        case .sessionID(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SESSION_ID
            unsafe c.pointee.session_id = arena.text(value)
        case .source(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_SCRIPT_REQUEST__PLACE_SOURCE
            unsafe c.pointee.source = arena.text(value)
        case nil: break
        }
        switch choice {
        case .track(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_TRACK
            unsafe c.pointee.track = value
        case .number(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_NUMBER
            unsafe c.pointee.number = value
        case .language(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__GET_SCRIPT_REQUEST__CHOICE_LANGUAGE
            unsafe c.pointee.language = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct GetAttachmentRequest: Equatable, Sendable {
        enum Place: Equatable, Sendable {
            case sessionID(String)
            case source(String)
        }

        var streamIndex: UInt32 = 0
        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
        var place: Place?
    }
}

extension Proto.GetAttachmentRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__GetAttachmentRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__get_attachment_request__init(pointer.assumingMemoryBound(to: Engine__V1__GetAttachmentRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetAttachmentRequest.self)
        streamIndex = unsafe c.pointee.stream_index
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
        switch unsafe c.pointee.place_case {
        case ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SESSION_ID:
            place = .sessionID(unsafe readText(c.pointee.session_id))
        case ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SOURCE:
            place = .source(unsafe readText(c.pointee.source))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__GetAttachmentRequest.self)
        unsafe c.pointee.stream_index = streamIndex
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
        switch place {
        case .sessionID(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SESSION_ID
            unsafe c.pointee.session_id = arena.text(value)
        case .source(let value):
            unsafe c.pointee.place_case = ENGINE__V1__GET_ATTACHMENT_REQUEST__PLACE_SOURCE
            unsafe c.pointee.source = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct DataChunk: Equatable, Sendable {
        var data: [UInt8] = []
        var totalBytes: UInt64 = 0
    }
}

extension Proto.DataChunk: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__DataChunk>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__data_chunk__init(pointer.assumingMemoryBound(to: Engine__V1__DataChunk.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DataChunk.self)
        data = unsafe readData(c.pointee.data)
        totalBytes = unsafe c.pointee.total_bytes
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__DataChunk.self)
        unsafe c.pointee.data = arena.data(data)
        unsafe c.pointee.total_bytes = totalBytes
    }
}

extension Proto {
    struct CueEvent: Equatable, Sendable {
        var stage: Proto.CueStage = Proto.CueStage(rawValue: 0)
        var cue: Proto.Cue?
        var timeMicroseconds: Int64 = 0
    }
}

extension Proto.CueEvent: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CueEvent>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cue_event__init(pointer.assumingMemoryBound(to: Engine__V1__CueEvent.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueEvent.self)
        stage = unsafe Proto.CueStage(rawValue: c.pointee.stage.rawValue)
        cue = unsafe readMessage(c.pointee.cue)
        timeMicroseconds = unsafe c.pointee.time_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CueEvent.self)
        unsafe c.pointee.stage.rawValue = stage.rawValue
        unsafe c.pointee.cue = arena.message(cue)
        unsafe c.pointee.time_us = timeMicroseconds
    }
}
