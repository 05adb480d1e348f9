#if canImport(Glibc)
    import Glibc

    /// Waits for sockets: an epoll instance, level-triggered. The number given with a descriptor
    /// comes back with its events.
    struct Readiness: ~Copyable {
        /// What one descriptor is ready for. An error counts as both.
        struct Event {
            var number: Int
            var isReadable: Bool
            var isWritable: Bool
        }

        private let epoll: Int32
        private let events: UnsafeMutablePointer<epoll_event>
        private let eventsMax: Int

        /// An instance that reports up to `eventsMax` descriptors at a time.
        init(eventsMax: Int) {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC.rawValue))
            precondition(epoll >= 0, "the system has no descriptor left for epoll")
            self.eventsMax = eventsMax
            events = .allocate(capacity: eventsMax)
        }

        deinit {
            close(epoll)
            events.deallocate()
        }

        /// Begins to report a descriptor; closing it ends that.
        func add(_ fd: Int32, number: Int, writable: Bool) {
            control(EPOLL_CTL_ADD, fd, number, writable)
        }

        /// Changes whether a descriptor's writability is reported.
        func change(_ fd: Int32, number: Int, writable: Bool) {
            control(EPOLL_CTL_MOD, fd, number, writable)
        }

        private func control(_ operation: Int32, _ fd: Int32, _ number: Int, _ writable: Bool) {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0)
            event.data.u64 = UInt64(number)
            epoll_ctl(epoll, operation, fd, &event)
        }

        /// Waits until something is ready, at most `milliseconds`.
        func wait(milliseconds: Int32, _ body: (Event) -> Void) {
            let count = epoll_wait(epoll, events, Int32(eventsMax), milliseconds)
            let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue
            for index in 0..<max(0, Int(count)) {
                let event = events[index]
                body(
                    Event(
                        number: Int(event.data.u64),
                        isReadable: event.events & (EPOLLIN.rawValue | broken) != 0,
                        isWritable: event.events & (EPOLLOUT.rawValue | broken) != 0))
            }
        }
    }
#endif
