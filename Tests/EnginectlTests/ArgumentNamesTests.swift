// SPDX-License-Identifier: Apache-2.0

import EngineClient
import Testing

@testable import enginectl

@Suite("Errors name arguments", .timeLimit(.minutes(1)))
struct ArgumentNamesTests {
    @Test(
        "An error of the engine names the argument in place of the field",
        arguments: [
            ("filter_id 9 is not a filter", "filter_id", "filter 9 is not a filter"),
            ("filter.options[sigma] is missing", "filter.options[sigma]", "sigma is missing"),
            ("options.title is 3, but there are 2", "options.title", "--title is 3, but there are 2"),
            ("source is not a URL", "source", "\"nope\" is not a URL"),
            // A message that does not begin with the field, a field that no argument has, and no field.
            ("/a.srt does not exist", "file.path", "/a.srt does not exist"),
            ("filter_identity is odd", "filter_id", "filter_identity is odd"),
            ("data is empty", "data", "data is empty"),
            ("it failed", "", "it failed"),
        ]
    )
    func messages(message: String, field: String, shown: String) {
        let error = EngineClientError(.invalidArgument, message, field: field)
        let names: ArgumentNames = ["source": "\"nope\""]
        #expect(names.message(of: error) == shown)
        #expect(Failure(error, naming: names) == Failure(.failed, shown))
    }
}
