import OrderedJSON
import Transducers

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The secrets of requests with their values, as they were read at one time.
public struct EffectSecrets: Sendable {
    private struct Secret: Sendable {
        let grant: SecretGrant
        let value: SecretValue
    }

    private var byName: [String: Secret] = [:]
    /// Those that are replaced where they come back, the longest first: one may be a part of
    /// another.
    private var replaced: [Secret] = []

    /// No secrets.
    public init() {}

    /// Reads the value of each secret from the file of its name in a folder.
    ///
    /// - Parameter folder: The folder; `nil` for none.
    /// - Throws: The first problem, with the secret's name, or that of the folder.
    public init(_ grants: [SecretGrant], folder: String?) throws(SecretProblem) {
        guard let first = grants.first else { return }
        guard let folder else {
            throw SecretProblem(
                "\(first.name): there is no folder with its value: name it with secrets-dir")
        }
        let descriptor = try Self.open(folder)
        defer { close(descriptor) }
        for grant in grants {
            do throws(SecretProblem) {
                add(
                    grant,
                    try SecretValue(path: "\(folder)/\(grant.name)", grant.name, in: descriptor))
            } catch {
                throw SecretProblem("\(grant.name): \(error)")
            }
        }
    }

    /// Opens a folder, unless every user can put files into it.
    private static func open(_ folder: String) throws(SecretProblem) -> Int32 {
        func problem() -> SecretProblem {
            SecretProblem("\(folder) can't be read: \(String(cString: strerror(errno)))")
        }
        #if canImport(Darwin)
            let descriptor = Darwin.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #else
            // A folder whose files can be opened and not listed is enough: O_PATH of open(2), a
            // name that Glibc shows to C with _GNU_SOURCE only.
            let descriptor = Glibc.open(folder, 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
        #endif
        guard descriptor >= 0 else { throw problem() }
        var (status, system) = (stat(), statvfs())
        guard fstat(descriptor, &status) == 0, fstatvfs(descriptor, &system) == 0 else {
            let problem = problem()
            close(descriptor)
            throw problem
        }
        // Kubernetes makes such folders for secrets, and mounts them so that nobody writes there.
        let isReadOnly = system.f_flag & UInt(ST_RDONLY) != 0
        if status.st_mode & S_IWOTH != 0, !isReadOnly {
            close(descriptor)
            throw SecretProblem(
                "every user can put files into \(folder); allow it to its owner only "
                    + "(chmod 700 \(folder))")
        }
        return descriptor
    }

    var isEmpty: Bool { byName.isEmpty }

    mutating func add(_ grant: SecretGrant, _ value: SecretValue) {
        let secret = Secret(grant: grant, value: value)
        byName[grant.name] = secret
        guard value.count >= Self.replacedBytesMin else { return }
        replaced.append(secret)
        replaced.sort { $0.value.count > $1.value.count }
    }

    /// The value of a secret, for a header of a request.
    ///
    /// - Parameters:
    ///   - url: The request's URL.
    ///   - machine: The machine that asks; `nil` outside of a server.
    /// - Throws: `PermanentFailure` for a secret that isn't there or not for this request; it names
    ///   the secret and not the value.
    func value(
        of name: String, for url: HTTPURL, machine: String?
    ) throws(PermanentFailure) -> String {
        guard let secret = byName[name] else {
            throw PermanentFailure("there is no secret \(name): configure secrets with it")
        }
        guard let machine, secret.grant.machines.contains(machine) else {
            throw PermanentFailure(
                "the secret \(name) isn't for the machine \(machine ?? "of this request")")
        }
        guard url.isSecure else {
            throw PermanentFailure("the secret \(name) is sent over https only")
        }
        guard secret.grant.hosts.contains(where: { $0.matches(url) }) else {
            throw PermanentFailure("the secret \(name) isn't for \(url.authority)")
        }
        return secret.value.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: What comes back

    /// The text with `[secret:name]` in the place of each value of at least
    /// ``replacedBytesMin`` bytes.
    func redacted(_ text: String) -> String {
        var text = text
        for secret in replaced {
            text = Self.replacing(secret.value, in: text, with: "[secret:\(secret.grant.name)]")
        }
        return text
    }

    /// The same for all texts of a value, names of members included. A number that has a secret's
    /// digits becomes a text.
    func redacted(_ value: JSONValue) -> JSONValue {
        guard !replaced.isEmpty else { return value }
        switch value {
        case .string(let text): return .string(redacted(text))
        case .array(let elements): return .array(elements.map(redacted))
        case .object(let members):
            var object = JSONObject()
            for member in members { object[redacted(member.name)] = redacted(member.value) }
            return .object(object)
        case .null, .bool: return value
        default:
            let text = value.description
            let shown = redacted(text)
            return shown == text ? value : .string(shown)
        }
    }

    /// Compares bytes: as characters, a value before a combining one would be another.
    private static func replacing(
        _ value: SecretValue, in text: String, with mark: String
    ) -> String {
        var text = text
        return value.withBytes { wanted in
            text.withUTF8 { bytes -> String? in
                var rest = UnsafeRawBufferPointer(bytes)
                var result: [UInt8] = []
                while let start = rest.baseAddress, let found = place(of: wanted, in: rest) {
                    result += UnsafeRawBufferPointer(start: start, count: found)
                    result += mark.utf8
                    rest = UnsafeRawBufferPointer(rebasing: rest[(found + wanted.count)...])
                }
                guard !result.isEmpty else { return nil }
                return String(decoding: result + rest, as: UTF8.self)
            }
        } ?? text
    }

    private static func place(
        of wanted: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer
    ) -> Int? {
        guard let start = bytes.baseAddress, let text = wanted.baseAddress else { return nil }
        var offset = 0
        while offset + wanted.count <= bytes.count {
            let starts = bytes.count - wanted.count - offset + 1
            guard let found = memchr(start + offset, Int32(wanted[0]), starts) else { return nil }
            offset = UnsafeRawPointer(found) - start
            if memcmp(start + offset, text, wanted.count) == 0 { return offset }
            offset += 1
        }
        return nil
    }
}
