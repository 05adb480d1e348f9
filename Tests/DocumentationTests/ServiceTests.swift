import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// `Config/grove.service`, as systemd judges it, and as the defaults of the configuration want it.
@Suite("The unit of the service", .timeLimit(.minutes(2)))
struct ServiceTests {
    private static let unit = Documentation.root.appending(path: "Config/grove.service")

    /// The values of a setting, in their order.
    private func values(_ setting: String) throws -> [String] {
        try String(contentsOf: Self.unit, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("\(setting)=") }
            .map { String($0.dropFirst(setting.count + 1)) }
    }

    @Test func `is hardened: systemd gives it a score of at most 2 of 10`() throws {
        let outcome = try Command.run(
            "systemd-analyze",
            ["security", "--offline=true", "--threshold=20", "--no-pager", Self.unit.path])
        #expect(outcome.status == 0, "\(outcome.output.suffix(200))")
        #expect(outcome.output.contains("Overall exposure level for grove.service"))
    }

    @Test func `an open unit would be found`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("open.service")
        try Data("[Service]\nExecStart=/bin/true\n".utf8).write(to: URL(filePath: path))
        let outcome = try Command.run(
            "systemd-analyze", ["security", "--offline=true", "--threshold=20", "--no-pager", path])
        #expect(outcome.status != 0)
    }

    @Test func `systemd understands every line of it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("grove.service")
        // The binary has to be there; that is the one built here.
        let text = try String(contentsOf: Self.unit, encoding: .utf8)
            .replacing("/usr/bin/grove", with: try GroveBinary.find().path)
        try Data(text.utf8).write(to: URL(filePath: path))
        let outcome = try Command.run("systemd-analyze", ["verify", "--man=no", path])
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.output)")
    }

    @Test func `the unit's command line is valid`() throws {
        let line = try #require(try values("ExecStart").first)
        let words = line.split(separator: " ").map(String.init)
        #expect(words.first == "/usr/bin/grove")
        let config = Documentation.root.appending(path: "Config/grove.json").path
        let arguments = words.dropFirst().map { $0 == "/etc/grove/grove.json" ? config : $0 }
        let outcome = try Command.run(
            try GroveBinary.find().path, arguments + ["--print-config"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("/var/lib/grove/grove.db"))
    }

    @Test func `the unit's bounds leave room for the server's`() throws {
        func number(_ key: String) throws -> Int {
            let outcome = try Command.run(try GroveBinary.find().path, ["serve", "--print-config"])
            let row = outcome.output.split(separator: "\n").first { $0.hasPrefix("\(key) ") }
            return try #require(row?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        }
        let stop = try #require(try values("TimeoutStopSec").first.flatMap { Int($0) })
        #expect(stop * 1_000 > (try number("grace-ms")))
        let descriptors = try #require(try values("LimitNOFILE").first.flatMap { Int($0) })
        #expect(descriptors > (try number("max-connections")) + 64)
        #expect(try values("RestartPreventExitStatus") == ["64 65 73 78"])
        #expect(try values("ExecReload") == ["/bin/kill -HUP $MAINPID"])
    }
}

/// What the image of the `Dockerfile` runs, without an engine for images: as its user, without a
/// capability, over a root that nobody can write.
@Suite("The container", .timeLimit(.minutes(2)))
struct ContainerTests {
    /// Binds the folder with the data, makes everything else read-only, and becomes the user.
    private static let script = """
        set -e
        mount --make-rprivate /
        mount --bind "$1" "$1"
        mount --bind "${2%/*}" "${2%/*}"
        mount -o remount,bind,ro /
        mount -o remount,bind,ro "${2%/*}"
        if touch /written "$2" 2>/dev/null; then echo 'the root can be written' >&2; exit 1; fi
        exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs \\
            --bounding-set=-all --inh-caps=-all -- "$2" "${@:3}"
        """

    @Test func `the image's command line is valid`() throws {
        let file = Documentation.root.appending(path: "Dockerfile")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        func list(_ instruction: String) throws -> [String] {
            let line = try #require(lines.last { $0.hasPrefix("\(instruction) [") })
            let text = line.dropFirst(instruction.count + 1)
            return try JSONValue(parsing: Array(text.utf8)).array?.compactMap(\.string) ?? []
        }
        let variables = lines.filter { $0.hasPrefix("ENV ") }.map { String($0.dropFirst(4)) }
        #expect(try list("ENTRYPOINT") == ["/usr/bin/grove"])
        let outcome = try Command.run(
            "env",
            variables + [try GroveBinary.find().path] + list("CMD") + ["--print-config"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("/data/grove.db"))
        #expect(lines.contains("VOLUME /data") && lines.contains("USER 10001:10001"))
    }

    @Test func `the server runs as any user, and writes only its folder`() throws {
        guard geteuid() == 0 else {
            let isRequired = ProcessInfo.processInfo.environment["CI"] != nil
            #expect(!isRequired, "mounts need root")
            print("skipped: mounts need root")
            return
        }
        let folder = try TemporaryFolder()
        let volume = folder.path("data")
        try FileManager.default.createDirectory(
            atPath: volume, withIntermediateDirectories: false)
        #expect(chmod(folder.url.path, 0o755) == 0 && chown(volume, 10_001, 10_001) == 0)
        let launcher = folder.path("launch")
        let binary = try GroveBinary.find().path
        try Data(Self.script.utf8).write(to: URL(filePath: folder.path("script")))
        let text = """
            #!/bin/bash
            exec unshare -m bash '\(folder.path("script"))' '\(volume)' '\(binary)' "$@"
            """
        try Data(text.utf8).write(to: URL(filePath: launcher))
        #expect(chmod(launcher, 0o755) == 0)
        let server = try ServerProcess(
            data: "\(volume)/grove.db", binary: URL(filePath: launcher))
        let client = try LineClient(port: server.port)
        try client.send(#"{"op":"send","id":1,"to":"counter/a","event":"increment"}"#)
        #expect(try client.readLine().contains(#""ok":true"#))
        var status = stat()
        #expect(stat("\(volume)/grove.db", &status) == 0 && status.st_uid == 10_001)
        #expect(server.stop() == 0)
    }
}
