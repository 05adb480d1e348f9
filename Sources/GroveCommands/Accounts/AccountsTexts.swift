import GroveAccess
import GroveClient

// Reading the texts of a command line as the server reads those of a request.

extension PrincipalName {
    /// Reads a name; also `anonymous`.
    init(reading text: String) throws(AccountsRefusal) {
        if text == PrincipalName.anonymous.text {
            self = .anonymous
            return
        }
        do throws(PrincipalNameError) {
            self = try PrincipalName(text)
        } catch {
            throw .badRequest(path: "$.principal", message: error.description)
        }
    }
}

extension Grant {
    /// Reads a grant that stands at a path of the request.
    init(reading text: String, _ path: String) throws(AccountsRefusal) {
        do throws(GrantTextError) {
            self = try Grant(text)
        } catch {
            throw .badRequest(path: path, message: error.description)
        }
    }
}

extension Identity {
    /// Reads an identity that stands at a path of the request.
    init(reading text: String, _ path: String) throws(AccountsRefusal) {
        do throws(IdentityError) {
            self = try Identity(text)
        } catch {
            throw .badRequest(path: path, message: error.description)
        }
    }
}

extension TokenID {
    /// Reads the public part of a token.
    init(reading text: String) throws(AccountsRefusal) {
        guard let id = TokenID(text) else {
            throw .badRequest(path: "$.token_id", message: "an id has 8 letters of a-z and 2-7")
        }
        self = id
    }
}

extension TokenEnd {
    /// The end that a client asks for.
    init(_ expiry: TokenExpiry) throws(AccountsRefusal) {
        switch expiry {
        case .standard: self = .standard
        case .never: self = .never
        case .at(let text):
            guard let instant = InstantText(text) else {
                throw .badRequest(
                    path: "$.expires", message: "expires is a time such as 2027-02-19T00:00:00Z")
            }
            self = .at(instant.milliseconds)
        }
    }
}

extension PrincipalEdit {
    /// The change that a client asks for.
    init(_ change: PrincipalChange) throws(AccountsRefusal) {
        self.init(try PrincipalName(reading: change.principal))
        isNew = change.isNew
        addedIdentities = try Self.read(change.addedIdentities, "$.add.identities", Identity.init)
        addedGrants = try Self.read(change.addedGrants, "$.add.grants", Grant.init)
        removedIdentities = try Self.read(
            change.removedIdentities, "$.remove.identities", Identity.init)
        removedGrants = try Self.read(change.removedGrants, "$.remove.grants", Grant.init)
        for (name, value) in change.quotas {
            guard let quota = Quota(rawValue: name) else {
                let known = Quota.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest(
                    path: "$.quotas", message: "there is no quota \(name); there are \(known)")
            }
            if let value, !(1...Quota.valueMax).contains(value) {
                throw .badRequest(
                    path: "$.quotas.\(name)",
                    message: "\(name) is an integer from 1 to \(Quota.valueMax)")
            }
            quotas[quota] = .some(value)
        }
    }

    private static func read<Value>(
        _ texts: [String], _ path: String,
        _ make: (String, String) throws(AccountsRefusal) -> Value
    ) throws(AccountsRefusal) -> [Value] {
        var values: [Value] = []
        for (index, text) in texts.enumerated() {
            values.append(try make(text, "\(path)[\(index)]"))
        }
        return values
    }
}
