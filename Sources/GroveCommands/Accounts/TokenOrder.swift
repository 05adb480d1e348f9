import GroveClient

/// The token that the command line asks for.
struct TokenOrder {
    var principal: String
    var label: String?
    var expires = TokenExpiry.standard
    var grants: [String] = []
    var force = false
}
