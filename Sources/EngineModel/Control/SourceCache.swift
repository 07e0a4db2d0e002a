// SPDX-License-Identifier: Apache-2.0

/// The cache of sources on servers: its size, and how much of each source it holds.
public struct SourceCacheReport: Hashable, Sendable {
    /// One part of the cache: memory, or disk.
    public struct Store: Hashable, Sendable {
        public var byteCount: UInt64
        public var byteLimit: UInt64

        public init(byteCount: UInt64, byteLimit: UInt64) {
            self.byteCount = byteCount
            self.byteLimit = byteLimit
        }
    }

    public struct Source: Hashable, Sendable {
        /// Without user name, password and query.
        public var url: String
        /// The length of the source.
        public var byteCount: UInt64
        public var memoryByteCount: UInt64
        public var diskByteCount: UInt64
        /// When the source was last read, in microseconds since 1970-01-01T00:00:00Z.
        public var lastUseUnixMicroseconds: Int64
        /// Whether the source is open.
        public var isInUse: Bool

        public init(
            url: String,
            byteCount: UInt64,
            memoryByteCount: UInt64,
            diskByteCount: UInt64,
            lastUseUnixMicroseconds: Int64,
            isInUse: Bool
        ) {
            self.url = url
            self.byteCount = byteCount
            self.memoryByteCount = memoryByteCount
            self.diskByteCount = diskByteCount
            self.lastUseUnixMicroseconds = lastUseUnixMicroseconds
            self.isInUse = isInUse
        }
    }

    public var memory: Store
    /// `nil` if nothing is cached on disk.
    public var disk: Store?
    /// The directory of the cache on disk; empty if nothing is cached there.
    public var directory = ""
    /// The reason why nothing is written to disk at the moment; empty if there is no problem.
    public var problem = ""
    /// The most recently used first.
    public var sources: [Source] = []

    public init(memory: Store, disk: Store? = nil) {
        self.memory = memory
        self.disk = disk
    }
}

/// The numbers of sources and bytes that were removed from the cache.
public struct SourceCacheClearing: Hashable, Sendable {
    public var sources: Int
    /// On disk and in memory.
    public var byteCount: UInt64

    public init(sources: Int, byteCount: UInt64) {
        self.sources = sources
        self.byteCount = byteCount
    }
}
