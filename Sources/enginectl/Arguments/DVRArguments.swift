// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The options that limit how much of a live stream is kept, and select how playback catches up with the live edge.
struct DVRArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much of a live stream is kept. Default: the engine's setting, 1:00:00.",
            valueName: "time"
        )
    )
    var dvr: TimeArgument?

    @Option(
        help: ArgumentHelp("The same in bytes, with K, M or G. Default: the engine's setting, 4G.", valueName: "bytes")
    )
    var dvrBytes: ByteCountArgument?

    @Option(
        help: ArgumentHelp(
            "How playback approaches the live edge: off, skip, speed or precise. Default: the engine's setting, off.",
            valueName: "how"
        ),
        completion: .list(ChaseMode.allCases.map(\.rawValue))
    )
    var chase: ChaseArgument?

    func validate() throws {
        if let dvr, dvr.isRelative || !LoadOptions.dvrWindows.contains(dvr.time) {
            throw ValidationError("--dvr must be from 10 s to 24:00:00.")
        }
        if let dvrBytes, !LoadOptions.dvrByteCounts.contains(dvrBytes.byteCount) {
            throw ValidationError("--dvr-bytes must be 16M or more.")
        }
    }

    func apply(to options: inout LoadOptions) {
        options.dvrWindow = dvr?.time
        options.dvrByteCount = dvrBytes?.byteCount
        options.chase = chase?.mode
    }
}

/// How playback catches up with the live edge.
struct ChaseArgument: Equatable, ExpressibleByArgument {
    let mode: ChaseMode

    init?(argument: String) {
        guard let mode = ChaseMode(rawValue: argument) else { return nil }
        self.mode = mode
    }
}

/// A number of bytes, such as `268435456`, `256M` or `2G`.
struct ByteCountArgument: Equatable, ExpressibleByArgument {
    let byteCount: Int64

    init?(argument: String) {
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = argument.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Int64(unit == nil ? argument[...] : argument.dropLast()), number >= 0 else { return nil }
        let (byteCount, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        self.byteCount = byteCount
    }
}
