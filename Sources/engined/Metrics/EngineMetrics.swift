// SPDX-License-Identifier: Apache-2.0

internal import Sessions
internal import EngineModel
internal import EngineRuntime
internal import Server
internal import Loopback

/// Collects the metrics of all components. They identify neither sources nor users.
final class EngineMetrics: Sendable {
    private let engine: Engine
    private let server = Locked<IPCServer?>(nil)

    init(engine: Engine) { self.engine = engine }

    /// Adds the control server once it is running.
    func attach(_ server: IPCServer) { self.server.withLock { $0 = server } }

    func text(_ http: ServeCounters) async -> String {
        var metrics = MetricsText()
        await addSessions(to: &metrics)
        addHTTP(http, to: &metrics)
        if let counts = await server.withLock({ $0 })?.counts {
            metrics.add(.gauge, "control_connections", counts.connections, help: "Connections to the control socket.")
            metrics.add(.gauge, "control_watches", counts.watches, help: "Watch calls in progress.")
            metrics.add(.gauge, "control_calls", counts.runningTasks, help: "Other calls in progress.")
        }
        metrics.add(.gauge, "resident_memory_bytes", residentMemory(), help: "Resident memory of the process.")
        return metrics.text
    }

    private func addSessions(to metrics: inout MetricsText) async {
        let sessions = await engine.sessions().sessions
        let counts = Dictionary(grouping: sessions, by: \.phase.name).mapValues { UInt64($0.count) }
        let values = Phase.Name.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
        metrics.add(.gauge, "sessions", by: "phase", values, help: "Loaded sessions.")
        func sum(_ value: (Production) -> UInt64) -> UInt64 { sessions.reduce(0) { $0 + value($1.production) } }
        metrics.add(.gauge, "cached_bytes", sum(\.cachedBytes), help: "Bytes of finished segments in memory.")
        metrics.add(.gauge, "segments_made", sum(\.segmentsProduced), help: "Segments produced by the loaded sessions.")
        metrics.add(.gauge, "segments_evicted", sum(\.segmentsEvicted), help: "Segments evicted from the cache.")
        addServers(sessions, to: &metrics)
        let cache = engine.servers.cacheReport
        metrics.add(.gauge, "source_cache_memory_bytes", cache.memory.byteCount, help: "Bytes of sources in memory.")
        metrics.add(.gauge, "source_cache_disk_bytes", cache.disk?.byteCount ?? 0, help: "Bytes of sources on disk.")
        metrics.add(.gauge, "packed_bytes", sum(\.bytesProduced), help: "Bytes packaged by the loaded sessions.")
    }

    /// The counters include sources that are no longer in use; round trip and bandwidth are those of each session's
    /// source.
    private func addServers(_ sessions: [SessionState], to metrics: inout MetricsText) {
        let traffic = engine.servers.traffic
        metrics.add(.counter, "source_requests_total", traffic.requests, help: "Requests to servers of sources.")
        metrics.add(.counter, "source_retries_total", traffic.retries, help: "Requests repeated after a failure.")
        metrics.add(.counter, "source_bytes_total", traffic.byteCount, help: "Bytes received from servers of sources.")
        metrics.add(.counter, "source_cache_hits_total", traffic.cacheHits, help: "Reads of sources that did not wait.")
        let disk = "Bytes of sources that were taken from disk."
        metrics.add(.counter, "source_disk_bytes_total", traffic.diskByteCount, help: disk)
        func add(_ name: String, _ value: (SourceTraffic) -> UInt64, help: String) {
            let values = sessions.filter { $0.statistics.traffic.requests > 0 }
                .map { ($0.id.rawValue, value($0.statistics.traffic)) }
            metrics.add(.gauge, name, by: "session", values, help: help)
        }
        let roundTrip = "From the last request for a session's source to the first byte of its response."
        add("source_round_trip_microseconds", \.roundTripMicroseconds, help: roundTrip)
        let bandwidth = "Mean bandwidth of a session's source in bytes per second, with a half-life of"
        add("source_bandwidth_fast", \.fastBytesPerSecond, help: "\(bandwidth) 3 s.")
        add("source_bandwidth_slow", \.slowBytesPerSecond, help: "\(bandwidth) 9 s.")
    }

    private func addHTTP(_ http: ServeCounters, to metrics: inout MetricsText) {
        metrics.add(.gauge, "http_connections", http.openConnections, help: "Open HTTP connections.")
        metrics.add(.counter, "http_connections_total", http.acceptedConnections, help: "HTTP connections accepted.")
        metrics.add(.counter, "http_refused_total", http.refusedConnections, help: "HTTP connections rejected.")
        metrics.add(.counter, "http_requests_total", http.requests, help: "HTTP requests.")
        metrics.add(.counter, "http_errors_total", http.refusals, help: "HTTP responses with status 400 or above.")
        metrics.add(.counter, "http_body_bytes_total", http.bodyBytes, help: "Response body bytes sent.")
        metrics.add(.counter, "http_abandoned_total", http.abandonedRequests, help: "Requests given up while held.")
        metrics.add(.counter, "http_timeouts_total", http.timeouts, help: "Requests and connections past a deadline.")
    }
}
