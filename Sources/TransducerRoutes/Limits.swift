extension ImmediateQueue {
    /// How many elements one attempt from outside may cause.
    static var countMax: Int { 1_000 }
}
