// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The single entry of `stsd`.
enum SampleEntry {
    static func write(_ track: Track, to writer: inout BoxWriter) {
        let format = SampleEntryFormat(codec: track.codec)
        writer.box(track.videoEntry?.boxType ?? format.entry) { box in
            box.zeros(6)
            box.uint16(1)
            if let video = track.video {
                writeVideo(video, &box)
            } else {
                writeAudio(track, &box)
            }
            writeConfiguration(track, format.configuration, &box)
            if let record = track.dolbyVision { record.write(to: &box) }
            if let video = track.video { writeColourAndShape(video, &box) }
        }
    }

    /// VisualSampleEntry, ISO/IEC 14496-12 §12.1.3.
    private static func writeVideo(_ video: VideoProperties, _ box: inout BoxWriter) {
        box.zeros(16)
        box.uint16(UInt16(clamping: video.width))
        box.uint16(UInt16(clamping: video.height))
        box.uint32(0x0048_0000)
        box.uint32(0x0048_0000)
        box.uint32(0)
        box.uint16(1)
        box.zeros(32)
        box.uint16(0x0018)
        box.uint16(0xFFFF)
    }

    /// AudioSampleEntry, §12.2.3. A rate above 65535 Hz does not fit its field; only the configuration carries it.
    private static func writeAudio(_ track: Track, _ box: inout BoxWriter) {
        let audio = track.audio ?? AudioProperties()
        box.zeros(8)
        box.uint16(UInt16(clamping: audio.channels))
        let hasDepth = track.codec == .flac || track.codec == .alac
        box.uint16(hasDepth && audio.bitDepth > 0 ? UInt16(clamping: audio.bitDepth) : 16)
        box.zeros(4)
        box.uint32((UInt32(exactly: audio.sampleRate).flatMap { $0 <= 0xFFFF ? $0 : nil } ?? 0) << 16)
    }

    private static func writeConfiguration(
        _ track: Track,
        _ configuration: SampleEntryFormat.Configuration,
        _ box: inout BoxWriter
    ) {
        switch configuration {
        case .box(let type): box.box(type) { $0.append(track.configuration) }
        case .fullBox(let type, let version): box.fullBox(type, version: version) { $0.append(track.configuration) }
        case .elementaryStream(let objectType):
            let type = objectType(track.audio?.sampleRate ?? 0)
            ElementaryStreamDescriptor(objectType: type, specificInfo: track.configuration).write(to: &box)
        case .none: break
        }
    }

    private static func writeColourAndShape(_ video: VideoProperties, _ box: inout BoxWriter) {
        if video.color.isSpecified || video.color.isFullRange {
            box.box("colr") { box in
                box.type("nclx")
                box.uint16(UInt16(clamping: video.color.primaries))
                box.uint16(UInt16(clamping: video.color.transfer))
                box.uint16(UInt16(clamping: video.color.matrix))
                box.byte(video.color.isFullRange ? 0x80 : 0)
            }
        }
        let ratio = video.displayableAspectRatio
        if ratio != Ratio(1, 1) {
            box.box("pasp") { box in
                box.uint32(UInt32(clamping: ratio.numerator))
                box.uint32(UInt32(clamping: ratio.denominator))
            }
        }
        writeCropping(video, &box)
        video.masteringDisplay?.write(to: &box)
        video.contentLight?.write(to: &box)
        if let isTopFirst = video.isTopFieldFirst, video.isInterlaced {
            // QuickTime's `fiel` box: two fields, and which of them is displayed first.
            box.box("fiel") { box in
                box.byte(2)
                box.byte(isTopFirst ? 1 : 6)
            }
        }
    }

    /// CleanApertureBox, §12.1.4: its size, and the offset of its centre from the centre of the picture.
    private static func writeCropping(_ video: VideoProperties, _ box: inout BoxWriter) {
        let cropping = video.cropping
        guard !cropping.isNone, cropping.fits(width: video.width, height: video.height) else { return }
        let fields = [
            (video.width - cropping.left - cropping.right, 1),
            (video.height - cropping.top - cropping.bottom, 1),
            (cropping.left - cropping.right, 2),
            (cropping.top - cropping.bottom, 2),
        ]
        box.box("clap") { box in
            for (numerator, denominator) in fields {
                box.uint32(UInt32(bitPattern: Int32(clamping: numerator)))
                box.uint32(UInt32(denominator))
            }
        }
    }
}
