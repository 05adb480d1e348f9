import ArgumentParser
import Statecharts

struct TestCharts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run behavior tests of statecharts.",
        discussion: """
            Runs conversations: the transcripts of 'grove simulate', which lie beside a definition \
            NAME.json as NAME.conversation or NAME.WHAT.conversation. A file can be a definition, \
            a conversation, or a folder of them. --update rewrites those that differ.

              grove test order.json
              grove test machines --update

            With --cases, each test is an object in a file, or in a list: machine is the \
            definition, initial the active states after the start, and steps what happens then, \
            each with after_ms, event and the expected states. With expect_final instead, the \
            machine runs by itself, with the definitions in machines beside it, and must end in \
            that state; time is virtual and moves only when nothing else can happen.

              grove test --cases order.tests.json

            Prints a line for each that fails, then the number of those that pass and of all. No \
            server is needed.

            Exit codes: 0 all pass, 1 a test fails, 65 a file is wrong, 66 there is no such file, \
            or no conversation.
            """)

    @Argument(help: "Definitions, conversations or folders.", completion: .file())
    var files: [String]
    @Flag(help: "The files have tests as JSON.") var cases = false
    @Flag(help: "Rewrite conversations that differ.") var update = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if cases && update { throw ValidationError("--update is for conversations.") }
    }

    func run() async throws {
        guard cases else {
            var conversations = ConversationFiles(format, updates: update)
            return try conversations.run(files)
        }
        try CaseFiles.run(files, format) { json in
            let test = ChartCase(json)
            return (test.name, test.problem())
        }
    }
}
