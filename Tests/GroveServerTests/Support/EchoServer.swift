import Foundation
import GroveTestSupport

/// A server for `https` on this machine, with the tests' certificate. It answers each request with
/// its header `Authorization`: in a body, in a header, and after `/missing` with status 404.
final class EchoServer {
    let port: Int
    private let process = Process()
    private let input = Pipe()

    /// Starts the server: in Python, because the toolchain has no server for HTTP.
    init() throws {
        let certificates = try TestCertificates.shared.get()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", Self.program, certificates.certificate("server"),
            certificates.key("server"),
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The program writes the line in one piece.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            throw TestProblem("no server in Python: \(line)")
        }
        self.port = port
    }

    deinit {
        // The program ends when its input is closed, or with this process.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static let program = """
        import http.server, json, os, ssl, sys, threading

        class Echo(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                value = self.headers.get("Authorization", "")
                body = json.dumps({"you": value, "bytes": len(value)}).encode()
                self.send_response(404 if self.path == "/missing" else 200, value)
                self.send_header("X-Echo", value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """
}
