// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Synchronization

/// Holds the player of each session, in one slot per session of a file that is mapped into memory. Writing a slot takes
/// a fraction of a microsecond and no system call, and the data survives when the process is killed.
///
/// A slot has two copies, each with a checksum, which are written in turn: if the process is killed while it writes
/// one, the other is still valid. Layout, in words of 64 bits: the header is magic, ending, crash (written by the
/// signal handler), and the times of `RecentCrashes`; a slot is the hash of the session's token, its history, and the
/// copies: stamp, four words, checksum.
///
/// Thread-safety: safe.
final class PlayerSlots: Sendable {
    static let magic: UInt64 = 0x3130_5945_414C_5047
    static let count = 1024
    static let headerBytes = 64
    static let slotBytes = 128
    /// The position of the first of the words with the times of crashes.
    static let crashTimes = 24
    /// The value of the header's second word after a clean end.
    static let cleanEnd: UInt64 = 0x636C_6561_6E00_0001

    private let file: MappedFile
    private let path: String
    private let free = Locked(Array((0..<count).reversed()))

    /// Creates the file beside the previous process's file, which stays in place until `adopt`.
    init(path: String) throws(SystemError) {
        self.path = path
        file = try MappedFile(creating: "\(path).new", byteCount: Self.headerBytes + Self.count * Self.slotBytes)
        file.store(Self.magic, at: 0)
    }

    /// Replaces the previous process's file, so that the next process reads this one. From now on, a crash of this
    /// process is noted in it.
    func adopt() throws(Errno) {
        try SmallFile.move("\(path).new", to: path)
        file.noteCrashes(at: 16)
    }

    /// A slot for the session with this token. `nil` if none is free.
    func take(_ token: String) -> PlayerSlot? {
        guard let index = free.withLock({ $0.popLast() }) else { return nil }
        let offset = Self.headerBytes + index * Self.slotBytes
        return PlayerSlot(file, at: offset, tag: UInt32(index + 1), token: StableHash(of: token.utf8).value)
    }

    /// Frees a slot, unless it has been freed already.
    func release(_ slot: PlayerSlot) {
        guard slot.end() else { return }
        free.withLock { $0.append(Int(slot.tag) - 1) }
    }

    /// Records the crashes up to the start of this process.
    func note(_ crashes: RecentCrashes) {
        for (place, time) in crashes.times.prefix(RecentCrashes.limit).enumerated() {
            file.store(UInt64(bitPattern: time), at: Self.crashTimes + place * 8)
        }
    }

    /// Records that the process ends normally.
    func close() { file.store(Self.cleanEnd, at: 8) }
}

/// The slot of one session.
///
/// Thread-safety: `write` is called by the session's actor only.
final class PlayerSlot: Sendable {
    /// Identifies the session to `CrashTag`; above 0.
    let tag: UInt32
    private let file: MappedFile
    private let offset: Int
    private let token: UInt64
    private let isRowWritten = Atomic(false)

    fileprivate init(_ file: MappedFile, at offset: Int, tag: UInt32, token: UInt64) {
        (self.file, self.offset, self.tag, self.token) = (file, offset, tag, token)
        for word in 0..<PlayerSlots.slotBytes / 8 { file.store(0, at: offset + word * 8) }
        file.store(token, at: offset)
    }

    /// - Returns: `false` if the slot was not this session's any more.
    fileprivate func end() -> Bool {
        guard isOwn else { return false }
        file.store(0, at: offset)
        return true
    }

    /// Whether the database has a row of the session. Without one, the next process ignores the slot. Safe from any
    /// thread.
    var hasRow: Bool { isRowWritten.load(ordering: .acquiring) }

    /// The first commit of the session's row has succeeded. Safe from any thread.
    func rowIsWritten() { isRowWritten.store(true, ordering: .releasing) }

    /// Whether the slot is still this session's.
    private var isOwn: Bool { file.load(at: offset) == token }

    /// - Parameter stamp: above the stamp of every earlier call.
    func write(_ player: PlayerRecord, stamp: UInt64) {
        guard isOwn else { return }
        let (first, second) = (offset + 16, offset + 64)
        let copy = file.load(at: first) <= file.load(at: second) ? first : second
        let words = player.words
        file.store(0, at: copy + 40)
        file.store(stamp, at: copy)
        file.store(words.0, at: copy + 8)
        file.store(words.1, at: copy + 16)
        file.store(words.2, at: copy + 24)
        file.store(words.3, at: copy + 32)
        file.store(checksum(of: stamp, words), at: copy + 40)
    }

    func write(_ history: CrashHistory, _ activity: CrashHistory.Activity) {
        guard isOwn else { return }
        file.store(PackedHistory(history, activity).packed, at: offset + 8)
    }
}

/// A session's history and activity in one word, so that they are stored atomically.
struct PackedHistory: Hashable {
    let history: CrashHistory
    let activity: CrashHistory.Activity

    init(_ history: CrashHistory, _ activity: CrashHistory.Activity) {
        (self.history, self.activity) = (history, activity)
    }

