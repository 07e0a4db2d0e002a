// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// The decoders of a video, opened when they are first needed.
///
/// Not thread-safe: part of a `FrameFinder`.
struct FrameDecoding: ~Copyable {
    private let facts: DecodingFacts
    private var single: VideoDecoder?
    private var serial: VideoDecoder?
    /// `Packet.format` of the packets for which `single` and `serial` are open.
    private var formats = (single: 0, serial: 0)
    /// Whether `serial` has received a packet since it was last flushed.
    private var isUsed = false
    /// The last undamaged frame at or before the target among the packets fed so far.
    private var held: VideoFrame?

    init(_ facts: DecodingFacts) { self.facts = facts }

    /// Resets the decoder. The next packet must be a random access point, or the first of the source.
    mutating func forget() {
        if isUsed { serial?.flush() }
        isUsed = false
        held = nil
    }

    /// Decodes one frame on its own. `nil` when the packet yields none.
    mutating func alone(_ entry: PictureRun.Entry, privateData: [UInt8]?) throws(EngineError) -> VideoFrame? {
        if single == nil || formats.single != entry.packet.format {
            single = try open(.slices, for: entry.packet)
            formats.single = entry.packet.format
        }
        defer { single?.flush() }
        do throws(FFmpegError) {
            try single?.send(entry.packet, privateData: privateData)
            try single?.drain()
            while case .frame(let frame) = try single?.receive() { return frame }
        } catch {
            // A keyframe that cannot be decoded yields no frame.
        }
        return nil
    }

    /// Decodes one packet of a run that is too long to be kept in memory.
    mutating func feed(
        _ entry: PictureRun.Entry,
        until target: Int64,
        isOnlyForOthers: Bool,
        _ privateData: [UInt8]?
    ) throws(EngineError) {
        var latest = held
        _ = try give(entry, isOnlyForOthers: isOnlyForOthers, privateData) { frame in
            if !frame.isDamaged, let time = frame.pts, time <= target { latest = frame }
            return false
        }
        held = latest
    }

    /// Decodes the rest of a run. Returns the last acceptable frame at or before the run's target, or the first one if
    /// all are later.
    ///
    /// - Parameters:
    ///   - leavingOut: whether frames other than the expected one may be left out if no other frame refers to them.
    ///   - acceptsDamage: whether frames with missing references are acceptable.
    mutating func last(
        of run: PictureRun,
        leavingOut: Bool,
        acceptsDamage: Bool,
        _ stopIfCancelled: () throws(EngineError) -> Void
    ) throws(EngineError) -> (frame: VideoFrame, time: Int64)? {
        let expected = run.expectedTime
        let needed = run.needed
        let isUnique = needed.lazy.filter { $0.time == expected }.count == 1
        var best = held.flatMap { frame in frame.pts.map { (frame: frame, time: $0) } }
        // A frame without a time is placed after the frame before it.
        var following = best.map { $0.time &+ $0.frame.duration }
        func isDone(_ frame: VideoFrame) -> Bool {
            guard let time = frame.pts ?? following else { return false }
            // Frames shown before the random access point refer to frames that were not decoded.
            if let key = run.key ?? run.nextKey, time < key.time, !acceptsDamage { return false }
            if frame.isDamaged, !acceptsDamage, !run.isCorrupt(at: time) { return false }
            following = time &+ max(1, frame.duration)
            if time <= run.target || best == nil { best = (frame, time) }
            return time > run.target || (isUnique && time == expected)
        }
        for entry in needed {
            try stopIfCancelled()
            let isWanted = expected == nil || entry.time == expected || !leavingOut
            if try give(entry, isOnlyForOthers: !isWanted, run.privateData, isDone) { return best }
        }
        finish()
        while let frame = Self.next(&serial) {
            if isDone(frame) { break }
        }
        return best
    }

    /// Decodes a whole run and passes every frame to `take`, in the decoder's output order.
    mutating func all(
        of run: PictureRun,
        _ stopIfCancelled: () throws(EngineError) -> Void,
        _ take: (VideoFrame) -> Void
    ) throws(EngineError) {
        for entry in run.entries {
            try stopIfCancelled()
            _ = try give(entry, isOnlyForOthers: false, run.privateData) { frame in
                take(frame)
                return false
            }
        }
        finish()
        while let frame = Self.next(&serial) { take(frame) }
    }

    private mutating func give(
        _ entry: PictureRun.Entry,
        isOnlyForOthers: Bool,
        _ privateData: [UInt8]?,
        _ isDone: (VideoFrame) -> Bool
    ) throws(EngineError) -> Bool {
        if serial == nil || formats.serial != entry.packet.format {
            // Frames that the previous decoder still holds are lost. They are not needed: the packets of a run have one
            // format, unless it continues past a random access point that could not be decoded.
            serial = try open(.frames, for: entry.packet)
            formats.serial = entry.packet.format
        }
        let data = isUsed ? nil : privateData
        isUsed = true
        do throws(FFmpegError) {
            try serial?.send(entry.packet, skipping: isOnlyForOthers ? .unreferenced : .nothing, privateData: data)
        } catch {
            // The packet yields no frame; later packets may.
        }
        while let frame = Self.next(&serial) {
            if isDone(frame) { return true }
        }
        return false
    }

    private mutating func finish() {
        do throws(FFmpegError) {
            try serial?.drain()
        } catch {
            // The decoder yields no more frames.
        }
    }

    private static func next(_ decoder: inout VideoDecoder?) -> VideoFrame? {
        do throws(FFmpegError) {
            if case .frame(let frame) = try decoder?.receive() { return frame }
        } catch {
            // The packet yields no frame; later packets may.
        }
        return nil
    }

    private func open(_ threading: VideoDecoder.Threading, for packet: Packet) throws(EngineError) -> VideoDecoder {
        guard let parameters = facts.video(ofFormat: packet.format)?.parameters else {
            throw EngineError(.noPlayableStream, "the video cannot be decoded", cause: "its format is not known")
        }
        do throws(FFmpegError) {
            return try VideoDecoder.open(parameters, threading: threading)
        } catch {
            throw EngineError(.noPlayableStream, "the video cannot be decoded", cause: "\(error)")
        }
    }
}
