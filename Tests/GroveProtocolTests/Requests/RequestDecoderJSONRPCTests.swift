import BuiltInMachines
import GroveEngine
import GroveWire
import Testing

@testable import GroveProtocol

@Suite("RequestDecoder, JSON-RPC")
struct RequestDecoderJSONRPCTests {
    private func decode(_ text: String) throws -> DecodedLine {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        return Array(text.utf8).withUnsafeBytes { decoder.decode($0) }
    }

    @Test func `params are the fields, in any order of members`() throws {
        for text in [
            #"{"jsonrpc":"2.0","id":1,"method":"get","params":{"to":"counter/a","at":3}}"#,
            #"{"params":{"at":3,"to":"counter/a"},"method":"get","jsonrpc":"2.0","id":1}"#,
        ] {
            let line = try decode(text)
            #expect(line.shape == .jsonRPC)
            guard case .operation(.get(let get)) = line.body else {
                Issue.record("\(line.body)")
                continue
            }
            #expect(get.to.text == "counter/a" && get.at == 3)
        }
    }

    @Test func `members outside of params are no fields`() throws {
        let line = try decode(
            #"{"jsonrpc":"2.0","id":1,"method":"get","to":"counter/a","op":"list"}"#)
        guard case .refusal(let error) = line.body else {
            Issue.record("\(line.body)")
            return
        }
        #expect(error.path == "$.params.to")
    }

    @Test func `the next plain line has its fields at its root again`() throws {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        func take(_ text: String) -> DecodedLine {
            Array(text.utf8).withUnsafeBytes { decoder.decode($0) }
        }
        _ = take(#"{"jsonrpc":"2.0","id":1,"method":"get","params":{"to":"bad"}}"#)
        let line = take(#"{"op":"history","id":1,"to":"counter/a","after":7}"#)
        guard case .operation(.history(let history)) = line.body else {
            Issue.record("\(line.body)")
            return
        }
        #expect(line.shape == .plain && history.after == 7)
    }

    @Test func `only the string 2.0 marks a line as JSON-RPC`() throws {
        for version in [#""1.0""#, "2.0", "null", #"["2.0"]"#] {
            let line = try decode(#"{"jsonrpc":\#(version),"id":1,"method":"stats"}"#)
            #expect(line.shape == .plain, "\(version)")
        }
    }

    @Test func `a line without a form is recognized`() throws {
        #expect(try decode("{").shape == nil)
        #expect(try decode("5").shape == nil)
        let array = try decode("[]")
        #expect(array.shape == nil && array.isArray)
    }

    @Test func `a batch has paths down to its items' values`() throws {
        let line = try decode(
            #"{"jsonrpc":"2.0","id":1,"method":"batch","params":{"items":[{"to":"x"},7]}}"#)
        guard case .operation(.batch(let batch)) = line.body else {
            Issue.record("\(line.body)")
            return
        }
        let paths = batch.items.map { item in
            if case .refused(.badRequest(let path, _)) = item { path } else { "?" }
        }
        #expect(paths == ["$.params.items[0].to", "$.params.items[1]"])
    }
}
