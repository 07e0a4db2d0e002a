// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Segments

/// Remembers which problems of a session's bridges have been reported to the user: each kind once.
struct BridgeTrouble {
    private var told: Set<String> = []

    /// Notices for the problems that `report` shows for the first time.
    mutating func news(in report: SegmentProducer.Report) -> [Notice] {
        var notices: [Notice] = []
        if report.brokenSoundPackets > 0, told.insert("broken").inserted {
            let text = "\(report.brokenSoundPackets) packets of sound could not be decoded; silence stands for them"
            notices.append(Notice(.warning, "bridge.packets_broken", text))
        }
        if report.silentSegments > 0, told.insert("silent").inserted {
            let text = "a segment of a bridged track is silent: none of its packets gives any sound"
            notices.append(Notice(.warning, "bridge.silent", text))
        }
        if report.changedFormats > 0, told.insert("format").inserted {
            let text = "rate or channels of a bridged track change midway; what is served keeps those of its beginning"
            notices.append(Notice(.warning, "bridge.format_changed", text))
        }
        return notices
    }
}
