// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The handling of a segment that could not be read.
enum SegmentLoss {
    /// Reading fails.
    case none
    /// The segment was listed a moment ago, and not every server may have it yet: it is requested again.
    case early
    /// The segment is missing. It is skipped, because others follow.
    case lost
}

extension SegmentList {
    /// The handling of a segment of this list that could not be read because of an error.
    ///
    /// - Parameter isGrowing: whether further segments may be listed.
    func loss(of index: Int, isGrowing: Bool, because error: EngineError) -> SegmentLoss {
        // A segment that is not complete yet is read again when more of it has arrived.
        guard slides, index >= oldest, index < segments.count else { return .none }
        switch error.code {
        case .sourceNotFound, .sourceRefused: return index >= segments.count - 2 && isGrowing ? .early : .lost
        case .sourceEmpty, .segmentFailed: return .lost
        default: return .none
        }
    }
}
