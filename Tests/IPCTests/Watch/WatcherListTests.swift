// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("The watches in order of arrival", .timeLimit(.minutes(10)))
struct WatcherListTests {
    private func watchers(_ count: Int) -> [Watcher] {
        (0..<count).map { _ in Watcher(options: WatchOptions(timeInterval: nil)) {} }
    }

    @Test("removing watches keeps the others in order", arguments: [1, 2, 3, 7])
    func order(step: Int) {
        var list = WatcherList()
        let all = watchers(500)
        for watcher in all { list.add(watcher) }
        var left = all
        for index in stride(from: 499, through: 0, by: -step) {
            list.remove(all[index])
            left.remove(at: index)
            #expect(list.count == left.count)
        }
        #expect(list.elementsEqual(left) { $0 === $1 })
        let late = watchers(3)
        for watcher in late { list.add(watcher) }
        #expect(list.elementsEqual(left + late) { $0 === $1 })
        #expect(late.allSatisfy { $0.listIndex < 2 * left.count + 100 }, "the list shrinks when watchers leave it")
    }

    @Test("removing a watch that is not in the list removes no other")
    func strangers() {
        var list = WatcherList()
        let all = watchers(3)
        for watcher in all { list.add(watcher) }
        list.remove(all[0])
        list.remove(all[0])
        for watcher in watchers(2) { list.remove(watcher) }
        #expect(list.elementsEqual(all.dropFirst()) { $0 === $1 })
    }
}
