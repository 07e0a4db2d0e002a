// SPDX-License-Identifier: Apache-2.0

/// Metrics in the Prometheus text-based exposition format, version 0.0.4.
struct MetricsText {
    enum Kind: String { case counter, gauge }

    private(set) var text = ""

    /// Adds a metric without labels.
    mutating func add<Value: BinaryInteger>(_ kind: Kind, _ name: String, _ value: Value, help: String) {
        text += "# HELP engined_\(name) \(help)\n# TYPE engined_\(name) \(kind.rawValue)\nengined_\(name) \(value)\n"
    }

    /// Adds a metric with one value per value of a label.
    mutating func add(_ kind: Kind, _ name: String, by label: String, _ values: [(String, UInt64)], help: String) {
        text += "# HELP engined_\(name) \(help)\n# TYPE engined_\(name) \(kind.rawValue)\n"
        for (word, value) in values { text += "engined_\(name){\(label)=\"\(word)\"} \(value)\n" }
    }
}
