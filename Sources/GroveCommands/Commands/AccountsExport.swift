import ArgumentParser
import GroveClient
import OrderedJSON

struct AccountsExport: AccountsDocumentCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all accounts as one JSON document.",
        discussion: """
            One principal a line, by name, so that two documents can be compared; with --json all \
            of it in one line. 'grove accounts apply' reads it.

              grove accounts export > accounts.json
            """)

    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        let parts = try await place.accounts().map(Self.member)
        let separator = format.json ? "" : "\n"
        let body = parts.map { separator + $0 }.joined(separator: ",")
        try Output.line(Array((#"{"accounts":1,"principals":{"# + body + separator + "}}").utf8))
    }

    /// A principal as a member of the document.
    static func member(_ account: PrincipalSummary) throws -> String {
        var object = try JSONValue(parsing: account.text).object ?? JSONObject()
        object["name"] = nil
        var writer = JSONWriter()
        writer.string(account.name)
        writer.literal(":")
        writer.raw(JSONValue.object(object).serialized())
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
