// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel

/// Where a session's frames and audio go: the path, the engine's own renderer while there is one, the sinks, and the
/// filters before them. Plain values, except for the renderer and the look.
struct SessionOutputs {
    /// The engine's own renderer. `nil` on the remux path.
    private(set) var software: SoftwareLink?
    private var lastNumber = SoftwareLink.firstNumber
    /// The sinks, which outlive the renderer.
    var sinks = SoftwareOutputs()
    /// The path that a client selected. `nil`: the source decides, and whether any output is attached.
    private(set) var wantedPath: PlaybackPath?
    /// The adjustments, filters and overlays that are applied to decoded frames.
    private(set) var look: PictureLook
    /// The position of each overlay, by overlay name.
    private var overlayBounds: [String: OverlayBounds] = [:]

    init(path: PlaybackPath?, _ treatment: PictureTreatment) {
        wantedPath = path
        look = PictureLook(treatment)
    }

    /// Takes over what an earlier session had.
    mutating func inherit(_ sinks: SoftwareOutputs, _ look: PictureLook) {
        self.sinks = sinks
        self.look = look
    }

    /// Gives the sinks to another session.
    mutating func handOver() -> SoftwareOutputs {
        defer { sinks = SoftwareOutputs() }
        return sinks
    }

    // MARK: The path

    /// The path in use.
    var path: PlaybackPath { software == nil ? .remux : .software }

    /// The path that should be in use: software if nothing else can play the source; otherwise the path a client
    /// selected; otherwise software if any output is attached, and remux if none is.
    func path(needsSoftware: Bool) -> PlaybackPath {
        if needsSoftware { return .software }
        return wantedPath ?? (sinks.all.isEmpty ? .remux : .software)
    }

    mutating func select(_ path: PlaybackPath?) { wantedPath = path }

    /// Drops a selected path that cannot play the source.
    ///
    /// - Returns: a notice if there was one.
    mutating func dropUnavailablePath(needsSoftware: Bool) -> Notice? {
        guard wantedPath == .remux, needsSoftware else { return nil }
        wantedPath = nil
        let text = "only the software path plays this source; the selected path is ignored"
        return Notice(.warning, "path.unavailable", text)
    }

    // MARK: The engine's own renderer

    /// The number of the next renderer of the engine.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func begin(_ link: SoftwareLink) { software = link }

    /// - Returns: the renderer that has to be ended; `nil` if there is none. It has lost its sinks.
    mutating func end() -> SoftwareLink? {
        defer { software = nil }
        if software != nil { sinks.detachAll() }
        return software
    }

    func isCurrent(_ renderer: SoftwareRenderer) -> Bool { software?.renderer === renderer }

    mutating func opened(_ film: DecodedFilm) { software?.film = film }

    mutating func opened(_ device: DeviceSoundSink) { software?.device = device }

    // MARK: Filters

    /// Keeps a finding made while frames are processed: what fails is taken out.
    ///
    /// - Returns: a notice if something failed.
    mutating func take(_ finding: PictureLook.Finding) -> Notice? {
        var treatment = look.treatment
        var notice: Notice?
        switch finding {
        case .filterFailed(let filter, let reason):
            treatment.remove(filter: filter.id)
            let message =
                "filter \(filter.id), \(filter.filter.name), does not work on this video and was removed: \(reason)"
            notice = Notice(.warning, "filters.failed", message)
        case .adjustmentsFailed(let reason):
            notice = Notice(.warning, "filters.not_adjusted", "this video cannot be adjusted: \(reason)")
        case .overlayFailed(let name, let reason):
            treatment.remove(overlay: name)
            notice = Notice(.warning, "overlays.failed", "overlay \(name) was removed: \(reason)")
        case .drawn: break
        case .placed(let bounds): overlayBounds = bounds
        }
        look.set(treatment)
        return notice
    }

    /// A change that publishes the adjustments, filters and overlays.
    var publishedTreatment: @Sendable (inout SessionState) -> Void {
        { [treatment = look.treatment, overlayBounds] in $0.show(treatment, at: overlayBounds) }
    }
}
