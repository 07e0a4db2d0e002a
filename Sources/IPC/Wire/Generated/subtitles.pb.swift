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
    static var layout: MessageLayout { MessageLayout(.subtitleTrack) }

    init(reading reader: borrowing FieldReader) {
        id = reader.number(at: 1)
        codec = reader.text(at: 2)
        language = reader.text(at: 3)
        title = reader.text(at: 4)
        dispositions = reader.texts(at: 5)
        text = reader.flag(at: 6)
        path = reader.text(at: 7)
        charset = reader.text(at: 8)
        found = reader.flag(at: 9)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(id, at: 1)
        writer.text(codec, at: 2)
        writer.text(language, at: 3)
        writer.text(title, at: 4)
        writer.texts(dispositions, at: 5)
        writer.flag(text, at: 6)
        writer.text(path, at: 7)
        writer.text(charset, at: 8)
        writer.flag(found, at: 9)
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
    static var layout: MessageLayout { MessageLayout(.subtitleFile) }

    init(reading reader: borrowing FieldReader) {
        path = reader.text(at: 1)
        charset = reader.text(at: 2)
        language = reader.text(at: 3)
        title = reader.text(at: 4)
        httpHeaders = reader.messages(at: 5)
        show = reader.flag(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(path, at: 1)
        writer.text(charset, at: 2)
        writer.text(language, at: 3)
        writer.text(title, at: 4)
        writer.messages(httpHeaders, at: 5)
        writer.flag(show, at: 6)
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
    static var layout: MessageLayout { MessageLayout(.cue) }

    init(reading reader: borrowing FieldReader) {
        id = reader.number(at: 1)
        track = reader.number(at: 2)
        startMicroseconds = reader.number(at: 3)
        endMicroseconds = reader.number(at: 4)
        forced = reader.flag(at: 5)
        if reader.isSet(at: 6) {
            content = reader.message(at: 6).map(Content.text)
        } else if reader.isSet(at: 7) {
            content = reader.message(at: 7).map(Content.image)
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.number(id, at: 1)
        writer.number(track, at: 2)
        writer.number(startMicroseconds, at: 3)
        writer.number(endMicroseconds, at: 4)
        writer.flag(forced, at: 5)
        switch content {
        case .text(let value): writer.message(value, at: 6)
        case .image(let value): writer.message(value, at: 7)
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
    static var layout: MessageLayout { MessageLayout(.cueText) }

    init(reading reader: borrowing FieldReader) {
        plain = reader.text(at: 1)
        runs = reader.messages(at: 2)
        alignment = reader.number(at: 3)
        position = reader.message(at: 4)
        raw = reader.text(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(plain, at: 1)
        writer.messages(runs, at: 2)
        writer.number(alignment, at: 3)
        writer.message(position, at: 4)
        writer.text(raw, at: 5)
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
    static var layout: MessageLayout { MessageLayout(.textRun) }

    init(reading reader: borrowing FieldReader) {
        text = reader.text(at: 1)
        bold = reader.flag(at: 2)
        italic = reader.flag(at: 3)
        underline = reader.flag(at: 4)
        strikeout = reader.flag(at: 5)
        color = reader.text(at: 6)
        font = reader.text(at: 7)
        size = reader.number(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(text, at: 1)
        writer.flag(bold, at: 2)
        writer.flag(italic, at: 3)
        writer.flag(underline, at: 4)
        writer.flag(strikeout, at: 5)
        writer.text(color, at: 6)
        writer.text(font, at: 7)
        writer.number(size, at: 8)
    }
}

extension Proto {
    struct CuePosition: Equatable, Sendable {
        var x: Double = 0
        var y: Double = 0
    }
}

extension Proto.CuePosition: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.cuePosition) }

    init(reading reader: borrowing FieldReader) {
        x = reader.number(at: 1)
        y = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(x, at: 1)
        writer.number(y, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.cueImage) }

    init(reading reader: borrowing FieldReader) {
        png = reader.data(at: 1)
        width = reader.number(at: 2)
        height = reader.number(at: 3)
        x = reader.number(at: 4)
        y = reader.number(at: 5)
        extentX = reader.number(at: 6)
        extentY = reader.number(at: 7)
        canvasWidth = reader.number(at: 8)
        canvasHeight = reader.number(at: 9)
    }

    func write(to writer: inout FieldWriter) {
        writer.data(png, at: 1)
        writer.number(width, at: 2)
        writer.number(height, at: 3)
        writer.number(x, at: 4)
        writer.number(y, at: 5)
        writer.number(extentX, at: 6)
        writer.number(extentY, at: 7)
        writer.number(canvasWidth, at: 8)
        writer.number(canvasHeight, at: 9)
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
    static var layout: MessageLayout { MessageLayout(.getCuesRequest) }

    init(reading reader: borrowing FieldReader) {
        range = reader.message(at: 6)
        raw = reader.flag(at: 7)
        charset = reader.text(at: 8)
        httpHeaders = reader.messages(at: 9)
        httpConnection = reader.message(at: 10)
        withoutFiles = reader.flag(at: 11)
        program = reader.message(at: 12)
        if reader.isSet(at: 1) {
            place = Place.sessionID(reader.text(at: 1))
        } else if reader.isSet(at: 2) {
            place = Place.source(reader.text(at: 2))
        }
        if reader.isSet(at: 3) {
            choice = Choice.track(reader.number(at: 3))
        } else if reader.isSet(at: 4) {
            choice = Choice.number(reader.number(at: 4))
        } else if reader.isSet(at: 5) {
            choice = Choice.language(reader.text(at: 5))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.message(range, at: 6)
        writer.flag(raw, at: 7)
        writer.text(charset, at: 8)
        writer.messages(httpHeaders, at: 9)
        writer.message(httpConnection, at: 10)
        writer.flag(withoutFiles, at: 11)
        writer.message(program, at: 12)
        switch place {
        case .sessionID(let value): writer.text(value, at: 1)
        case .source(let value): writer.text(value, at: 2)
        case nil: break
        }
        switch choice {
        case .track(let value): writer.number(value, at: 3)
        case .number(let value): writer.number(value, at: 4)
        case .language(let value): writer.text(value, at: 5)
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
    static var layout: MessageLayout { MessageLayout(.cueRange) }

    init(reading reader: borrowing FieldReader) {
        startMicroseconds = reader.number(at: 1)
        endMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(startMicroseconds, at: 1)
        writer.number(endMicroseconds, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.getCuesResponse) }

    init(reading reader: borrowing FieldReader) {
        tracks = reader.messages(at: 1)
        cues = reader.messages(at: 2)
        progress = reader.number(at: 3)
        scriptHeader = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(tracks, at: 1)
        writer.messages(cues, at: 2)
        writer.number(progress, at: 3)
        writer.text(scriptHeader, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.drawSubtitlesRequest) }

    init(reading reader: borrowing FieldReader) {
        cues = reader.message(at: 1)
        width = reader.number(at: 2)
        height = reader.number(at: 3)
        frameRate = reader.number(at: 4)
        straightAlpha = reader.flag(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(cues, at: 1)
        writer.number(width, at: 2)
        writer.number(height, at: 3)
        writer.number(frameRate, at: 4)
        writer.flag(straightAlpha, at: 5)
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
    static var layout: MessageLayout { MessageLayout(.drawSubtitlesResponse) }

    init(reading reader: borrowing FieldReader) {
        track = reader.message(at: 1)
        fonts = reader.number(at: 2)
        fontsLeftOut = reader.number(at: 3)
        fontsUnavailable = reader.text(at: 4)
        pictures = reader.messages(at: 5)
        progress = reader.number(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(track, at: 1)
        writer.number(fonts, at: 2)
        writer.number(fontsLeftOut, at: 3)
        writer.text(fontsUnavailable, at: 4)
        writer.messages(pictures, at: 5)
        writer.number(progress, at: 6)
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
    static var layout: MessageLayout { MessageLayout(.drawnPicture) }

    init(reading reader: borrowing FieldReader) {
        startMicroseconds = reader.number(at: 1)
        endMicroseconds = reader.number(at: 2)
        images = reader.messages(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(startMicroseconds, at: 1)
        writer.number(endMicroseconds, at: 2)
        writer.messages(images, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.recognizeSubtitlesRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        track = reader.number(at: 2)
        language = reader.text(at: 3)
        show = reader.flag(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(track, at: 2)
        writer.text(language, at: 3)
        writer.flag(show, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.recognizeSubtitlesResponse) }

    init(reading reader: borrowing FieldReader) {
        progress = reader.number(at: 1)
        images = reader.number(at: 2)
        track = reader.number(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(progress, at: 1)
        writer.number(images, at: 2)
        writer.number(track, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.addSubtitlesRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        file = reader.message(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.message(file, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.removeSubtitlesRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        track = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(track, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.getScriptRequest) }

    init(reading reader: borrowing FieldReader) {
        httpHeaders = reader.messages(at: 6)
        httpConnection = reader.message(at: 7)
        program = reader.message(at: 8)
        if reader.isSet(at: 1) {
            place = Place.sessionID(reader.text(at: 1))
        } else if reader.isSet(at: 2) {
            place = Place.source(reader.text(at: 2))
        }
        if reader.isSet(at: 3) {
            choice = Choice.track(reader.number(at: 3))
        } else if reader.isSet(at: 4) {
            choice = Choice.number(reader.number(at: 4))
        } else if reader.isSet(at: 5) {
            choice = Choice.language(reader.text(at: 5))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(httpHeaders, at: 6)
        writer.message(httpConnection, at: 7)
        writer.message(program, at: 8)
        switch place {
        case .sessionID(let value): writer.text(value, at: 1)
        case .source(let value): writer.text(value, at: 2)
        case nil: break
        }
        switch choice {
        case .track(let value): writer.number(value, at: 3)
        case .number(let value): writer.number(value, at: 4)
        case .language(let value): writer.text(value, at: 5)
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
    static var layout: MessageLayout { MessageLayout(.getAttachmentRequest) }

    init(reading reader: borrowing FieldReader) {
        streamIndex = reader.number(at: 3)
        httpHeaders = reader.messages(at: 4)
        httpConnection = reader.message(at: 5)
        if reader.isSet(at: 1) {
            place = Place.sessionID(reader.text(at: 1))
        } else if reader.isSet(at: 2) {
            place = Place.source(reader.text(at: 2))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.number(streamIndex, at: 3)
        writer.messages(httpHeaders, at: 4)
        writer.message(httpConnection, at: 5)
        switch place {
        case .sessionID(let value): writer.text(value, at: 1)
        case .source(let value): writer.text(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.dataChunk) }

    init(reading reader: borrowing FieldReader) {
        data = reader.data(at: 1)
        totalBytes = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.data(data, at: 1)
        writer.number(totalBytes, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.cueEvent) }

    init(reading reader: borrowing FieldReader) {
        stage = reader.choice(at: 1)
        cue = reader.message(at: 2)
        timeMicroseconds = reader.number(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(stage, at: 1)
        writer.message(cue, at: 2)
        writer.number(timeMicroseconds, at: 3)
    }
}