    /// From the top: a check of 16 bits, 4 bits each for the activity and the two counts, the time of the last crash in
    /// 36 bits.
    var packed: UInt64 {
        var word = UInt64(activity.rawValue) << 44
        word |= UInt64(min(history.crashes, 15)) << 40 | UInt64(min(history.killedOpenings, 15)) << 36
        word |= UInt64(clamping: history.lastCrash) & 0xF_FFFF_FFFF
        return word | Self.check(word) << 48
    }

    init?(packed: UInt64) {
        let word = packed & 0xFFFF_FFFF_FFFF
        guard packed >> 48 == Self.check(word),
            let activity = CrashHistory.Activity(rawValue: UInt8(word >> 44 & 15))
        else { return nil }
        self.activity = activity
        history = CrashHistory(
            crashes: Int(word >> 40 & 15),
            killedOpenings: Int(word >> 36 & 15),
            lastCrash: Int64(word & 0xF_FFFF_FFFF)
        )
    }

    private static func check(_ word: UInt64) -> UInt64 { checksum(of: word, (0, 0, 0, 1)) >> 48 }
}

/// The slots that the previous process left. Pure; the file may contain anything.
struct RestoredSlots: Hashable {
    struct Slot: Hashable {
        var player: PlayerRecord?
        var stamp: UInt64 = 0
        var history = CrashHistory()
        var activity = CrashHistory.Activity.resting
        var tag: UInt32 = 0
    }

    /// Whether the file was a complete file of slots, or was missing.
    let isReadable: Bool
    let ending: CrashHistory.Ending
    /// Whether a copy of a player has a wrong checksum. A process that was killed while it wrote one has left 0.
    private(set) var hasDamagedCopies = false
    /// By the hash of the session's token.
    private(set) var slots: [UInt64: Slot] = [:]
    private(set) var lastStamp: UInt64 = 0
    /// Without the one that ended the previous process.
    private var earlierCrashes = RecentCrashes()

    /// For a missing file.
    init() { (isReadable, ending) = (true, .clean) }

    init(_ bytes: [UInt8]) {
        func word(_ offset: Int) -> UInt64 {
            (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
        }
        guard bytes.count >= PlayerSlots.headerBytes, word(0) == PlayerSlots.magic else {
            (isReadable, ending) = (false, .clean)
            return
        }
        let count = min(PlayerSlots.count, (bytes.count - PlayerSlots.headerBytes) / PlayerSlots.slotBytes)
        isReadable = bytes.count == PlayerSlots.headerBytes + PlayerSlots.count * PlayerSlots.slotBytes
        let crash = word(16)
        ending =
            crash != 0
            ? .crashed(tag: UInt32(crash >> 32)) : word(8) == PlayerSlots.cleanEnd ? .clean : .killed
        let times = (0..<RecentCrashes.limit).map { Int64(bitPattern: word(PlayerSlots.crashTimes + $0 * 8)) }
        earlierCrashes = RecentCrashes(times)
        for index in 0..<count {
            let offset = PlayerSlots.headerBytes + index * PlayerSlots.slotBytes
            let token = word(offset)
            guard token != 0 else { continue }
            var slot = Slot(tag: UInt32(index + 1))
            if let kept = PackedHistory(packed: word(offset + 8)) {
                (slot.history, slot.activity) = (kept.history, kept.activity)
            }
            for copy in [offset + 16, offset + 64] {
                let (stamp, words) = (word(copy), (word(copy + 8), word(copy + 16), word(copy + 24), word(copy + 32)))
                let sum = word(copy + 40)
                guard sum == checksum(of: stamp, words), let player = PlayerRecord(words: words) else {
                    hasDamagedCopies = hasDamagedCopies || sum != 0
                    continue
                }
                guard stamp > slot.stamp else { continue }
                (slot.player, slot.stamp) = (player, stamp)
            }
            lastStamp = max(lastStamp, slot.stamp)
            slots[token] = slot
        }
    }

    /// The crashes up to now: that of the previous process, if it crashed, and those before.
    func crashes(at now: Int64) -> RecentCrashes {
        var crashes = earlierCrashes
        if case .crashed = ending { crashes.note(at: now) }
        return crashes
    }

    func holdsPlayer(ofToken token: String) -> Bool { slots[StableHash(of: token.utf8).value]?.player != nil }

    /// The slot of a session. If the process crashed or was killed, and the session may be to blame, that has been
    /// added to the session's history.
    func slot(ofToken token: String, at now: Int64) -> Slot? {
        guard var slot = slots[StableHash(of: token.utf8).value] else { return nil }
        let isOpeningAnywhere = slots.values.contains { $0.activity == .opening }
        slot.history.ended(ending, slot.activity, tag: slot.tag, isOpeningAnywhere: isOpeningAnywhere, at: now)
        return slot
    }
}

/// A checksum over words, a whole word at a time. It detects accidents, not forgeries: only the user can write the
/// file.
private func checksum(of stamp: UInt64, _ words: (UInt64, UInt64, UInt64, UInt64)) -> UInt64 {
    func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 29
    }
    return mixed(mixed(mixed(mixed(mixed(0xCBF2_9CE4_8422_2325, stamp), words.0), words.1), words.2), words.3)
}
