import ArgumentParser
import GroveAccess
import GroveClient
import OrderedJSON

struct AccountsApply: AccountsDocumentCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make the accounts those of a document: all or nothing.",
        discussion: """
            Reads a document as 'grove accounts export' writes it, from a file or with - from \
            standard input. Principals that aren't in it are revoked; an account without the \
            member tokens keeps those that it has. Prints the difference: + for what comes, - for \
            what goes, ~ for what differs.

              grove accounts apply accounts.json --dry-run
              grove accounts apply accounts.json
              jq 'del(.principals.old)' accounts.json | grove accounts apply -

            Exit code 65 means that the document has problems, which are listed with their paths.
            """)

    static var createsFile: Bool { true }

    @Argument(help: "The document; - for standard input.", completion: .file()) var file: String
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        let bytes = try InputFile.read(
            file == "-" ? "/dev/stdin" : file, bytesMax: AccountsDocument.jsonLimits.bytesMax,
            format)
        do throws(AccountsProblems) {
            _ = try AccountsDocument(parsing: bytes)
        } catch {
            let name = file == "-" ? "standard input" : file
            for problem in error.listed { Output.note("\(name): \(problem)") }
            if error.others > 0 { Output.note("\(name): and \(error.others) more problems") }
            if format.json {
                let failure = Failures.json(try AccountsRefusal.problems(error).clientError)
                // The exit code says it too, and a closed output must not change that.
                try? Output.line(failure)
            }
            throw ExitCode.dataError
        }
        do {
            try show(try await place.apply(bytes, changes.mode))
        } catch ClientError.invalidRequest(let reason) {
            throw ClientError.invalidRequest(
                reason + ": give the server a larger max-line, or stop it and use --data FILE")
        } catch let error as ClientError {
            throw try refusal(error)
        } catch let refused as AccountsRefusal {
            throw try refusal(try refused.clientError)
        }
    }

    /// What to throw for an error: one about the document is reported here.
    private func refusal(_ error: ClientError) throws -> any Error {
        guard case .server(let answer) = error, answer.data?["problems"] != nil else {
            return error
        }
        // The exit code says it too, and a closed output must not change that.
        try? report(error)
        return ExitCode.dataError
    }
}
