extension Engine {
    func statistics(store: any Store) -> Reply {
        .statistics(numbers(store: store))
    }

    public func numbers(store: any Store) -> [(name: String, value: Int64)] {
        let own: [(name: String, value: Int64)] = [
            ("engine_requests", counters.requests), ("engine_steps", counters.steps),
            ("engine_refusals", counters.refusals),
            ("engine_full_disks", counters.fullDisks),
            ("records_published", counters.published),
            ("effects_under_way", Int64(schedule.handlerQueues.underWay)),
            ("requests_waiting", Int64(waiters.count)),
            ("pages_waiting", Int64(pages.count)), ("instances_retired", counters.expired),
            ("instances_resident", Int64(instances.count)),
            ("instances_resident_bytes", Int64(instances.bytes)),
            ("instances_set_aside", Int64(holds.instances(.setAside))),
            ("instances_suspended", Int64(holds.instances(.suspended))),
            ("machines_set_aside", Int64(holds.machines(.setAside))),
            ("machines_suspended", Int64(holds.machines(.suspended))),
            ("subscriptions", Int64(subscriptions.count)),
        ]
        return own + store.statistics()
    }
}
