// SPDX-License-Identifier: Apache-2.0

/// How a session's frames are processed before they are shown: first the filters in order, then the adjustments, then
/// the overlays from bottom to top.
public struct PictureTreatment: Hashable, Sendable {
    public var adjustments = PictureAdjustments.neutral
    public var filters: [AppliedFilter] = []
    /// From bottom to top.
    public var overlays: [Overlay] = []
    package var nextFilter = 1

    package static let filterLimit = 16
    private static let idLimit = 1 << 30

    public init() {}

    public var isIdentity: Bool { adjustments == .neutral && filters.isEmpty && overlays.isEmpty }
}

/// A command that changes the treatment.
public enum FilterCommand: Hashable, Sendable {
    case adjust(AdjustmentChange)
    /// Appends a filter.
    case add(PictureFilter)
    case remove(filter: Int)
    /// Removes all filters. Adjustments and overlays stay.
    case clear
    /// Adds an overlay, or replaces the overlay of the same name.
    case put(Overlay)
    case removeOverlay(String)
    case clearOverlays
}

extension PictureTreatment {
    /// The result of a command.
    package struct Outcome: Hashable, Sendable {
        package var isClamped = false
        package var addedFilter: Int?
    }

    /// Applies the command completely, or changes nothing.
    ///
    /// - Throws: `invalidArgument`, naming the field of the request; `resourceExhausted` if a limit is reached.
    package mutating func apply(_ command: FilterCommand) throws(EngineError) -> Outcome {
        switch command {
        case .adjust(let change):
            do throws(EngineError) {
                let (adjustments, isClamped) = try change.applied(to: adjustments)
                self.adjustments = adjustments
                return Outcome(isClamped: isClamped)
            } catch {
                throw error.below("adjustments")
            }
        case .add(let filter): return Outcome(addedFilter: try add(filter))
        case .remove(let id):
            guard filters.contains(where: { $0.id == id }) else {
                throw .invalid("filter_id", "\(id) is not a filter of the session")
            }
            remove(filter: id)
        case .clear: filters = []
        case .put(let overlay): try put(overlay)
        case .removeOverlay(let name):
            guard overlays.contains(where: { $0.name == name }) else {
                throw .invalid("name", "\"\(name)\" is not an overlay of the session")
            }
            remove(overlay: name)
        case .clearOverlays: overlays = []
        }
        return Outcome()
    }

    /// Removes a filter. No effect if there is none with this id.
    package mutating func remove(filter id: Int) { filters.removeAll { $0.id == id } }

    package mutating func remove(overlay name: String) { overlays.removeAll { $0.name == name } }

    /// Restores a filter that an earlier process had. Does nothing if a limit is reached, or if the id is invalid or in
    /// use.
    ///
    /// - Throws: `invalidArgument` if the filter itself is not valid.
    package mutating func restore(_ filter: AppliedFilter) throws(EngineError) {
        guard (1...Self.idLimit).contains(filter.id), filters.count < Self.filterLimit,
            !filters.contains(where: { $0.id == filter.id })
        else { return }
        filters.append(AppliedFilter(id: filter.id, filter: try filter.filter.validated()))
        nextFilter = max(nextFilter, filter.id + 1)
    }

    /// Makes sure that no new filter gets an id below `id`.
    package mutating func skipFilters(below id: Int) { nextFilter = max(nextFilter, min(id, Self.idLimit)) }

    private mutating func add(_ filter: PictureFilter) throws(EngineError) -> Int {
        let valid: PictureFilter
        do throws(EngineError) { valid = try filter.validated() } catch { throw error.below("filter") }
        guard filters.count < Self.filterLimit else {
            throw EngineError(.resourceExhausted, "the session already has \(Self.filterLimit) filters")
        }
        guard nextFilter <= Self.idLimit else {
            throw EngineError(.resourceExhausted, "the session has used up its \(Self.idLimit) filter ids")
        }
        let id = nextFilter
        nextFilter &+= 1
        filters.append(AppliedFilter(id: id, filter: valid))
        return id
    }

    private mutating func put(_ overlay: Overlay) throws(EngineError) {
        let valid: Overlay
        do throws(EngineError) { valid = try overlay.checked() } catch { throw error.below("overlay") }
        let others = overlays.filter { $0.name != valid.name }
        guard others.count < Overlay.countLimit else {
            throw EngineError(.resourceExhausted, "the session already has \(Overlay.countLimit) overlays")
        }
        guard others.reduce(valid.drawing.text.utf8.count, { $0 + $1.drawing.text.utf8.count }) <= Overlay.totalLimit
        else {
            throw EngineError(
                .resourceExhausted,
                "the session's overlays would exceed \(Overlay.totalLimit) bytes"
            )
        }
        let place = others.firstIndex { $0.z > valid.z } ?? others.endIndex
        overlays = others
        overlays.insert(valid, at: place)
    }
}
