// SPDX-License-Identifier: Apache-2.0

/// A libavfilter filter by name, with its options by name. `FilterCatalog` lists the allowed names.
public struct PictureFilter: Hashable, Sendable {
    public struct Option: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var name: String
    /// Options that are not listed keep libavfilter's defaults.
    public var options: [Option]

    public init(_ name: String, _ options: [Option] = []) {
        self.name = name
        self.options = options
    }

    /// In the syntax of ffmpeg's command line.
    public var description: String {
        options.isEmpty ? name : "\(name)=" + options.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
    }
}

/// A filter of a session, with the id by which it is removed.
public struct AppliedFilter: Hashable, Sendable {
    /// Above 0, and never reused within the session.
    public var id: Int
    public var filter: PictureFilter

    public init(id: Int, filter: PictureFilter) {
        self.id = id
        self.filter = filter
    }
}

extension PictureFilter {
    /// The same filter with every value in its canonical form: no text written by a client reaches libavfilter's own
    /// parsers.
    ///
    /// - Throws: `invalidArgument` for anything that is not in the catalogue, naming the field: `name`, `options` or
    ///   `options[NAME]`.
    package func validated() throws(EngineError) -> PictureFilter {
        guard let known = FilterCatalog.filters[name] else {
            throw .invalid("name", "\"\(name.excerpt)\" is not a supported filter")
        }
        guard options.count <= known.count else {
            throw .invalid("options", "has more entries than the \(known.count) options of \(name)")
        }
        var valid = PictureFilter(name)
        var seen: Set<String> = []
        for option in options {
            let field = "options[\(option.name.excerpt)]"
            guard let kind = known[option.name] else { throw .invalid(field, "is not an option of \(name)") }
            guard seen.insert(option.name).inserted else { throw .invalid(field, "is given twice") }
            guard let value = kind.canonical(option.value) else {
                throw .invalid(field, "must be \(kind), not \"\(option.value.excerpt)\"")
            }
            valid.options.append(Option(option.name, value))
        }
        if let missing = FilterCatalog.required[name]?.first(where: { !seen.contains($0) }) {
            throw .invalid("options[\(missing)]", "is missing")
        }
        return valid
    }
}

extension String {
    /// The text as error messages quote it: shortened if it is long.
    fileprivate var excerpt: String { unicodeScalars.count > 64 ? "\(prefix(64))…" : self }
}
