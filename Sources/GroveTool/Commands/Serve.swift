import ArgumentParser
import BuiltInMachines
import Glibc
import GroveEngine
import GroveServer
import Logging

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
        var options = ServerOptions()
        guard let address = SocketAddress(listen) else {
            throw ValidationError("--listen takes HOST:PORT, not \(listen)")
        }
        options.listen = [address]
        options.store = .file(data)
        let server = Server(
            options: options, catalogue: try Catalogue(BuiltInMachines.definitions),
            log: Logger(label: "grove"))
        let announce = Task {
            await server.waitUntilListening()
            for address in await server.listeningAddresses {
                print("listening \(address) data=\(data)")
            }
            fflush(nil)
        }
        do {
            try await server.run()
        } catch {
            announce.cancel()
            Output.note("error: \(error.message)")
            throw ArgumentParser.ExitCode(error.exitCode)
        }
    }
}
