import ArgumentParser

/// `grove serve`
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            Listens until SIGTERM or SIGINT, then drains: finishes what it has accepted, tells \
            its clients, closes. All state is in one data file.

              grove serve --data grove.db
              grove serve --listen 0.0.0.0:7400 --data /var/lib/grove/grove.db
            """)

    @Option(help: ArgumentHelp("Where to listen.", valueName: "host:port"))
    var listen = "127.0.0.1:7400"
    @Option(help: ArgumentHelp("The data file; it is made if it isn't there.", valueName: "file"))
    var data = "grove.db"
    @Option(help: ArgumentHelp("A configuration file; flags win over it.", valueName: "file"))
    var config: String?

    func run() async throws {
        throw ValidationError("This build has no server.")
    }
}
