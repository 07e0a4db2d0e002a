// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// Prints the adjustments, filters and overlays of a session, as text or as JSON.
struct FiltersText {
    let state: SessionState

    func write(asJSON: Bool) throws(Failure) {
        if asJSON {
            let json = JSON.object(
                ("adjustments", state.adjustments.json),
                ("filters", .array(state.filters.map(\.json))),
                ("overlays", .array(state.overlays.map(\.json)))
            )
            try Terminal.write(json.indentedText)
        } else {
            try Terminal.write(lines)
        }
    }

    var lines: [String] {
        let adjustments = PictureAdjustments.names.map { name, value in
            "\(name) \(Words.number(state.adjustments[keyPath: value], places: 3))"
        }
        let filters = state.filters.map { "filter \($0.id)  \(Words.plain($0.filter.description))" }
        let overlays = state.overlays.reversed().map { overlay in
            let place = overlay.bounds.map { "\($0.width)x\($0.height) at \($0.x),\($0.y)" } ?? "not placed yet"
            return "overlay \(Words.plain(overlay.name))  z \(overlay.z), \(place)"
        }
        return [adjustments.joined(separator: ", ")] + filters + overlays
    }
}
