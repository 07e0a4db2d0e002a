// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// Decodes the first packets of a video to find out what it contains.
enum PictureTrial {
    /// The first frame that the decoder returns; `nil` when it returns none.
    static func first(of packets: [Packet], _ parameters: CodecParameters) throws(PackagingError) -> VideoFrame? {
        var found: VideoFrame?
        try each(of: packets, parameters) { picture in
            found = picture
            return false
        }
        return found
    }

    /// Whether the frames are interlaced, regardless of what the stream declares.
    static func fields(of packets: [Packet], _ parameters: CodecParameters) throws(PackagingError) -> FieldWatch.Verdict
    {
        var watch = FieldWatch()
        try each(of: packets, parameters) { picture in
            watch.note(isInterlaced: picture.isInterlaced)
            return watch.verdict == .undecided
        }
        return watch.finish()
    }

    /// - Parameter take: receives the frames in presentation order; returning `false` stops decoding.
    private static func each(
        of packets: [Packet],
        _ parameters: CodecParameters,
        _ take: (VideoFrame) -> Bool
    ) throws(PackagingError) {
        var decoder: VideoDecoder
        do throws(FFmpegError) {
            decoder = try VideoDecoder.open(parameters, threading: .slices)
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
        for packet in packets {
            do throws(FFmpegError) {
                try decoder.send(packet)
            } catch {
                // A packet that cannot be decoded yields no frame; later ones may.
            }
            while let picture = next(&decoder) {
                guard take(picture) else { return }
            }
        }
        do throws(FFmpegError) {
            try decoder.drain()
        } catch {
            return
        }
        while let picture = next(&decoder) {
            guard take(picture) else { return }
        }
    }

    private static func next(_ decoder: inout VideoDecoder) -> VideoFrame? {
        do throws(FFmpegError) {
            if case .picture(let frame) = try decoder.receive() { return frame }
        } catch {
            // Treated like a packet that cannot be decoded.
        }
        return nil
    }
}
