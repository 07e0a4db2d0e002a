// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Packaging

/// One stream of a file as libavformat sees it: what a demuxer would hand to the packager.
struct SourceStream {
    struct Packet {
        var presentation: Int64?
        var decode: Int64?
        var duration: Int64?
        var isKey: Bool
        var bytes: [UInt8]
    }

    let path: String
    let selector: String
    let codec: CodecID
    let timeBase: TimeBase
    let extradata: [UInt8]
    let packets: [Packet]
    let video: VideoProperties?
    let audio: AudioProperties?

    init(path: String, selector: String, scratch: ScratchDirectory) throws {
        self.path = path
        self.selector = selector
        let json = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-of", "json", "-select_streams", selector, "-show_streams", "-show_data",
                "-show_entries",
                "stream=codec_name,time_base,extradata,width,height,sample_rate,channels,r_frame_rate", path,
            ]
        )
        guard let root = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any],
            let stream = (root["streams"] as? [[String: Any]])?.first,
            let name = stream["codec_name"] as? String,
            let base = (stream["time_base"] as? String)?.split(separator: "/").compactMap({ Int64($0) }),
            base.count == 2
        else { throw Tool.Failure(description: "\(path) has no stream \(selector)") }
        codec = CodecID(rawValue: name)
        timeBase = TimeBase(base[0], base[1])
        extradata = Self.bytes(hexdump: stream["extradata"] as? String ?? "")
        if let width = stream["width"] as? Int, let height = stream["height"] as? Int {
            var properties = VideoProperties()
            properties.width = width
            properties.height = height
            let rate = (stream["r_frame_rate"] as? String ?? "").split(separator: "/").compactMap { Int($0) }
            if rate.count == 2, rate[1] > 0 { properties.frameRate = Ratio(rate[0], rate[1]) }
            video = properties
            audio = nil
        } else {
            var properties = AudioProperties()
            properties.sampleRate = Int(stream["sample_rate"] as? String ?? "") ?? 0
            properties.channels = stream["channels"] as? Int ?? 0
            audio = properties
            video = nil
        }
        packets = try Self.packets(path: path, selector: selector, scratch: scratch)
    }

    /// Packet payloads come from the raw data muxer, concatenated; their lengths and times come from ffprobe.
    private static func packets(path: String, selector: String, scratch: ScratchDirectory) throws -> [Packet] {
        let joined = scratch.path("\(UUID().uuidString).bin")
        try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-map", "0:\(selector)", "-c", "copy", "-f", "data", joined]
        )
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: joined)))
        let list = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", selector, "-of", "csv=p=0", "-show_entries",
                "packet=pts,dts,duration,size,flags", path,
            ]
        )
        var offset = 0
        var packets: [Packet] = []
        for line in list.split(separator: "\n") {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 5, let size = Int(fields[3]), offset + size <= bytes.count else { continue }
            packets.append(
                Packet(
                    presentation: Int64(fields[0]),
                    decode: Int64(fields[1]),
                    duration: Int64(fields[2]),
                    isKey: fields[4].hasPrefix("K"),
                    bytes: Array(bytes[offset..<(offset + size)])
                )
            )
            offset += size
        }
        guard offset == bytes.count else {
            throw Tool.Failure(description: "\(path) \(selector): \(bytes.count - offset) bytes belong to no packet")
        }
        return packets
    }

    /// The bytes of ffprobe's `00000000: 0142 c01e  .B..` lines.
    private static func bytes(hexdump: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in hexdump.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let digits = line[line.index(after: colon)...].prefix(41).filter(\.isHexDigit)
            var rest = Substring(digits)
            while rest.count >= 2 {
                if let byte = UInt8(rest.prefix(2), radix: 16) { bytes.append(byte) }
                rest = rest.dropFirst(2)
            }
        }
        return bytes
    }
}
