// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Adjustments, filters and overlays as JSON: docs/enginectl.md.

extension PictureAdjustments {
    package var json: JSON {
        .object(
            ("brightness", .number(brightness)),
            ("contrast", .number(contrast)),
            ("saturation", .number(saturation)),
            ("gamma", .number(gamma))
        )
    }
}

extension AppliedFilter {
    package var json: JSON {
        .object(
            ("id", .integer(id)),
            ("name", .string(filter.name)),
            (
                "options",
                .array(
                    filter.options.map { .object(("name", .string($0.name)), ("value", .string($0.value))) }
                )
            )
        )
    }
}

extension PlacedOverlay {
    package var json: JSON {
        .object(
            ("name", .string(name)),
            (
                "rectangle",
                .object(
                    ("x", .number(rectangle.x)),
                    ("y", .number(rectangle.y)),
                    ("width", .number(rectangle.width)),
                    ("height", .number(rectangle.height))
                )
            ),
            ("z", .integer(z)),
            ("bounds", bounds?.json ?? .null)
        )
    }
}

extension OverlayBounds {
    fileprivate var json: JSON {
        .object(
            ("x", .integer(x)),
            ("y", .integer(y)),
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("picture_width", .integer(pictureWidth)),
            ("picture_height", .integer(pictureHeight))
        )
    }
}
