import ArgumentParser
import GroveClient
import OrderedJSON
import Statecharts

struct Define: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add machines as data: statecharts that the server runs from now on.",
        discussion: """
            New instances use the new version; existing ones keep theirs, see 'grove migrate'. A \
            version never changes: a changed definition needs a version of its own, or none. Every \
            file is checked before the first one is sent.

              grove define order.json
              grove define machines/*.json --dry-run

            Exit codes: 0 done, 1 the server refused a definition, 65 a file has errors, 66 there \
            is no such file.
            """)

    @Argument(help: "Files with a definition in JSON.", completion: .file()) var files: [String]
    @Flag(help: "Only check everything, here and on the server.") var dryRun = false
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        var definitions: [(file: String, json: JSONValue)] = []
        var isBroken = false
        for file in files {
            let bytes = try InputFile.read(file, bytesMax: ChartLimits.definitionBytesMax, format)
            do throws(ChartProblems) {
                let json = try Chart.json(parsing: bytes)
                _ = try Chart(parsing: bytes)
                definitions.append((file, json))
                // The request is an object around it.
                guard JSONDepth.exceeds(JSONLimits().depthMax - 1, in: bytes) else { continue }
                isBroken = true
                let reason = "\(file): this is nested more than \(JSONLimits().depthMax - 1) deep"
                Output.note(
                    reason
                        + ", and a line can't be: put it into the folder of the server's "
                        + "machines-dir")
                format.showFailure(.dataError, reason)
            } catch {
                isBroken = true
                _ = error.report(file, format)
            }
        }
        guard !isBroken else { throw ExitCode.dataError }
        for (file, json) in definitions {
            do { try await define(json, of: file, with: client) } catch let error as ClientError {
                if files.count > 1 { Output.note("\(file) isn't defined:") }
                throw error
            }
        }
    }

    private func define(_ json: JSONValue, of file: String, with client: Client) async throws {
        let answer = try await client.define(json, isTrial: dryRun)
        for warning in answer.warnings {
            Output.note("warning: \(file): \(warning.path): \(warning.message)")
        }
        if let present = answer.present {
            Output.note(
                "warning: \(file): new instances use the later version \(present): a change needs "
                    + "a version after it")
        }
        let word = !answer.changed ? "unchanged" : dryRun ? "would be defined" : "defined"
        try show(answer.reply, as: "\(answer.name) \(answer.version) \(word)")
    }
}
