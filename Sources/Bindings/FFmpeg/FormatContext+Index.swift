// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// One entry of a container's index, as libavformat stores it.
package struct IndexEntry: Hashable, Sendable {
    /// In ticks of the stream. A presentation time in Matroska, a decode time in MP4 and AVI.
    package let timestamp: Int64
    /// The byte position of the packet in MP4 and AVI, and of its cluster in Matroska.
    package let position: Int64
    package let byteCount: Int
    package let isKey: Bool
    /// Whether an edit list hides the sample, which other samples may need for decoding (`AVINDEX_DISCARD_FRAME`).
    package var isDiscarded = false

    /// Whether the entry lies entirely within a file of `byteCount` bytes.
    package func lies(within byteCount: Int64) -> Bool {
        position >= 0 && position <= byteCount - Int64(self.byteCount)
    }
}

extension IndexEntry {
    fileprivate init(_ entry: AVIndexEntry) {
        timestamp = entry.timestamp
        position = entry.pos
        byteCount = Int(entry.size)
        isKey = entry.flags & AVINDEX_KEYFRAME != 0
        isDiscarded = entry.flags & AVINDEX_DISCARD_FRAME != 0
    }
}

extension FormatContext {
    /// Makes a demuxer that defers its index (Matroska Cues after the media) read it now, by a seek to the middle.
    package mutating func loadIndex(of stream: Int) throws(FFmpegError) {
        guard container.isMatroska else { return }
        let middle = unsafe max(0, pointer.pointee.duration) / 2
        assertMayBlock("av_seek_frame")
        guard let info = unsafe pointer.pointee.streams[stream] else { return }
        let base = unsafe info.pointee.time_base
        let target = av_rescale_q(middle, AVRational(num: 1, den: 1_000_000), base)
        try checkArrival(
            unsafe av_seek_frame(pointer, CInt(stream), target, AVSEEK_FLAG_BACKWARD),
            "av_seek_frame"
        )
    }

    /// The whole index of a stream (`avformat_index_get_entry`). Empty when the container has none.
    package func indexEntries(of stream: Int) -> [IndexEntry] { indexEntries(of: stream) { 0..<$0 } }

    /// The first `limit` entries of a stream's index, in order.
    package func indexEntries(of stream: Int, first limit: Int) -> [IndexEntry] {
        indexEntries(of: stream) { 0..<min(limit, $0) }
    }

    /// The last `limit` entries of a stream's index, in order.
    package func indexEntries(of stream: Int, last limit: Int) -> [IndexEntry] {
        indexEntries(of: stream) { max(0, $0 - limit)..<$0 }
    }

    /// - Parameter range: returns the entries that are wanted of an index with this number of them.
    private func indexEntries(of stream: Int, in range: (Int) -> Range<Int>) -> [IndexEntry] {
        guard let info = unsafe pointer.pointee.streams[stream] else { return [] }
        let wanted = range(unsafe Int(avformat_index_get_entries_count(info)))
        var entries: [IndexEntry] = []
        entries.reserveCapacity(wanted.count)
        for index in wanted {
            guard let entry = unsafe avformat_index_get_entry(info, CInt(index)) else { continue }
            entries.append(unsafe IndexEntry(entry.pointee))
        }
        return entries
    }

    /// The last random access point in the index at or before `timestamp`. Demuxers add entries for the packets that
    /// they read.
    package func indexEntry(of stream: Int, at timestamp: Int64) -> IndexEntry? {
        indexEntry(of: stream, near: timestamp, AVSEEK_FLAG_BACKWARD)
    }

    /// The first random access point in the index after `timestamp`.
    package func indexEntry(of stream: Int, after timestamp: Int64) -> IndexEntry? {
        indexEntry(of: stream, near: timestamp &+ 1, 0)
    }

    /// `av_index_search_timestamp`.
    private func indexEntry(of stream: Int, near timestamp: Int64, _ flags: CInt) -> IndexEntry? {
        guard let info = unsafe pointer.pointee.streams[stream] else { return nil }
        let index = unsafe av_index_search_timestamp(info, timestamp, flags)
        guard index >= 0, let entry = unsafe avformat_index_get_entry(info, index) else { return nil }
        return unsafe IndexEntry(entry.pointee)
    }

    /// libavformat's parser flags every VC-1 packet in AVI as a keyframe. This clears the flag unless the index
    /// confirms it.
    func correctKey(of packet: UnsafeMutablePointer<AVPacket>) {
        guard let info = unsafe pointer.pointee.streams[Int(packet.pointee.stream_index)],
            unsafe info.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_VC1, container.isAVI,
            let time = unsafe packet.pointee.dts.timestamp
        else { return }
        let index = unsafe av_index_search_timestamp(info, time, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY)
        guard index >= 0, let entry = unsafe avformat_index_get_entry(info, index)?.pointee, entry.timestamp == time
        else { return }
        if entry.flags & AVINDEX_KEYFRAME == 0 { unsafe packet.pointee.flags &= ~AV_PKT_FLAG_KEY }
    }

    /// Adds an index entry that the demuxer could not find itself (`av_add_index_entry`).
    package mutating func addIndexEntry(of stream: Int, timestamp: Int64, position: Int64) {
        guard let info = unsafe pointer.pointee.streams[stream] else { return }
        unsafe av_add_index_entry(info, position, timestamp, 0, 0, AVINDEX_KEYFRAME)
    }
}
