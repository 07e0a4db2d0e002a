// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@Suite("The table of phases")
struct PhaseTableTests {
    private static let rows: [[String]] = {
        let text = (try? String(contentsOf: Repository.root.appending(path: "docs/states.md"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }()

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map { $0.trimmingCharacters(in: ["`"]) }
    }

    @Test("the document lists the transitions that the code allows", arguments: Phase.Name.allCases)
    func transitions(_ phase: Phase.Name) throws {
        let row = try #require(Self.rows.first { $0.count == 2 && $0[0] == "`\(phase.rawValue)`" })
        #expect(Self.words(row[1]) == phase.successors.map(\.rawValue).sorted())
    }

    @Test("the document lists the time-out of each phase", arguments: Phase.Name.allCases)
    func timeouts(_ phase: Phase.Name) throws {
        let row = try #require(Self.rows.first { $0.count == 3 && $0[0] == "`\(phase.rawValue)`" })
        #expect(row[2] == (phase.defaultTimeout.map { "\($0.components.seconds) s" } ?? "never"))
    }
}
