import Foundation
import GroveNetwork
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// What the kernel says of users at a Unix socket that all may open.
    @Suite(
        "Users at a Unix socket",
        .enabled(if: geteuid() == 0, "only root can become another user"), .timeLimit(.minutes(1)))
    struct UnixUsersTests {
        /// Asks a server as another user, by a process of that user.
        private func ask(_ line: String, at socket: String, as user: Int) throws -> String {
            let client = """
                import os, socket, sys
                user = int(sys.argv[1])
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[2])
                lines = connection.makefile("rw")
                lines.readline()
                lines.write(sys.argv[3] + chr(10))
                lines.flush()
                print(lines.readline(), end="")
                """
            return try Command.run(
                "python3", ["-I", "-c", client, "\(user)", socket, line]
            ).output
        }

        @Test func `root owns the server, a user is its principal, and others are anonymous`()
            async throws
        {
            let folder = try TemporaryFolder()
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
            let socket = folder.path("s")
            try await RunningServer.with {
                $0.listen = [.loopbackV4(port: 0), .unix(path: socket)]
                $0.unixSocketMode = 0o666
            } _: { _ in
                let owner = try RawClient(.unix(path: socket))
                let change =
                    #"{"op":"accounts","id":1,"action":"change","principal":"clerk","#
                    + #""add":{"identities":["uid:23456"],"grants":["send counter/*"]},"#
                    + #""force":true}"#
                #expect(try owner.ask(change).json("ok") == true)
                let hello = #"{"op":"hello","id":1}"#
                let send = #"{"op":"send","id":2,"to":"counter/a","event":"increment"}"#
                #expect(try owner.ask(hello).json("principal") == "owner")
                #expect(try owner.ask(send).json("ok") == true)
                #expect(try ask(hello, at: socket, as: 0).json("principal") == "owner")
                #expect(try ask(hello, at: socket, as: 23_456).json("principal") == "clerk")
                #expect(try ask(send, at: socket, as: 23_456).json("v") == 2)
                #expect(try ask(hello, at: socket, as: 23_457).json("principal") == "anonymous")
                let refused = try ask(send, at: socket, as: 23_457).json("error")
                #expect(refused?["code"] == "UNAUTHENTICATED")
            }
        }
    }
}
