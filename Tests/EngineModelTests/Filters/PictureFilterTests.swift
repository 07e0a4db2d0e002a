// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EngineModel

@Suite("Requested filters", .timeLimit(.minutes(10)))
struct PictureFilterTests {
    @Test(
        "values are written in the canonical form of their kind",
        arguments: [
            ("gblur", "sigma", "2", "2"), ("gblur", "sigma", "2.50", "2.5"), ("gblur", "sigma", "1e1", "10"),
            ("gblur", "sigma", "0x1p-1", "0.5"), ("gblur", "steps", "+3", "3"), ("unsharp", "luma_msize_x", "7", "7"),
            ("crop", "w", "64", "64"), ("vignette", "dither", "true", "1"), ("drawbox", "color", "#FF8000", "#ff8000"),
            ("rotate", "angle", "-1.5707963", "-1.570796"), ("deband", "1thr", "0.00003", "0.00003"),
        ]
    )
    func canonical(name: String, option: String, value: String, expected: String) throws {
        let kind = try #require(FilterCatalog.filters[name]?[option])
        #expect(kind.canonical(value) == expected)
    }

    @Test(
        "invalid filters and options are rejected, naming the field",
        arguments: [
            (PictureFilter("movie"), "name"), (PictureFilter("gblur,movie"), "name"), (PictureFilter(""), "name"),
            (PictureFilter("gblur", [.init("radius", "2")]), "options[radius]"),
            (PictureFilter("gblur", [.init("sigma", "nan")]), "options[sigma]"),
            (PictureFilter("gblur", [.init("sigma", "inf")]), "options[sigma]"),
            (PictureFilter("gblur", [.init("sigma", "-1")]), "options[sigma]"),
            (PictureFilter("gblur", [.init("sigma", "2,movie=/etc/passwd")]), "options[sigma]"),
            (PictureFilter("gblur", [.init("sigma", "1"), .init("sigma", "2")]), "options[sigma]"),
            (PictureFilter("unsharp", [.init("luma_msize_x", "4")]), "options[luma_msize_x]"),
            (PictureFilter("vignette", [.init("mode", "Forward")]), "options[mode]"),
            (PictureFilter("drawbox", [.init("color", "red@0.5")]), "options[color]"),
            (PictureFilter("crop", [.init("w", "10")]), "options[h]"),
            (PictureFilter("hflip", [.init("x", "1")]), "options"),
        ]
    )
    func refused(filter: PictureFilter, field: String) {
        let error = #expect(throws: EngineError.self) { try filter.validated() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.field == field)
    }

    @Test("every option in the catalogue accepts its own canonical form")
    func canonicalTwice() {
        let texts = ["0", "1", "-1", "3", "5.5", "true", "clock", "weak", "#123456", "64", "1e-7", "-0.0000001"]
        for (name, options) in FilterCatalog.filters {
            for (option, kind) in options {
                for text in texts {
                    guard let once = kind.canonical(text) else { continue }
                    #expect(kind.canonical(once) == once, "\(name) \(option) \(text)")
                }
            }
        }
    }

    @Test("docs/filters.md lists every filter with every option")
    func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let lines = try String(contentsOf: root.appending(path: "docs/filters.md"), encoding: .utf8).split(
            separator: "\n"
        )
        for (name, options) in FilterCatalog.filters {
            let row = try #require(lines.first { $0.hasPrefix("| `\(name)` |") }, "\(name)")
            for option in options.keys { #expect(row.contains("`\(option)`"), "\(name) \(option)") }
        }
    }

    @Test("every required option is an option of its filter")
    func required() {
        for (name, options) in FilterCatalog.required {
            #expect(Set(options).isSubset(of: FilterCatalog.filters[name].map { Set($0.keys) } ?? []))
        }
    }
}
