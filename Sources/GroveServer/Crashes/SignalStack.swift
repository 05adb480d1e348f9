import Glibc

/// Memory for signal handlers, per thread: after endless recursion in a machine's code, the
/// thread's own stack has no room for them.
enum SignalStack {
    private static let bytes = 64 << 10
    /// The `ss_flags` of a thread without one (sigaltstack(2), `SS_DISABLE`).
    private static let none: Int32 = 2

    /// Frees the memory when its thread ends.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let made = pthread_key_create(&key) { memory in
            var off = stack_t()
            off.ss_flags = SignalStack.none
            sigaltstack(&off, nil)
            munmap(memory, SignalStack.bytes)
        }
        return made == 0 ? key : nil
    }()

    /// Gives the present thread such memory, unless it has some. Without free memory it does
    /// nothing: a stack overflow then ends the process without a record.
    static func provide() {
        var present = stack_t()
        guard let key, sigaltstack(nil, &present) == 0, present.ss_flags & none != 0 else {
            return
        }
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return }
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = bytes
        guard pthread_setspecific(key, memory) == 0, sigaltstack(&stack, nil) == 0 else {
            munmap(memory, bytes)
            return
        }
    }
}
