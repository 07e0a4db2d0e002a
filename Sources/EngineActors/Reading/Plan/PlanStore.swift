// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Stores the plans that scans have found, so that the next open of the same file needs no scan.
///
/// There is one text file per plan, named by a hash of everything that the plan depends on. A plan that does not parse,
/// or that belongs to another source or another version of it, is ignored. Disk access happens on the store's own
/// thread.
package actor PlanStore {
    /// A stored plan, and the ends of its tracks.
    package struct StoredPlan: Sendable {
        package let plan: SegmentPlan
        package let trackEnds: [MediaTime?]
    }

    private static let version = "engine-plan 10"
    private static let largestFile = 32 << 20
    private static let gradual = " gradual"

    private let executor = ThreadExecutor(name: "plans")
    private let directory: String?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter directory: created when the first plan is stored; with `nil`, no plan is stored.
    package init(directory: String?) { self.directory = directory }

    package func load(for source: OpenedSource, target: MediaTime) -> StoredPlan? {
        guard let (path, key) = path(source, target) else { return nil }
        do throws(RegularFile.OpenError) {
            let bytes = try SmallFile.read(path, limit: Self.largestFile)
            return Self.parse(String(decoding: bytes, as: UTF8.self), key: key, source)
        } catch {
            // No plan has been stored, or it cannot be read: the source is scanned again.
            return nil
        }
    }

    package func save(_ batch: Scanner.Batch, of source: OpenedSource, target: MediaTime) {
        guard let directory, let (path, key) = path(source, target), let end = batch.plan.end else { return }
        var lines = [Self.version, key, "end \(end)" + (batch.plan.hasGradualRefresh ? Self.gradual : "")]
        lines.append("ends " + batch.trackEnds.map { $0.map { "\($0.microseconds)" } ?? "-" }.joined(separator: " "))
        let jumps = batch.plan.jumps.map {
            "\($0.firstSegment):\($0.position):\($0.offset):\($0.start):\($0.lastChange)"
        }
        lines.append((["jumps"] + jumps).joined(separator: " "))
        lines.append((["keyframes"] + batch.plan.keyframes.times.map { "\($0)" }).joined(separator: " "))
        lines.append("trick-play \(batch.plan.trickPlayKeyframes.count)")
        lines += batch.plan.trickPlayKeyframes.map(Self.line)
        lines.append("changes \(batch.plan.changes.count)")
        lines += batch.plan.changes.map { "\($0.firstSegment) \(Hexadecimal.text($0.privateData))" }
        lines += batch.plan.boundaries.map(Self.line)
        lines.append("complete\n")
        do throws(Errno) {
            try SmallFile.write(Array(lines.joined(separator: "\n").utf8), to: path, makingDirectory: directory)
        } catch {
            // If a plan cannot be stored, the next open scans again.
        }
    }

    /// `nil` if plans are not stored, or if this source has no key.
    private func path(_ source: OpenedSource, _ target: MediaTime) -> (path: String, key: String)? {
        guard let directory, let key = Self.key(source, target) else { return nil }
        // The hash only names the file. The key inside proves that the file belongs to the source.
        return ("\(directory)/\(StableHash(of: key.utf8).hexadecimal).plan", key)
    }

    /// Everything that a plan depends on. `nil` for a source whose versions cannot be distinguished.
    private static func key(_ source: OpenedSource, _ target: MediaTime) -> String? {
        guard let identity = source.file.versionKey else { return nil }
        let tracks = source.tracks.map { "\($0.stream.index):\($0.stream.codec.rawValue)" }.joined(separator: ",")
        return "\(identity) target \(target.microseconds) tracks \(tracks)"
    }

    private static func parse(_ text: String, key: String, _ source: OpenedSource) -> StoredPlan? {
        let lines = text.split(separator: "\n")
        guard lines.count > 8, lines[0] == version, lines[1] == key, lines.last == "complete" else { return nil }
        let isGradual = lines[2].hasSuffix(gradual)
        let time = lines[2].dropFirst(4).dropLast(isGradual ? gradual.count : 0)
        guard lines[2].hasPrefix("end "), let end = Int64(time), lines[3].hasPrefix("ends ") else { return nil }
        let ends = lines[3].dropFirst(5).split(separator: " ").map { Int64($0).map { MediaTime(microseconds: $0) } }
        guard ends.count == source.tracks.count else { return nil }
        var rest = lines[6..<lines.count - 1]
        guard let jumps = jumps(lines[4]), let keyframes = keyframes(lines[5]),
            let trickPlay = part(of: &rest, "trick-play").flatMap(cuts), let changed = part(of: &rest, "changes"),
            let changes = changes(changed, source), let boundaries = cuts(rest)
        else { return nil }
        guard let last = boundaries.last, last.time < end, changes.last?.firstSegment ?? 0 < boundaries.count,
            jumps.last?.firstSegment ?? 0 < boundaries.count
        else { return nil }
        let plan = SegmentPlan(
            timeBase: source.lead.stream.timeBase,
            boundaries: boundaries,
            end: end,
            origin: .cache,
            changes: changes,
            jumps: jumps,
            keyframes: keyframes,
            trickPlayKeyframes: trickPlay,
            hasGradualRefresh: isGradual
        )
        return StoredPlan(plan: plan, trackEnds: ends)
    }

    private static func line(_ keyframe: Keyframe) -> String {
        "\(keyframe.time) \(keyframe.seekTimestamp) \(keyframe.position)"
    }

    /// Removes the first line, which states a name and a number, and as many lines after it; returns these. `nil` if
    /// the first line does not, or there are too few lines.
    private static func part(of lines: inout ArraySlice<Substring>, _ name: String) -> ArraySlice<Substring>? {
        guard let words = lines.popFirst()?.split(separator: " "), words.count == 2, words[0] == name,
            let count = Int(words[1]), (0...lines.count).contains(count)
        else { return nil }
        defer { lines = lines.dropFirst(count) }
        return lines.prefix(count)
    }

    /// Parses keyframes. `nil` when one does not parse or is not later than the previous one.
    private static func cuts(_ lines: ArraySlice<Substring>) -> [Keyframe]? {
        var found: [Keyframe] = []
        for line in lines {
            let numbers = line.split(separator: " ").compactMap { Int64($0) }
            guard numbers.count == 3, numbers[0] > found.last?.time ?? .min else { return nil }
            found.append(Keyframe(time: numbers[0], seekTimestamp: numbers[1], position: numbers[2]))
        }
        return found
    }

    private static func keyframes(_ line: Substring) -> KeyframeTimes? {
        let words = line.split(separator: " ")
        guard words.first == "keyframes" else { return nil }
        let times = words.dropFirst().compactMap { Int64($0) }
        return times.count == words.count - 1 ? KeyframeTimes(times) : nil
    }

    private static func jumps(_ line: Substring) -> [ClockJump]? {
        let words = line.split(separator: " ")
        guard words.first == "jumps" else { return nil }
        var jumps: [ClockJump] = []
        for word in words.dropFirst() {
            let numbers = word.split(separator: ":").compactMap { Int64($0) }
            guard numbers.count == 5, let segment = Int(exactly: numbers[0]), segment > jumps.last?.firstSegment ?? 0,
                numbers[1] > jumps.last?.position ?? 0
            else { return nil }
            jumps.append(
                ClockJump(
                    firstSegment: segment,
                    position: numbers[1],
                    offset: numbers[2],
                    start: numbers[3],
                    lastChange: numbers[4]
                )
            )
        }
        return jumps
    }

    /// Parses configuration changes. `nil` if one does not parse, is out of order, or cannot be applied to the track.
    private static func changes(_ lines: ArraySlice<Substring>, _ source: OpenedSource) -> [ConfigurationChange]? {
        var changes: [ConfigurationChange] = []
        for line in lines {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let segment = Int(parts[0]), segment > changes.last?.firstSegment ?? 0,
                let data = Hexadecimal.bytes(parts[1]), source.lead.canChange(to: data)
            else { return nil }
            changes.append(ConfigurationChange(firstSegment: segment, privateData: data))
        }
        return changes
    }
}
