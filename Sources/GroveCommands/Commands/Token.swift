import ArgumentParser

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create, list, rotate and revoke tokens.",
        discussion: """
            A token says who a client is. It is shown once, when it is made; the server keeps \
            its hash. In lists it has an id of 8 letters.

              umask 077
              grove token create --principal shop --grant 'send(place,pay) order/*' > shop.token
              grove token list
              grove token rotate k3v7qzt2 --overlap 24h > shop.new && mv shop.new shop.token
              grove token revoke k3v7qzt2
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRotate.self, TokenRevoke.self])
}

extension ArgumentHelp {
    static var expires: ArgumentHelp {
        ArgumentHelp(
            "When the token ends: 90d, 12h, never, or a time of UTC such as "
                + "2027-02-19T00:00:00Z. (default: 90d)", valueName: "end")
    }

    static var tokenID: ArgumentHelp { "The token's id, as 'grove token list' shows it." }
}
