import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove replay`, of a data file and of a running server.
@Suite("grove replay", .ownThreads, .timeLimit(.minutes(3)))
struct ToolReplayTests {
    private static let order = """
        {"id":"sale","version":"1.0.0","initial":"cart","context":{"total":0,"paid":0},"states":{
        "cart":{"on":{"ADD":{"assign":{"total":"context.total + event.price"}},
        "CHECKOUT":"paying"}},
        "paying":{"after":{"30m":"late"},"on":{"PAY":[{"guard":"event.amount >= context.total",
        "target":"done","emit":"paid"},{"assign":{"paid":"context.paid + event.amount"}}]}},
        "late":{"type":"final"},"done":{"type":"final"}}}
        """

    /// A folder for definitions, removed with it.
    private final class Folder {
        let path = NSTemporaryDirectory() + "grove-replay-test-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        // A failed removal is left to the system's cleaning.
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String, to name: String) throws -> String {
            let file = path + "/" + name
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
    }

    private func served(_ folder: Folder) async throws -> ServedFile {
        let served = try ServedFile()
        let file = try folder.write(Self.order, to: "sale.json")
        #expect(try await Tool.run("define", file, server: served.address).code == 0)
        let client = Client(server: served.address)
        for name in ["sale/a", "sale/b", "sale/c"] {
            _ = try await client.send(to: name, event: ["type": "ADD", "price": 5])
            _ = try await client.send(to: name, event: "CHECKOUT")
        }
        _ = try await client.send(to: "sale/a", event: ["type": "PAY", "amount": 5])
        _ = try await client.send(to: "sale/b", event: ["type": "PAY", "amount": 9])
        _ = try await client.send(to: "counter/n", event: "increment")
        _ = try await client.send(to: "turnstile/t", event: "COIN")
        await client.close()
        return served
    }

    private static func changed(_ old: String, _ new: String) -> String {
        order.replacingOccurrences(of: "1.0.0", with: "2.0.0")
            .replacingOccurrences(of: old, with: new)
    }

    @Test func `a changed guard is shown alike from a server and from its file`() async throws {
        let folder = try Folder()
        let served = try await served(folder)
        let with = try folder.write(
            Self.changed("event.amount >= context", "event.amount > context"), to: "new.json")
        let live = try await Tool.run("replay", "--with", with, server: served.address)
        #expect(live.code == 1 && live.notes.isEmpty, "\(live.notes)")
        #expect(
            live.lines == [
                "differs  sale/a v3  another state",
                #"  event   {"type":"PAY","amount":5}"#,
                #"  stored  {"value":"done","context":{"total":5,"paid":0},"finished":true}"#,
                #"  new     {"value":"paying","context":{"total":5,"paid":5}}"#,
                "  in all  1 step with other outputs, ends in another state",
                "3 instances: 2 the same, 1 differ (1 in the end, 1 in outputs); 8 events",
            ])
        let flag = try await Tool.run(
            "replay", "--with", with, "--server", served.address.description)
        #expect(flag.output == live.output && flag.code == 1)
        let busy = try await Tool.run("replay", "--with", with, served.data)
        #expect(busy.code == 73 && busy.notes.contains("grove backup FILE"))
        #expect(served.stop() == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: served.data))
        let file = try await Tool.run("replay", "--with", with, served.data)
        #expect(file.code == 1 && file.output == live.output)
        #expect(try Data(contentsOf: URL(fileURLWithPath: served.data)) == before)
    }

    @Test func `programs get a line per instance and the totals, a limit bounds the first`()
        async throws
    {
        let folder = try Folder()
        let served = try await served(folder)
        #expect(served.stop() == 0)
        let with = try folder.write(
            Self.changed(#""initial":"cart","#, #""strict":true,"initial":"cart","#)
                .replacingOccurrences(of: #""CHECKOUT":"paying""#, with: #""GO":"paying""#),
            to: "new.json")
        let json = try await Tool.run("replay", "--json", "--with", with, served.data)
        let lines = try json.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(json.code == 1 && lines.count == 4)
        #expect(lines[0]["to"] == "sale/a" && lines[0]["v"] == 2)
        #expect(lines[0]["what"] == "the event is refused")
        #expect(lines[0]["event"] == "CHECKOUT" && lines[0]["new"]?["value"] == "cart")
        #expect(lines[0]["stored"]?["value"] == "paying" && lines[0]["refused"] == 2)
        #expect(lines[0]["reason"]?.string?.isEmpty == false && lines[0]["other_end"] == true)
        #expect(
            lines[3] == [
                "instances": 3, "same": 0, "differ": 3, "other_end": 3, "refuse": 3,
                "other_outputs": 0, "not_replayed": [:], "events": 8, "shown": 3,
            ])
        let one = try await Tool.run("replay", "--limit", "1", "--with", with, served.data)
        #expect(one.lines.count { $0.hasPrefix("differs  ") } == 1)
        #expect(one.lines.dropFirst(5).first == "… and 2 more instances that differ")
        let chosen = try await Tool.run(
            "replay", "--instance", "sale/c", "--with", with, served.data)
        #expect(chosen.lines.last?.hasPrefix("1 instance: 0 the same, 1 differ") == true)
        #expect(chosen.lines.last?.hasSuffix("; 2 events") == true, "\(chosen.output)")
    }

    @Test func `without a definition the machines of the program and of the data are tried`()
        async throws
    {
        let folder = try Folder()
        let served = try await served(folder)
        let all = try await Tool.run("replay", server: served.address)
        #expect(all.code == 0 && all.lines == ["5 instances: 5 the same; 10 events"])
        let newer = try folder.write(
            Self.changed(#""emit":"paid""#, #""emit":"settled""#), to: "newer.json")
        #expect(try await Tool.run("define", newer, server: served.address).code == 0)
        #expect(served.stop() == 0)
        let late = try await Tool.run("replay", served.data)
        #expect(late.code == 1 && late.output.contains(#"  new     [{"type":"settled"}]"#))
        #expect(late.output.contains("ends in the same state"))
        let counter = try await Tool.run("replay", served.data, "--machine", "counter")
        #expect(counter.code == 0 && counter.lines == ["1 instance: 1 the same; 1 event"])
    }

    @Test func `a server's copy leaves nothing behind`() async throws {
        let folder = try Folder()
        let served = try await served(folder)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["replay", "--server", served.address.description]
        process.environment = ["TMPDIR": folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["sale.json"])
        let nowhere = try await Tool.run(
            "replay", "--server", "unix:\(folder.path)/none", server: nil)
        #expect(nowhere.code == 69, "\(nowhere.notes)")
    }

    @Test func `bad files are named`() async throws {
        let folder = try Folder()
        let served = try await served(folder)
        #expect(served.stop() == 0)
        let good = try folder.write(Self.order, to: "good.json")
        let broken = try folder.write(Self.changed(#""cart":"#, #""card":"#), to: "broken.json")
        let other = try folder.write(Self.changed(#""id":"sale""#, #""id":"trip""#), to: "o.json")
        let missing = folder.path + "/none"
        let text = try folder.write("no data file", to: "text")
        for (arguments, code, words) in [
            (["--with", broken, served.data], 65, "broken.json: $.initial"),
            (["--with", good, "--with", good, served.data], 64, "define machine 'sale'"),
            (["--with", other, served.data], 1, "the data has no instance of machine trip"),
            (["--with", missing, served.data], 66, "No such file"),
            (["--with", good, missing], 66, "does not exist"),
            (["--with", good, text], 65, "text"),
            (["--machine", "door", served.data], 1, "no such instance"),
        ] as [([String], Int32, String)] {
            let outcome = try await Tool.run(["replay"] + arguments)
            #expect(outcome.code == code && outcome.notes.contains(words), "\(outcome)")
        }
    }

    @Test(arguments: [
        ["x", "--server", "localhost:1"], ["--machine", "a", "--instance", "a/b"],
        ["--instance", "a"], ["--limit", "-1"], ["--limit", "10001"], ["x", "y"],
    ])
    func `a wrong command line is 64`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["replay"] + arguments)
        #expect(outcome.code == 64 && outcome.output.isEmpty, "\(outcome.notes)")
    }
}
