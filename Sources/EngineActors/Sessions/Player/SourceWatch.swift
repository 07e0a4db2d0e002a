// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Reading

/// Publishes why the source of a session delivers nothing, from before its server has answered until the session ends,
/// and how much of a disc cannot be read.
///
/// Belongs to the session's actor.
final class SourceWatch {
    /// A source that is being opened, and its waits, including those before its first bytes.
    struct PendingSource: Sendable {
        let source: any ByteSource
        let waits: AsyncStream<SourceDelivery>

        /// Called before the source waits, so that no wait is missed.
        init(_ source: any ByteSource) { (self.source, waits) = (source, source.waits()) }
    }

    private let setup: SessionSetup
    private let media: SessionMedia
    private let transport: SessionTransport
    private var followed: (any ByteSource)?
    private var reader: Task<Void, Never>?
    private var lossReader: Task<Void, Never>?
    /// The number of lost blocks that was published last.
    private var publishedLosses = 0

    init(_ setup: SessionSetup, _ media: SessionMedia, _ transport: SessionTransport) {
        (self.setup, self.media, self.transport) = (setup, media, transport)
    }

    // Otherwise the task would wait forever if another session uses the source.
    deinit {
        reader?.cancel()
        lossReader?.cancel()
    }

    /// The source that is being opened is known.
    func sourceFound(_ pending: PendingSource, of session: isolated PlaybackSession) {
        media.sourceFound(pending.source)
        if media.source === pending.source { follow(pending.source, pending.waits, of: session) }
    }

    /// The source is open.
    func follow(_ source: any ByteSource, of session: isolated PlaybackSession) {
        follow(source, nil, of: session)
    }

    /// Follows a source instead of the previous one: a list or title instead of the resource it was found in, or a
    /// shared source that turned out to be the same version.
    private func follow(
        _ source: any ByteSource,
        _ waits: AsyncStream<SourceDelivery>?,
        of session: isolated PlaybackSession
    ) {
        guard source !== followed else { return }
        stop()
        followed = source
        reader = (waits ?? source.waits()).deliver(to: session) { session, delivery in await session.take(delivery) }
        lossReader = source.blockLosses().deliver(to: session) { session, count in
            await session.take(lostBlocks: count)
        }
    }

    /// Blocks of a disc could not be read. After the first one, this is published whenever their number has doubled.
    func take(lostBlocks count: Int) {
        guard count >= 2 * publishedLosses, let source = followed else { return }
        publishedLosses = count
        setup.publish(.unreadable(count, of: source.path))
    }

    /// The source has stopped or resumed delivering, or the wait for it has ended without bytes.
    func take(_ delivery: SourceDelivery, isolation: isolated (any Actor)? = #isolation) {
        setup.publish { $0.sourceWait = delivery.wait }
        transport.count { _ in true }
        let source = SourceOpener.shown(media.refreshed(setup.request).source)
        if let notice = Notice.of(delivery, at: source) { setup.publish(notice) }
    }

    /// Follows no source any more.
    func stop() {
        reader?.cancel()
        lossReader?.cancel()
        (reader, lossReader, followed, publishedLosses) = (nil, nil, nil, 0)
        setup.publish { $0.sourceWait = nil }
    }
}
