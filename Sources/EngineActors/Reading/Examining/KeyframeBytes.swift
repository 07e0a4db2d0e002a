// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Reads the first bytes of a keyframe's packet directly from the file, without a demuxer. For containers in which the
/// position of a keyframe leads to its packet: MP4, AVI, FLV, and Matroska by way of its clusters.
struct KeyframeBytes {
    /// Reads up to a number of bytes of the source at an offset; fewer at its end.
    typealias ReadBytes = (_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8]

    /// The number of bytes of a packet that show whether decoding can start there.
    private static let prefixLength = 512
    /// The number of bytes that are searched for parameter sets.
    private static let setsLength = 4096
    /// The number of bytes that are read at once around the headers of a Matroska cluster.
    private static let windowLength = 1024

    private let track: PlayedTrack
    private let container: ContainerFormat
    private let isCompressed: Bool
    private let read: ReadBytes

    /// - Parameter isCompressed: whether packets are stored compressed. If so, nothing is read, because the bytes are
    ///   inconclusive.
    init(
        of track: PlayedTrack,
        in container: ContainerFormat,
        isCompressed: Bool = false,
        read: @escaping ReadBytes
    ) {
        self.track = track
        self.container = container
        self.isCompressed = isCompressed
        self.read = read
    }

    /// Whether decoding can start at the keyframe. True if the bytes are inconclusive, false if the packet cannot be
    /// read.
    func isRandomAccessPoint(_ keyframe: Keyframe) -> Bool {
        guard track.kind == .video, !isCompressed else { return true }
        do throws(EngineError) {
            return try prefixes(of: keyframe, count: Self.prefixLength).contains(where: startsDecoding)
        } catch {
            return false
        }
    }

    /// Whether the keyframe begins a gradual refresh: pictures are complete only some time after decoding starts here.
    /// False if the packet cannot be read.
    func isGradual(_ keyframe: Keyframe) -> Bool {
        first(of: keyframe, count: Self.prefixLength).map { isGradual($0.span) } ?? false
    }

    func isGradual(_ prefix: Span<UInt8>) -> Bool {
        RandomAccess.isGradual(codec: track.stream.codec, transform: track.transform, prefix: prefix)
    }

    /// The start of the packet, in which parameter sets are searched for. Empty if the packet cannot be read, or
    /// decoding cannot start there.
    func beginning(of keyframe: Keyframe) -> [UInt8] { first(of: keyframe, count: Self.setsLength) ?? [] }

    /// The first bytes of the first candidate that is a random access point.
    private func first(of keyframe: Keyframe, count: Int) -> [UInt8]? {
        guard !isCompressed else { return nil }
        do throws(EngineError) {
            return try prefixes(of: keyframe, count: count).first(where: startsDecoding)
        } catch {
            return nil
        }
    }

    /// The first bytes of each block that may be the keyframe's packet: a cluster may hold several blocks with the same
    /// time.
    private func prefixes(of keyframe: Keyframe, count: Int) throws(EngineError) -> [[UInt8]] {
        guard container.isMatroska else {
            // Skip the chunk header in AVI, or the tag header and the AVC header in FLV.
            let lead: Int64 = container.isAVI ? 8 : container.isFLV ? 16 : 0
            return [try read(keyframe.position + lead, count)]
        }
        // The headers of a cluster are read one by one, a dozen bytes each; most lie near each other.
        var (start, bytes): (Int64, [UInt8]) = (0, [])
        func near(_ offset: Int64, _ count: Int) throws(EngineError) -> [UInt8] {
            if offset < start || offset - start + Int64(count) > Int64(bytes.count) {
                (start, bytes) = (offset, try read(offset, max(count, Self.windowLength)))
            }
            return Array(bytes.dropFirst(Int(offset - start)).prefix(count))
        }
        let blocks = try MatroskaCluster.keyframes(at: keyframe.seekTimestamp, clusterAt: keyframe.position, read: near)
        var found: [[UInt8]] = []
        for block in blocks {
            found.append(try near(block.payloadOffset, Int(min(block.payloadByteCount, Int64(count)))))
        }
        return found
    }

    private func startsDecoding(_ prefix: [UInt8]) -> Bool {
        RandomAccess.isRandomAccessPoint(codec: track.stream.codec, transform: track.transform, prefix: prefix.span)
            ?? true
    }
}

/// Detects gradual refresh in the first keyframes of H.264 video. With gradual refresh, no keyframe is a complete
/// picture, except perhaps the first.
struct RefreshWatch {
    private static let keyframeLimit = 8

    private let isWatching: Bool
    private var seen = 0
    private(set) var isGradual = false

    init(lead: PlayedTrack) { isWatching = lead.kind == .video && lead.stream.codec == .h264 }

    /// - Parameter inspect: returns whether the keyframe begins a gradual refresh. Not called for keyframes that need
    ///   no inspection.
    mutating func note(_ inspect: () -> Bool) {
        guard isWatching, !isGradual, seen < Self.keyframeLimit else { return }
        seen += 1
        isGradual = inspect()
    }
}
