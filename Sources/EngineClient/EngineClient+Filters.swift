// SPDX-License-Identifier: Apache-2.0

public import EngineModel

// Filters, adjustments and overlays that the engine applies to frames.
extension EngineClient {
    /// Sets brightness, contrast, saturation and gamma, clamped to their ranges.
    public func adjust(
        _ session: SessionID? = nil,
        _ change: AdjustmentChange
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.adjust(change)))
    }

    /// Adds a filter after the others. The result carries its id.
    public func addFilter(
        _ session: SessionID? = nil,
        _ filter: PictureFilter
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.add(filter)))
    }

    public func removeFilter(_ session: SessionID? = nil, _ id: Int) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.remove(filter: id)))
    }

    /// Removes all filters. Adjustments and overlays stay.
    public func clearFilters(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.clear))
    }

    /// Draws an overlay on the frames, or replaces the overlay of the same name.
    public func putOverlay(
        _ session: SessionID? = nil,
        _ overlay: Overlay
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.put(overlay)))
    }

    public func removeOverlay(
        _ session: SessionID? = nil,
        _ name: String
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.removeOverlay(name)))
    }

    public func clearOverlays(_ session: SessionID? = nil) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .filters(.clearOverlays))
    }
}
