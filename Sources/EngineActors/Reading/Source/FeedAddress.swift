// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Transfers

extension RTPReceiver: FeedUnpacking {}

/// The address of a feed, a source that is pushed to the engine: `udp://ADDRESS:PORT` or `rtp://ADDRESS:PORT` with an
/// optional IPv4 address, `pipe:` for the standard input of the engine, or `pipe:PATH`.
enum FeedAddress: Hashable, Sendable {
    case pipe(path: String?)
    case datagrams(FeedDescriptor.Address, isRTP: Bool)

    static func isOne(_ source: String) -> Bool {
        let head = source.prefix(8).lowercased()
        return ["udp://", "rtp://", "pipe:"].contains(where: head.hasPrefix)
    }

    init(_ source: String) throws(EngineError) {
        let scheme = source.prefix { $0 != ":" }.lowercased()
        guard scheme != "pipe" else {
            let name = String(source.dropFirst("pipe:".count))
            if ["", "0", "-"].contains(name) {
                self = .pipe(path: nil)
            } else if name.hasPrefix("/"), !name.utf8.contains(0) {
                self = .pipe(path: name)
            } else {
                throw .invalid(
                    "source",
                    "must be pipe: (the engine's standard input) or pipe: followed by an absolute path"
                )
            }
            return
        }
        let parts = source.dropFirst(scheme.count + "://".count).split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        // The part before @ names the sender, and is often empty, as in `udp://@:5000`. It is ignored: any sender is
        // accepted.
        let place = parts[0].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let halves = place.prefix { $0 != "/" }.split(separator: ":", omittingEmptySubsequences: false)
        guard halves.count == 2, let port = UInt16(halves[1]), port > 0,
            halves[0].isEmpty || Self.isAddress(halves[0])
        else {
            throw .invalid("source", "must be \(scheme)://ADDRESS:PORT with an IPv4 address, or \(scheme)://:PORT")
        }
        let options = parts.count > 1 ? parts[1].split(separator: "&") : []
        let interface = options.first { $0.hasPrefix("localaddr=") }?.dropFirst("localaddr=".count) ?? ""
        guard interface.isEmpty || Self.isAddress(interface) else {
            throw .invalid("source", "has a localaddr that is not an IPv4 address")
        }
        let address = FeedDescriptor.Address(host: String(halves[0]), port: port, interface: String(interface))
        self = .datagrams(address, isRTP: scheme == "rtp")
    }

    private static func isAddress(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        // `UInt8` accepts a sign, which addresses must not have.
        return numbers.count == 4
            && numbers.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Opens the source, and waits for its first byte.
    ///
    /// - Parameter onSource: called with the source before its first byte is waited for.
    func open(
        _ source: String,
        _ network: NetworkSettings,
        windowByteLimit: Int,
        spool: SpoolSettings?,
        interrupt: InterruptFlag,
        onSource: (FeedSource) -> Void
    ) throws(EngineError) -> FeedSource {
        let shown = ShownURL.text(of: source)
        if case .datagrams(let address, _) = self {
            try network.access.require(address.host.isEmpty ? "0.0.0.0" : address.host, for: shown)
        }
        let descriptor: FeedDescriptor
        var unpacking: (any FeedUnpacking)?
        do throws(Errno) {
            switch self {
            case .pipe(nil): descriptor = try .standardInput()
            case .pipe(let path?): descriptor = try .pipe(at: path)
            case .datagrams(let address, let isRTP):
                unpacking = RTPReceiver(takesOthers: !isRTP)
                descriptor = try .datagrams(to: address)
            }
        } catch {
            throw EngineError(.sourceNotReadable, "\(shown) could not be opened", cause: "\(error)")
        }
        let canWait = if case .pipe = self { true } else { false }
        let found = FeedSource(
            shown,
            descriptor,
            canWait: canWait,
            windowByteLimit: windowByteLimit,
            spool: spool,
            intake: { TransportIntake() },
            unpacking: unpacking
        )
        onSource(found)
        let cursor = found.cursor(interrupt)
        let first = try [UInt8](upTo: 1) { output throws(EngineError) in _ = try cursor.read(at: 0, into: &output) }
        if first.isEmpty { throw EngineError(.sourceEmpty, "\(shown) is empty") }
        return found
    }
}

/// The feeds that are open, by name. Callers that open the same address share one source, as long as it is still
/// received and none of its bytes have been dropped.
///
/// Thread-safety: safe.
final class OpenFeeds: Sendable {
    private struct Entry {
        weak var source: FeedSource?
    }

    private let entries = Locked<[String: Entry]>([:])

    func source(_ name: String) -> FeedSource? {
        entries.withLock { entries in
            entries = entries.filter { $0.value.source != nil }
            guard let source = entries[name]?.source, source.isUsable, source.growth != nil, source.oldest == 0 else {
                return nil
            }
            return source
        }
    }

    func add(_ source: FeedSource, as name: String) { entries.withLock { $0[name] = Entry(source: source) } }
}
