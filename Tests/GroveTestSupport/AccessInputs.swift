import GroveAccess
public import GroveEngine
import GroveProtocol
import GroveWire
import OrderedJSON

/// Checks of what administrators and strangers write: grants, tokens, documents of accounts, and
/// the bytes of a client that nobody knows. For fuzzers: each returns what is wrong with the answer
/// to any bytes.
public enum AccessInputs {
    /// Grants: one that is read is written as a text that reads as the same, and can decide.
    public static func problem(ofGrant bytes: [UInt8]) -> String? {
        guard let grant = read(bytes) else { return nil }
        let text = grant.description
        guard read(Array(text.utf8)) == grant else { return "\(text) reads as something else" }
        guard let name = try? PrincipalName("shop") else { return "shop is no name" }
        let table = GrantTable(name, [grant])
        return bytes.withUnsafeBytes { bytes in
            for verb in Verb.allCases where !grant.verbs.contains(verb) {
                guard !table.allows(verb, bytes, bytes, eventType: bytes) else {
                    return "\(text) allows \(verb)"
                }
            }
            return nil
        }
    }

    private static func read(_ bytes: [UInt8]) -> Grant? {
        // Bytes that are no grant are refused, and nothing else.
        String(validating: bytes, as: UTF8.self).flatMap { try? Grant($0) }
    }

    /// Tokens: one that is read has exactly these bytes, and an id that reads as itself.
    public static func problem(ofToken bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { bytes -> String? in
            guard let token = BearerToken(bytes) else { return nil }
            guard token.withBytes({ $0.elementsEqual(bytes) }) else { return "other bytes" }
            return TokenID(token.id.text) == token.id ? nil : "the id is none"
        }
    }

    /// Documents: one that is read is written as one that differs in nothing.
    public static func problem(ofDocument bytes: [UInt8]) -> String? {
        // Bytes that are no document are refused with a list of problems, and nothing else.
        guard let document = try? AccountsDocument(parsing: bytes) else { return nil }
        let written = document.serialized()
        guard let again = try? AccountsDocument(parsing: written) else {
            return "can't be read once written: \(String(decoding: written, as: UTF8.self))"
        }
        guard again.serialized() == written else { return "is written in two ways" }
        // Tokens are made by a server only, so a document with new ones can't be applied.
        let difference = try? AccountsDifference(from: document, to: again)
        return difference?.isEmpty == true ? nil : "differs from itself"
    }

    /// A client that nobody knows, of a server with accounts: none of its lines is carried out, and
    /// it doesn't matter where its bytes are cut.
    public static func problem(
        ofUnknown bytes: [UInt8], in catalogue: Catalogue
    ) throws -> String? {
        let whole = try answers([bytes[...]], catalogue)
        let middle = bytes.count / 2
        let pieces = try answers([bytes[..<middle], bytes[middle...]], catalogue)
        guard whole == pieces else { return "it matters where the bytes are cut" }
        let text = String(decoding: whole.dropFirst(), as: UTF8.self)
        for line in text.split(separator: "\n").dropFirst() where line.contains(#""ok":true"#) {
            guard line.contains(#""session":"#) else { return "carried out: \(line)" }
        }
        return nil
    }

    private static func answers(
        _ pieces: [ArraySlice<UInt8>], _ catalogue: Catalogue
    ) throws -> [UInt8] {
        let store = MemoryStore()
        let server = InMemoryServer(
            catalogue: catalogue, store: store,
            now: Moment(uptime: 0, time: Timestamp(milliseconds: 0)))
        let owner = server.connect(as: ClientOrigin(address: "unix", isLocal: true, isOwner: true))
        let line =
            #"{"op":"token","action":"create","principal":"ops","grants":["admin */*"]}"# + "\n"
        try server.receive(Array(line.utf8), from: owner)
        try server.flush()
        let head = store.head
        let id = server.connect()
        for piece in pieces where !piece.isEmpty { try server.receive(piece, from: id) }
        try server.flush()
        guard store.head == head else { return Array("\n{\"ok\":true,\"written\":1}\n".utf8) }
        return try server.read(id)
    }
}
