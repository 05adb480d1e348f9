import ArgumentParser
import Statecharts

struct TestCharts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run behavior tests of statecharts.",
        discussion: """
            Each test is an object in a file, or in a list: machine is the definition, initial \
            the active states after the start, and steps what happens then, each with after_ms, \
            event and the expected states. With expect_final instead, the machine runs by itself, \
            with the definitions in machines beside it, and must end in that state; time is \
            virtual and moves only when nothing else can happen. No server is needed.

              grove test --cases order.tests.json

            Prints a line for each test that fails, then the number of those that pass and of all.

            Exit codes: 0 all pass, 1 a test fails, 65 a file is wrong, 66 there is no such file.
            """)

    @Argument(help: "Files of tests.", completion: .file()) var files: [String]
    @Flag(help: "The files have tests in the form above; the only form so far.")
    var cases = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        guard cases else { throw ValidationError("Name the form of the tests: --cases.") }
    }

    func run() async throws {
        try CaseFiles.run(files, format) { json in
            let test = ChartCase(json)
            return (test.name, test.problem())
        }
    }
}
