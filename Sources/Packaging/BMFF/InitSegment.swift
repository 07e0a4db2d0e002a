// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The CMAF header of a track: `ftyp` and `moov` (ISO/IEC 14496-12 §4.3, §8.2; ISO/IEC 23000-19 §7.3.1).
package enum InitSegment {
    /// Deterministic: the same track always gives the same bytes.
    package static func bytes(for track: Track) -> [UInt8] {
        var writer = BoxWriter(capacity: 1024)
        writer.box("ftyp") { box in
            box.type("iso6")
            box.uint32(0)
            for brand in ["iso6", "cmfc", "mp41"] + (track.dolbyVision?.brands ?? []) { box.type(brand) }
        }
        writer.box("moov") { box in
            movieHeader(timescale: track.timescale, nextID: Track.id + 1, &box)
            self.track(track, Track.id, &box)
            box.box("mvex") { extends(Track.id, &$0) }
        }
        return writer.bytes
    }

    static func track(_ track: Track, _ id: UInt32, _ writer: inout BoxWriter) {
        writer.box("trak") { box in
            trackHeader(track, id, &box)
            editList(track, &box)
            media(track, &box)
        }
    }

    /// §8.8.3
    static func extends(_ id: UInt32, _ writer: inout BoxWriter) {
        writer.fullBox("trex") { box in
            box.uint32(id)
            box.uint32(1)
            box.zeros(12)
        }
    }

    /// §8.2.2. The duration is 0, because fragments carry it.
    static func movieHeader(timescale: UInt32, nextID: UInt32, _ writer: inout BoxWriter) {
        writer.fullBox("mvhd") { box in
            box.zeros(8)
            box.uint32(timescale)
            box.uint32(0)
            box.uint32(0x0001_0000)
            box.uint16(0x0100)
            box.zeros(10)
            DisplayMatrix(rotation: 0, width: 0, height: 0).write(to: &box)
            box.zeros(24)
            box.uint32(nextID)
        }
    }

    /// §8.3.2. Width and height are display dimensions before rotation.
    private static func trackHeader(_ track: Track, _ id: UInt32, _ writer: inout BoxWriter) {
        writer.fullBox("tkhd", flags: 3) { box in
            box.zeros(8)
            box.uint32(id)
            box.zeros(4)
            box.uint32(0)
            box.zeros(8)
            box.zeros(4)
            box.uint16(track.video == nil ? 0x0100 : 0)
            box.uint16(0)
            let video = track.video ?? VideoProperties()
            let size = DisplaySize(video)
            DisplayMatrix(rotation: video.rotation, width: size.unrotatedWidth, height: size.unrotatedHeight)
                .write(to: &box)
            box.uint32(UInt32(clamping: size.unrotatedWidth) << 16)
            box.uint32(UInt32(clamping: size.unrotatedHeight) << 16)
        }
    }

    /// §8.6.6: presentation starts `mediaTimeOffset` into the media. A segment duration of 0 means that the edit lasts
    /// as long as there are fragments.
    private static func editList(_ track: Track, _ writer: inout BoxWriter) {
        guard track.mediaTimeOffset != 0 else { return }
        let narrow = Int32(exactly: track.mediaTimeOffset)
        writer.box("edts") { box in
            box.fullBox("elst", version: narrow == nil ? 1 : 0) { box in
                box.uint32(1)
                if let narrow {
                    box.uint32(0)
                    box.uint32(UInt32(bitPattern: narrow))
                } else {
                    box.uint64(0)
                    box.uint64(UInt64(bitPattern: track.mediaTimeOffset))
                }
                box.uint32(0x0001_0000)
            }
        }
    }

    private static func media(_ track: Track, _ writer: inout BoxWriter) {
        let isVideo = track.video != nil
        writer.box("mdia") { box in
            box.fullBox("mdhd") { box in
                box.zeros(8)
                box.uint32(track.timescale)
                box.uint32(0)
                box.uint16(LanguageCode.packed(track.language))
                box.uint16(0)
            }
            box.fullBox("hdlr") { box in
                box.uint32(0)
                box.type(isVideo ? "vide" : "soun")
                box.zeros(12)
                box.append(Array((isVideo ? "VideoHandler" : "SoundHandler").utf8) + [0])
            }
            box.box("minf") { box in
                if isVideo {
                    box.fullBox("vmhd", flags: 1) { $0.zeros(8) }
                } else {
                    box.fullBox("smhd") { $0.zeros(4) }
                }
                box.box("dinf") { box in
                    box.fullBox("dref") { box in
                        box.uint32(1)
                        box.fullBox("url ", flags: 1) { _ in }
                    }
                }
                sampleTable(track, &box)
            }
        }
    }

    private static func sampleTable(_ track: Track, _ writer: inout BoxWriter) {
        writer.box("stbl") { box in
            box.fullBox("stsd") { box in
                box.uint32(1)
                SampleEntry.write(track, to: &box)
            }
            box.fullBox("stts") { $0.uint32(0) }
            box.fullBox("stsc") { $0.uint32(0) }
            box.fullBox("stsz") { $0.zeros(8) }
            box.fullBox("stco") { $0.uint32(0) }
        }
    }
}
