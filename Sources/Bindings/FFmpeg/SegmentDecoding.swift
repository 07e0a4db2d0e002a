// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Decodes segments in memory from start to end, as a player without any other data does.
package enum SegmentDecoding {
    private static let problemLimit = 20

    /// - Parameter bytes: an init segment followed by a media segment.
    package static func report(on bytes: [UInt8], interrupt: InterruptFlag) throws(FFmpegError) -> SegmentReport {
        var context = try FormatContext.open(store: MemoryStore(bytes), for: .reading, interrupt: interrupt)
        context.disableParsing()
        let infos = context.streamInfos()
        var report = SegmentReport()
        var tracks = infos.map { info in
            var track = SegmentReport.Track()
            track.codec = info.codec.rawValue
            return track
        }
        var packets = infos.map { _ in [Packet]() }
        while let packet = try context.readPacket() {
            if packets.indices.contains(packet.streamIndex) { packets[packet.streamIndex].append(packet) }
        }
        for (index, info) in infos.enumerated() {
            let times = packets[index].compactMap { $0.pts ?? $0.dts }
            tracks[index].packets = packets[index].count
            tracks[index].start = MediaTime(times.min() ?? 0, in: info.timeBase)
            let end = packets[index].map { ($0.pts ?? $0.dts ?? 0) + $0.duration }.max() ?? 0
            tracks[index].end = MediaTime(end, in: info.timeBase)
            tracks[index].startsWithKeyframe = packets[index].first?.isKey ?? false
            try decode(packets[index], of: index, context, &tracks[index], &report.problems)
        }
        report.tracks = tracks
        return report
    }

    private static func decode(
        _ packets: [Packet],
        of index: Int,
        _ context: borrowing FormatContext,
        _ track: inout SegmentReport.Track,
        _ problems: inout [String]
    ) throws(FFmpegError) {
        guard let stream = unsafe context.pointer.pointee.streams[index],
            let parameters = unsafe stream.pointee.codecpar
        else { return }
        let decoder = try unsafe CodecContext.decoder(for: parameters)
        func complain(_ text: String) {
            track.decodeErrors += 1
            if problems.count < problemLimit { problems.append("\(track.codec): \(text)") }
        }
        for number in 0...packets.count {
            let packet = number < packets.count ? packets[number] : nil
            do throws(FFmpegError) {
                try decoder.send(packet)
            } catch {
                complain("packet \(number): \(error)")
            }
            receiving: while true {
                do throws(FFmpegError) {
                    guard case .frame(_, let isDamaged) = try decoder.receive() else { break receiving }
                    track.decodedFrames += 1
                    if isDamaged { complain("frame \(track.decodedFrames) is damaged") }
                } catch {
                    complain("packet \(number): \(error)")
                    break receiving
                }
            }
        }
    }
}
