/// The reason why a run was given up.
public enum ChartRunError: Error, Hashable, Sendable {
    /// Machines cause events without end: more than ``ChartLimits/deliveriesMax`` in a row, or more
    /// waiting ones, timers or records than a run may have.
    case endless
    /// The virtual time would be after the year 9999.
    case endOfTime
}
