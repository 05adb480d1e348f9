import Foundation

/// A self-signed certificate for `pinned.example` with its key. It has no value outside of these
/// tests and is valid until 2120.
enum TestCertificate {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBbzCCARagAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5waW5uZWQu
        ZXhhbXBsZTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGTEXMBUG
        A1UEAwwOcGlubmVkLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQR
        iwQpZXoBIRrgydFoAebz6g6bjQGk3zLW2tf1AO6GsT9dtOemzry2q3jpljJGGFtn
        3ui634aZD3S84gDOgqllo00wSzAZBgNVHREEEjAQgg5waW5uZWQuZXhhbXBsZTAP
        BgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBTKhjsYAXOAYWiqvrcBD1uoVesRfzAK
        BggqhkjOPQQDAgNHADBEAiB182rd9rNq5psFQmeXnpXvYXNy5LCWOordEE5USL0c
        swIgWSG6Q4apQA6oiBnYgdWRhKzCg/MrHvw9S80OcfNUqoU=
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPu4iKH87qLA/8ey4
        t5RHqZ0JanBfIovK7jk+0KsnEIWhRANCAAQRiwQpZXoBIRrgydFoAebz6g6bjQGk
        3zLW2tf1AO6GsT9dtOemzry2q3jpljJGGFtn3ui634aZD3S84gDOgqll
        -----END PRIVATE KEY-----
        """

    /// Runs `body` with the port of a TLS server that has this certificate. It forwards all data,
    /// decrypted, to the server at `port`.
    static func withTLS<Result>(
        before port: Int, isolation: isolated (any Actor)? = #isolation,
        _ body: (_ port: Int) async throws -> Result
    ) async throws -> Result {
        try await withFile(pem + "\n" + key) { certificate in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", relay, certificate, "\(port)"]
            let output = Pipe()
            let input = Pipe()
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            defer {
                // The relay ends when its input is closed.
                try? input.fileHandleForWriting.close()
                process.waitUntilExit()
            }
            // The relay writes the line in one piece.
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
                throw TestServer.Failure(call: "python3")
            }
            return try await body(port)
        }
    }

    /// The toolchain has no TLS. Python has it, and the test run installs Python.
    private static let relay = """
        import os, socket, ssl, sys, threading

        def pump(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        def serve(connection):
            try:
                outside = context.wrap_socket(connection, server_side=True)
            except OSError:
                return connection.close()
            inside = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
            threading.Thread(target=pump, args=(inside, outside), daemon=True).start()
            pump(outside, inside)

        def accept():
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """
}
