// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension MediaDescription {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__MediaDescription> {
        let wire = unsafe arena.message(Engine__V1__MediaDescription.self)
        unsafe wire.pointee.source = arena.string(source)
        unsafe wire.pointee.container = arena.string(container)
        unsafe wire.pointee.container_name = arena.string(containerName)
        unsafe wire.pointee.duration_us = duration?.microseconds ?? -1
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.byte_count = byteCount
        unsafe wire.pointee.bit_rate = bitRate
        unsafe wire.pointee.n_streams = streams.count
        unsafe wire.pointee.streams = arena.array(streams) { unsafe .some($0.wire(in: arena)) }
        unsafe wire.pointee.n_chapters = chapters.count
        unsafe wire.pointee.chapters = arena.array(chapters) { unsafe .some($0.wire(in: arena)) }
        unsafe wire.pointee.n_tags = tags.count
        unsafe wire.pointee.tags = arena.array(tags) { unsafe .some($0.wire(in: arena)) }
        return unsafe wire
    }

    init(wire: Engine__V1__MediaDescription) throws(EngineError) {
        self.init()
        source = unsafe text(wire.source)
        container = unsafe text(wire.container)
        containerName = unsafe text(wire.container_name)
        duration = unsafe wire.duration_us < 0 ? nil : MediaTime(microseconds: wire.duration_us)
        start = MediaTime(microseconds: unsafe wire.start_us)
        byteCount = unsafe wire.byte_count
        bitRate = unsafe wire.bit_rate
        streams = try unsafe values(wire.streams, wire.n_streams) { stream throws(EngineError) in
            try unsafe StreamDescription(wire: stream)
        }
        chapters = try unsafe values(wire.chapters, wire.n_chapters) { chapter throws(EngineError) in
            unsafe Chapter(wire: chapter)
        }
        tags = try unsafe values(wire.tags, wire.n_tags) { tag throws(EngineError) in unsafe Tag(wire: tag) }
    }
}

extension Chapter {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Chapter> {
        let wire = unsafe arena.message(Engine__V1__Chapter.self)
        unsafe wire.pointee.start_us = start.microseconds
        unsafe wire.pointee.end_us = end.microseconds
        unsafe wire.pointee.title = arena.string(title)
        return unsafe wire
    }

    init(wire: Engine__V1__Chapter) {
        unsafe self.init(
            start: MediaTime(microseconds: wire.start_us),
            end: MediaTime(microseconds: wire.end_us),
            title: text(wire.title)
        )
    }
}

extension Tag {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Tag> {
        let wire = unsafe arena.message(Engine__V1__Tag.self)
        unsafe wire.pointee.key = arena.string(key)
        unsafe wire.pointee.value = arena.string(value)
        return unsafe wire
    }

    init(wire: Engine__V1__Tag) { unsafe self.init(text(wire.key), text(wire.value)) }
}
