import ArgumentParser
import GroveClient

struct TokenRotate: TokenCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Create a token that replaces another one, and print it once.",
        discussion: """
            The new token has the same principal and label. The old one ends after the overlap, \
            so that clients can change in the meantime; 'grove token list' shows when it was used \
            last.

              umask 077
              grove token rotate k3v7qzt2 --overlap 24h > shop.new && mv shop.new shop.token
            """)

    @Argument(help: .tokenID) var id: String
    @Option(
        help: ArgumentHelp(
            "How long both hold: 24h, 7d, 0s. (default: 24h)", valueName: "time"))
    var overlap: DaySpan?
    @Option(help: .expires) var expires: TokenEndText?
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        try show(
            try await place.rotateToken(
                id, overlap: overlap.map { .milliseconds($0.milliseconds) },
                expires: expires?.expiry(now: HumanTime.now) ?? .standard))
    }
}
