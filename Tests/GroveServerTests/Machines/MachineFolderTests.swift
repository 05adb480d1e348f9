import Foundation
import GroveEngine
import GroveStorage
import Testing

@testable import GroveServer

/// Machines as data in a folder that the server watches.
@Suite("Folder of machines")
struct MachineFolderTests {
    private func chart(_ id: String, _ version: String, to target: String = "b") -> String {
        #"{"id":"\#(id)","version":"\#(version)","initial":"a","#
            + #""states":{"a":{"on":{"X":"\#(target)"}},"b":{"on":{"X":"a"}}}}"#
    }

    /// A machine without a version, of which two files may be.
    private func twin(_ target: String) -> String {
        #"{"id":"twin","initial":"a","states":{"a":{"on":{"X":"\#(target)"}},"b":{},"c":{}}}"#
    }

    private func folder() throws -> String {
        let path =
            FileManager.default.temporaryDirectory.path + "/grove-machines-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func write(_ text: String, _ name: String, _ folder: String) throws {
        try Data(text.utf8).write(
            to: URL(fileURLWithPath: folder + "/" + name), options: .atomic)
    }

    @Test
    func `files are defined at the start and when they change, and a broken one harms nothing`()
        async throws
    {
        let path = try folder()
        try write(chart("gate", "1"), "gate.json", path)
        try write("{ not JSON", "broken.json", path)
        try write(chart("other", "1", to: "nowhere"), "wrong.json", path)
        try write(chart("hidden", "1"), ".hidden.json", path)
        try write("a note", "README.md", path)
        try FileManager.default.createDirectory(
            atPath: path + "/folder.json", withIntermediateDirectories: true)
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            let client = try running.connect()
            let send = #"{"op":"send","id":1,"to":"gate/g","event":"X","reply":"state"}"#
            #expect(try client.ask(send).contains(#""value":"b""#))
            for file in ["broken.json", "wrong.json"] {
                #expect(log.lines(with: "isn't used").contains { $0.contains(file) }, "\(file)")
            }
            #expect(log.lines(with: "hidden").isEmpty && log.lines(with: "README").isEmpty)
            // A new version, a mended file, and a good one that becomes a bad one.
            try write(chart("gate", "2"), "gate.json", path)
            try write(chart("other", "1"), "wrong.json", path)
            try await client.poll(#"{"op":"definitions","id":2}"#) {
                $0.contains(#""name":"other""#) && $0.contains(#""name":"gate","version":"2""#)
            }
            try write("[]", "gate.json", path)
            while log.lines(with: "an object with 'states'").isEmpty { await Task.yield() }
            #expect(try client.ask(send).contains(#""value":"a""#))
            #expect(
                try client.ask(#"{"op":"get","id":4,"to":"gate/g"}"#).contains(#""version":"1""#))
        }
    }

    @Test func `a link is followed, also when the folder that it leads into is replaced`()
        async throws
    {
        let path = try folder()
        let manager = FileManager.default
        for version in ["1", "2"] {
            try manager.createDirectory(
                atPath: path + "/..v" + version, withIntermediateDirectories: false)
            try write(chart("gate", version), "..v\(version)/gate.json", path)
        }
        try manager.createSymbolicLink(
            atPath: path + "/..data", withDestinationPath: "..v1")
        try manager.createSymbolicLink(
            atPath: path + "/gate.json", withDestinationPath: "..data/gate.json")
        try await RunningServer.with({ $0.machinesFolder = path }) { running in
            let client = try running.connect()
            try await client.poll(#"{"op":"definitions","id":1}"#) {
                $0.contains(#""name":"gate","version":"1""#)
            }
            try manager.createSymbolicLink(
                atPath: path + "/..next", withDestinationPath: "..v2")
            #expect(rename(path + "/..next", path + "/..data") == 0)
            try await client.poll(#"{"op":"definitions","id":2}"#) {
                $0.contains(#""name":"gate","version":"2""#)
            }
        }
    }

    @Test func `two files that define one machine without versions are a conflict`()
        async throws
    {
        let path = try folder()
        try write(twin("b"), "one.json", path)
        try write(twin("c"), "two.json", path)
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            let client = try running.connect()
            let send = #"{"op":"send","id":1,"to":"twin/t","event":"X","reply":"state"}"#
            #expect(try client.ask(send).contains(#""value":"b""#))
            #expect(
                log.lines(with: "one.json defines machine twin, too").contains {
                    $0.contains("two.json")
                })
            // The first one may change as often as one likes.
            try write(twin("c"), "one.json", path)
            let other = send.replacing("twin/t", with: "twin/u")
            while try !client.ask(other.replacing("twin/u", with: "twin/\(UUID().uuidString)"))
                .contains(#""value":"c""#)
            { await Task.yield() }
        }
    }

    @Test func `when a file is gone, another one may define its machine`() async throws {
        let path = try folder()
        try write(twin("b"), "one.json", path)
        try write(twin("c"), "two.json", path)
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            let client = try running.connect()
            let send = #"{"op":"send","id":1,"to":"twin/NAME","event":"X","reply":"state"}"#
            // One with errors changes nothing.
            try write("{", "one.json", path)
            while log.lines(with: "isn't used").count < 2 { await Task.yield() }
            #expect(
                try client.ask(send.replacing("NAME", with: "early")).contains(#""value":"b""#))
            try FileManager.default.removeItem(atPath: path + "/one.json")
            while try !client.ask(send.replacing("NAME", with: UUID().uuidString))
                .contains(#""value":"c""#)
            { await Task.yield() }
        }
    }

    @Test func `a file whose definition goes backwards is used, or reported`() async throws {
        let path = try folder()
        let unversioned = chart("free", "x").replacing(#""version":"x","#, with: "")
        try write(chart("gate", "1"), "1.json", path)
        try write(chart("gate", "2"), "2.json", path)
        try write(unversioned, "free.json", path)
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            #expect(log.lines(with: "later version").isEmpty, "the file 2.json has it")
            try write(chart("gate", "1"), "2.json", path)
            while log.lines(with: "later version 2").isEmpty { await Task.yield() }
            try write(unversioned.replacing(#""X":"b""#, with: #""X":"a""#), "free.json", path)
            func defined() -> Int {
                log.lines(with: "machine defined").count { $0.contains("free") }
            }
            while defined() < 2 { await Task.yield() }
            try write(unversioned, "free.json", path)
            while defined() < 3 { await Task.yield() }
            let send = #"{"op":"send","id":1,"to":"free/f","event":"X","reply":"state"}"#
            let client = try running.connect()
            #expect(try client.ask(send).contains(#""value":"b""#))
        }
    }

    @Test func `a file for which there was no room is used once there is some`() async throws {
        let path = try folder()
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            let client = try running.connect()
            for version in 1...Limits.definitionsMax {
                let many = chart("many", "\(version)")
                let define = #"{"op":"define","id":1,"definition":\#(many)}"#
                #expect(try client.ask(define).contains(#""ok":true"#))
            }
            try write(chart("extra", "1"), "extra.json", path)
            try write(chart("more", "1"), "more.json", path)
            func refusals() -> [String] { log.lines(with: "a server may have") }
            while refusals().count < 2 { await Task.yield() }
            #expect(refusals().allSatisfy { !$0.contains("limit(") })
            #expect(try client.ask(#"{"op":"prune","id":2,"name":"many"}"#).contains("removed"))
            try await client.poll(#"{"op":"definitions","id":3}"#) {
                $0.contains(#""name":"extra""#) && $0.contains(#""name":"more""#)
            }
            #expect(refusals().count == 2, "each once")
        }
    }

    @Test func `a name that stands for no file is reported once`() async throws {
        let path = try folder()
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: path + "/link.json", withDestinationPath: "/nowhere")
        try manager.createDirectory(
            atPath: path + "/folder.json", withIntermediateDirectories: false)
        let name = Array(path.utf8) + Array("/latin".utf8) + [0xFF] + Array(".json".utf8) + [0]
        let file = name.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { path in
                path.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
            }
        }
        #expect(file >= 0 && close(file) == 0)
        let log = KeptLog()
        try await RunningServer.with({ $0.machinesFolder = path }, log: log.logger()) { running in
            func lines() -> [String] { log.lines(with: "is passed over") }
            #expect(lines().count == 3)
            for why in ["the link leads to no file", "isn't a regular file", "isn't UTF-8"] {
                #expect(lines().contains { $0.contains(why) }, "\(why)")
            }
            // A later look.
            try write(chart("gate", "1"), "gate.json", path)
            let client = try running.connect()
            try await client.poll(#"{"op":"definitions","id":1}"#) { $0.contains("gate") }
            #expect(lines().count == 3)
        }
    }

    @Test func `a folder that isn't there is reported, and the server runs`() async throws {
        let log = KeptLog()
        try await RunningServer.with(
            { $0.machinesFolder = "/nowhere/at/all" }, log: log.logger()
        ) { running in
            let client = try running.connect()
            #expect(try client.ask(#"{"op":"ping","id":1}"#).contains(#""ok":true"#))
        }
        #expect(!log.lines(with: "can't be read").isEmpty)
    }

    @Test func `definitions and their instances outlive the server`() async throws {
        let path = try folder()
        let file = path + "/data.db"
        try write(chart("gate", "1"), "gate.json", path)
        for round in 1...2 {
            try await RunningServer.with({
                $0.store = .file(file)
                if round == 1 { $0.machinesFolder = path }
            }) { running in
                let client = try running.connect()
                let answer = try client.ask(#"{"op":"send","id":1,"to":"gate/g","event":"X"}"#)
                #expect(answer.contains(#""v":\#(round)"#), "\(answer)")
            }
        }
        let store = try SQLiteStore.open(path: file)
        #expect(store.definitions.map(\.machine) == ["gate"])
        try store.close()
    }

    @Test func `a definition is read apart, and the requests behind it keep their order`()
        async throws
    {
        try await RunningServer.with { running in
            let client = try running.connect()
            let lines = [
                #"{"op":"define","id":1,"definition":\#(chart("gate", "1"))}"#,
                #"{"op":"send","id":2,"to":"gate/g","event":"X","reply":"state"}"#,
                #"{"op":"undefine","id":3,"name":"gate"}"#,
            ]
            try client.send(lines.map { $0 + "\n" }.joined())
            #expect(try client.line().contains(#""changed":true"#))
            #expect(try client.line().contains(#""value":"b""#))
            #expect(try client.line().contains(#""instances":1"#))
            // One that leaves before its answer harms nobody.
            let other = try running.connect()
            try other.send(
                #"{"op":"define","id":1,"definition":\#(chart("late", "1"))}"# + "\n")
            other.hangUp()
            #expect(try client.ask(#"{"op":"ping","id":4}"#).contains(#""ok":true"#))
        }
    }
}
