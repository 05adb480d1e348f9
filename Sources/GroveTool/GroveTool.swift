import ArgumentParser

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command `grove`: the server and everything to talk to one.
@main
struct GroveTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grove",
        abstract: "Durable state machines over the network: the server, and a client for it.",
        discussion: """
            Start a server, send it an event, look at the instance, follow what happens:

              grove serve --data grove.db
              grove send counter/a increment
              grove get counter/a
              grove watch 'counter/*'

            Every command but serve, check-data and completions talks to the server at --server, \
            which is HOST:PORT or \
            unix:PATH, else at $GROVE_SERVER, else at 127.0.0.1:7400. Data goes to standard \
            output, everything else to standard error. With --json each value is one line of \
            JSON, as the server sent it.

            Exit codes:
              0   done
              1   the server refused; standard error says why
              64  the command line is wrong
              69  no server there; nothing was sent
              70  an error in this program, or what answered is no Grove server
              75  try again: the server is busy, or the outcome is unknown (with --dedup KEY the \
            same event can be repeated without harm)
            """,
        version: "grove \(ToolVersion.current)",
        subcommands: [
            Serve.self, Send.self, Get.self, Create.self, List.self, History.self, Watch.self,
            Stop.self, Delete.self, Effects.self, Cancel.self, Retry.self, Complete.self,
            Await.self, Backup.self, Export.self, Import.self, CheckData.self, Definitions.self,
            Ping.self, Stats.self, Bench.self, Completions.self, Version.self,
        ])

    /// Writing to a pipe whose reader is gone is an error of `write` here, not a signal.
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
