// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension JournalJSON {
    /// How frames are changed before they are shown.
    struct Pictures: Codable, Equatable {
        var brightness: Double
        var contrast: Double
        var saturation: Double
        var gamma: Double
        var filters: [Filter]
        var nextFilter: Int
        var overlays: [Overlay]
    }

    struct Filter: Codable, Equatable {
        var id: Int
        var name: String
        var options: [Option]
    }

    struct Option: Codable, Equatable {
        var name: String
        var value: String
    }

    struct Overlay: Codable, Equatable {
        var name: String
        var svg: String?
        var ass: String?
        /// Width and height of the script's canvas.
        var assSize: [Int]?
        var rectangle: [Double]
        var z: Int
    }
}

extension JournalJSON.Pictures {
    init(_ treatment: PictureTreatment) {
        brightness = treatment.adjustments.brightness
        contrast = treatment.adjustments.contrast
        saturation = treatment.adjustments.saturation
        gamma = treatment.adjustments.gamma
        filters = treatment.filters.map { applied in
            let options = applied.filter.options.map { JournalJSON.Option(name: $0.name, value: $0.value) }
            return JournalJSON.Filter(id: applied.id, name: applied.filter.name, options: options)
        }
        nextFilter = treatment.nextFilter
        overlays = treatment.overlays.map { overlay in
            let place = overlay.rectangle
            var kept = JournalJSON.Overlay(
                name: overlay.name,
                rectangle: [place.x, place.y, place.width, place.height],
                z: overlay.z
            )
            switch overlay.drawing {
            case .svg(let svg): kept.svg = svg
            case .ass(let drawing): (kept.ass, kept.assSize) = (drawing.text, [drawing.width, drawing.height])
            }
            return kept
        }
    }

    /// The treatment, and the errors of values that were ignored: a user may have edited the file.
    var restored: (treatment: PictureTreatment, invalid: [EngineError]) {
        var treatment = PictureTreatment()
        var invalid: [EngineError] = []
        func apply(_ command: FilterCommand) {
            do throws(EngineError) { _ = try treatment.apply(command) } catch { invalid.append(error) }
        }
        var change = AdjustmentChange()
        (change.brightness, change.contrast) = (brightness, contrast)
        (change.saturation, change.gamma) = (saturation, gamma)
        apply(.adjust(change))
        for filter in filters {
            let options = filter.options.map { PictureFilter.Option($0.name, $0.value) }
            let applied = AppliedFilter(id: filter.id, filter: PictureFilter(filter.name, options))
            do throws(EngineError) { try treatment.restore(applied) } catch { invalid.append(error) }
        }
        treatment.skipFilters(below: nextFilter)
        for overlay in overlays {
            let place = overlay.rectangle
            guard place.count == 4 else {
                invalid.append(.invalid("overlay.rectangle", "must have 4 numbers, not \(place.count)"))
                continue
            }
            let rectangle = OverlayRectangle(x: place[0], y: place[1], width: place[2], height: place[3])
            apply(.put(Overlay(name: overlay.name, overlay.drawing, rectangle: rectangle, z: overlay.z)))
        }
        return (treatment, invalid)
    }
}

extension JournalJSON.Overlay {
    fileprivate var drawing: OverlayDrawing {
        guard let ass else { return .svg(svg ?? "") }
        let size = assSize ?? []
        return .ass(ASSDrawing(ass, width: size.first ?? 0, height: size.dropFirst().first ?? 0))
    }
}
