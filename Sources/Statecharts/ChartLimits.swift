/// The bounds of definitions and of steps.
public enum ChartLimits {
    // MARK: Definitions

    /// Bytes of a definition's text: room for 10,000 states of 400 bytes.
    public static let definitionBytesMax = 4 << 20
    /// Arrays and objects that may be open at once in a definition. Reading recurses.
    public static let definitionLevelsMax = 128
    /// Values of a definition's text.
    public static let definitionValuesMax = 500_000
    /// States of a definition, without those of its inline machines.
    public static let statesMax = 10_000
    /// States around a state.
    public static let stateLevelsMax = 32
    /// Transitions of a definition.
    public static let transitionsMax = 50_000
    /// Targets of one transition.
    public static let targetsMax = 64
    /// Inline machines within inline machines.
    public static let machineLevelsMax = 4
    /// Problems that are reported; further ones are counted.
    public static let problemsMax = 100
    /// Bytes of an id, of an event's type and of a descriptor.
    public static let nameBytesMax = 256
    /// Transitions in other regions that are looked at for one transition, event and parallel
    /// state, to report those that exclude each other.
    static let conflictsLookedAtMax = 8
    /// Events and timers that one transition causes at once and that are followed, to report those
    /// that lead round in a circle.
    static let causesMax = 16
    /// Suggestions of known names that are looked for in one definition.
    static let suggestionsMax = 50
    /// Known names that a message lists.
    static let listedNamesMax = 8
    /// Known names among which a similar one is looked for.
    static let suggestionNamesMax = 5_000
    /// Parts of the constant regular expressions of a definition that are compiled when it is read,
    /// some 60 bytes each; those after them are compiled by each evaluation.
    static let regexPartsMax = 5_000
    /// Steps that compute the constant parts of all expressions of a definition when it is read;
    /// those after them are computed by each evaluation. They take some tens of milliseconds.
    static let constantStepsMax = 1_000_000
    /// Edits between an unknown word and the known one that is suggested.
    static let suggestionEditsMax = 2
    /// The longest delay in milliseconds: a hundred years.
    public static let delayMillisecondsMax: Int64 = 3_155_760_000_000

    /// Bytes of a definition that a chart computes while it runs: it is read between the events of
    /// others, and is a part of each stored state of its instance.
    public static let computedBytesMax = 65_536
    /// States of a definition that a chart computes.
    public static let computedStatesMax = 500
    /// Definitions that were computed, and are kept compiled; at most 4 MiB of text.
    static let computedKeptMax = 64

    /// States of a drawing in a server's reply; the later ones of the definition are left out.
    public static let drawnStatesMax = 1_000
    /// Arrows of such a drawing.
    public static let drawnLinksMax = 4_000
    /// Bytes of its events and guards.
    public static let drawnTextBytesMax = 262_144

    /// Examples that are made of one event.
    public static let samplesMax = 16
    /// Bytes of one example, and of a declaration from which examples are made.
    public static let sampleBytesMax = 8_192
    /// Examples that are made of one member of an event.
    static let sampleChoicesMax = 4

    // MARK: Steps

    /// Microsteps that one event may cause.
    public static let microstepsMax = 1_000
    /// Visits of active states that one event may cause; only a step with thousands of active
    /// states comes near.
    static let visitsMax = 2_000_000
    /// Outputs, log entries, sends and invocations that one event may cause; a server allows less.
    static let requestsMax = 1_000
    /// Bytes of what these carry as JSON; the same.
    static let requestBytesMax = 2 << 20
    /// States that all histories of an instance remember.
    static let rememberedMax = 20_000
    /// Internal events that one event may cause.
    public static let internalEventsMax = 10_000
    /// Steps of all expressions that one event evaluates.
    public static let expressionStepsMax = 10_000
    /// Bytes of a list or map, counted as JSON, kept in the context or an event: this number
    /// of them is a step of the expression that computed it, and takes as long.
    static let keptBytesPerStep = 256
    /// Visits of active states that take as long as a step of an expression.
    static let visitsPerStep = 32
    /// The most work of an event, in steps of expressions.
    static let workMax = expressionStepsMax + actionsMax + visitsMax / visitsPerStep
    /// Actions that one event performs, with the elements that loops visit.
    public static let actionsMax = 10_000
    /// Bytes of one expression's result.
    public static let resultBytesMax = 65_536
    /// Bytes of the context as JSON.
    public static let stateBytesMax = 1 << 20
    /// Lists and maps within each other in a context's member or an event.
    public static let valueLevelsMax = 48
    /// Event types in the refusal of an event.
    static let acceptedMax = 50
    /// Deferred events of an instance.
    public static let deferredMax = 64
    /// Bytes of an instance's deferred events as JSON.
    public static let deferredBytesMax = 65_536

    /// Ids and invocations that an instance makes: the last number that is exact in JSON. Only a
    /// state that was imported comes near.
    static let serialMax: Int64 = 9_007_199_254_740_991

    // MARK: Runs in virtual time

    /// Instances of one run that exist at the same time.
    public static let instancesMax = 1_000
    /// Instances around an instance of a run.
    public static let instanceLevelsMax = 16
    /// Events of one run that are processed without an event from outside.
    public static let deliveriesMax = 100_000
    /// Records of a run that aren't cleared.
    public static let recordsMax = 1_000_000
    /// Events that wait in a run.
    public static let pendingMax = 100_000
    /// Timers and delayed sends that wait in a run: each one that is canceled is looked for among
    /// all.
    public static let waitingMax = 10_000
}
