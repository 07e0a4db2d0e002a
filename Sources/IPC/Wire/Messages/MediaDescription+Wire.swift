// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension MediaDescription {
    var wire: Proto.MediaDescription {
        var wire = Proto.MediaDescription()
        wire.source = source
        wire.container = container
        wire.containerName = containerName
        wire.durationMicroseconds = duration?.microseconds ?? -1
        wire.startMicroseconds = start.microseconds
        wire.byteCount = byteCount
        wire.bitRate = bitRate
        wire.streams = streams.map(\.wire)
        wire.chapters = chapters.map(\.wire)
        wire.tags = tags.map(\.wire)
        wire.subtitleFiles = subtitleFiles.map(\.wire)
        wire.variants = variants.map(\.wire)
        wire.programs = programs.map(\.wire)
        wire.program = UInt32(clamping: program ?? 0)
        wire.titles = titles.map(\.wire)
        return wire
    }

    init(wire: Proto.MediaDescription) {
        self.init()
        source = wire.source
        container = wire.container
        containerName = wire.containerName
        duration = wire.durationMicroseconds < 0 ? nil : MediaTime(microseconds: wire.durationMicroseconds)
        start = MediaTime(microseconds: wire.startMicroseconds)
        byteCount = wire.byteCount
        bitRate = wire.bitRate
        streams = wire.streams.map(StreamDescription.init(wire:))
        chapters = wire.chapters.map(Chapter.init(wire:))
        tags = wire.tags.map(Tag.init(wire:))
        subtitleFiles = wire.subtitleFiles.map(SubtitleTrack.init(wire:))
        variants = wire.variants.map(SourceVariant.init(wire:))
        programs = wire.programs.map(Program.init(wire:))
        program = wire.program == 0 ? nil : Int(wire.program)
        titles = wire.titles.map(DiscTitle.init(wire:))
    }
}

extension SourceVariant {
    var wire: Proto.MediaVariant {
        var wire = Proto.MediaVariant()
        wire.index = UInt32(clamping: index)
        wire.name = name
        wire.bandwidth = bandwidth
        wire.averageBandwidth = averageBandwidth
        (wire.width, wire.height) = (UInt32(clamping: width), UInt32(clamping: height))
        wire.frameRate = frameRate
        wire.codecs = codecs
        wire.videoRange = videoRange
        wire.use = use.rawValue
        wire.reason = reason
        return wire
    }

    init(wire: Proto.MediaVariant) {
        self.init(index: Int(wire.index))
        name = wire.name
        (bandwidth, averageBandwidth) = (wire.bandwidth, wire.averageBandwidth)
        (width, height) = (Int(wire.width), Int(wire.height))
        frameRate = wire.frameRate
        codecs = wire.codecs
        videoRange = wire.videoRange
        use = Use(rawValue: wire.use) ?? .unused
        reason = wire.reason
    }
}

extension DiscTitle {
    fileprivate var wire: Proto.DiscTitle {
        var wire = Proto.DiscTitle()
        wire.number = UInt32(clamping: number)
        wire.name = name
        wire.durationMicroseconds = duration.microseconds
        wire.chapters = UInt32(clamping: chapterCount)
        wire.angles = UInt32(clamping: angleCount)
        wire.main = isMain
        wire.selected = isSelected
        return wire
    }

    fileprivate init(wire: Proto.DiscTitle) {
        self.init(
            number: Int(wire.number),
            name: wire.name,
            duration: MediaTime(microseconds: wire.durationMicroseconds),
            chapterCount: Int(wire.chapters),
            angleCount: Int(wire.angles)
        )
        isMain = wire.main
        isSelected = wire.selected
    }
}

extension Chapter {
    var wire: Proto.Chapter {
        var wire = Proto.Chapter()
        wire.startMicroseconds = start.microseconds
        wire.endMicroseconds = end.microseconds
        wire.title = title
        return wire
    }

    init(wire: Proto.Chapter) {
        self.init(
            start: MediaTime(microseconds: wire.startMicroseconds),
            end: MediaTime(microseconds: wire.endMicroseconds),
            title: wire.title
        )
    }
}

extension Tag {
    var wire: Proto.Tag {
        var wire = Proto.Tag()
        wire.key = key
        wire.value = value
        return wire
    }

    init(wire: Proto.Tag) { self.init(wire.key, wire.value) }
}
