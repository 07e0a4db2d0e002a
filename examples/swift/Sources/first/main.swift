// SPDX-License-Identifier: Apache-2.0

import EngineClient
import Foundation

let client = try await EngineClient.connect(socket: ProcessInfo.processInfo.environment["ENGINED_SOCKET"])
print(try await client.load(LoadRequest(source: CommandLine.arguments[1])).url)
for try await event in client.follow() { print(event) }
