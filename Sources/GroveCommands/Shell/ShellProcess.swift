import Glibc

/// A command of the shell, as a process of this same program: it can be interrupted wherever it
/// is, and whatever happens to it doesn't happen to the shell.
struct ShellProcess {
    /// Its process id.
    let id: pid_t

    /// Starts a command with the shell's own input and outputs.
    ///
    /// - Throws: ``Failure`` when the system starts none.
    static func foreground(_ arguments: [String]) throws(Failure) -> ShellProcess {
        try ShellProcess(arguments) { _, _ in }
    }

    /// Starts a command without input, in a group of its own that Ctrl-C doesn't reach. Both its
    /// outputs go to `output`.
    static func background(
        _ arguments: [String], output: Int32
    ) throws(Failure) -> ShellProcess {
        try ShellProcess(arguments) { actions, attributes in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
            posix_spawnattr_setpgroup(&attributes, 0)
            var flags: Int16 = 0
            posix_spawnattr_getflags(&attributes, &flags)
            posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETPGROUP))
        }
    }

    /// The system started no process.
    struct Failure: Error {
        let number: Int32
    }

    private init(
        _ arguments: [String],
        _ prepare: (inout posix_spawn_file_actions_t, inout posix_spawnattr_t) -> Void
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        // Ignored signals stay ignored in a new program: all but those that would stop it.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        prepare(&actions, &attributes)
        let words = [CommandLine.arguments.first ?? "grove"] + arguments
        let texts = words.map { strdup($0) } + [nil]
        var process: pid_t = 0
        // Also right when the file was replaced since the shell began.
        let number = posix_spawn(
            &process, "/proc/self/exe", &actions, &attributes, texts, environ)
        for text in texts { free(text) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
        guard number == 0 else { throw Failure(number: number) }
        id = process
    }

    /// Waits for its end; the exit code, or 128 and the number of the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return EX_SOFTWARE }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
