// Types of grove.js. Members have the names of docs/reference/protocol.md.

export const version: string

export type JSONValue =
  | null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue | undefined }

/** An event: a string, or an object with the member `type`. */
export type GroveEvent = string | { type: string, [member: string]: any }

/** The codes that the client itself makes. All others are the server's. */
export type ClientCode =
  | 'UNREACHABLE' | 'CONNECTION_LOST' | 'NO_REPLY' | 'QUEUE_FULL' | 'INVALID_REQUEST' | 'CLOSED'
  | 'GAP' | 'TLS_FAILED' | 'TOKEN_NEEDS_TLS' | 'PROTOCOL_VIOLATION'

/** The reason why a call or a subscription failed. Decide by `code`. */
export class GroveError extends Error {
  constructor(code: string, message?: string, more?: {
    retry?: boolean, outcomeUnknown?: boolean, data?: any, retryAfter?: number, isRefusal?: boolean
  })
  readonly code: ClientCode | (string & {})
  /** Whether the same call may succeed later. */
  readonly retry: boolean
  /** Whether the call may have been applied although no reply says so. */
  readonly outcomeUnknown: boolean
  /** The data of the code, such as `{v: 45}`. */
  readonly data: any
  /** Milliseconds that the server asks to wait before a repeat. */
  readonly retryAfter: number
  /** Whether the server has said this, and not the client. */
  readonly isRefusal: boolean
}

/** Times are milliseconds. An unknown option, and a value that an option doesn't take, is a `TypeError`. */
export interface ClientOptions {
  /** The client's name in the server's logs, at most 1,000 characters. */
  name?: string
  /** Who the client is. It goes through TLS, to this machine or to a Unix socket only. */
  token?: string
  /** For a call, connecting and repeating included. Default 10,000. */
  timeout?: number
  /** For one attempt to connect. Default 5,000. */
  connectTimeout?: number
  /** Whether calls are sent again. Default true. */
  retry?: boolean
  /** Whether `send`, `create`, `import` and `batch` get dedup keys, which make repeats safe. Default true. */
  makeKeys?: boolean
  /** `'one-by-one'`: the next call about an instance waits for the answer before. */
  order?: 'pipelined' | 'one-by-one'
  /** The first pause between attempts; each further one is twice as long. Default 100. */
  firstDelay?: number
  /** The longest pause between attempts. Default 5,000. */
  delayMax?: number
  /** The part of a pause by which it may be shortened at random, 0 to 1. Default 0.5. */
  jitter?: number
  /** How many calls may wait for answers. Default 16,384. */
  callsMax?: number
  /** How many characters these calls may have. Default 64 MiB. */
  bytesMax?: number
  /** How many records of a subscription may wait in the client, an integer from 1. Default 256. */
  credit?: number
  /** The longest line that is read from TCP. Default 64 MiB. */
  lineMax?: number
  /** For `tls:HOST:PORT`: options of `tls.connect` in Node, such as `ca`, `cert` and `key`. */
  tls?: object
  /** A class to use instead of the global `WebSocket`. */
  WebSocket?: any
}

/** Of one call. Times are milliseconds. */
export interface CallOptions {
  timeout?: number
  /** The trace that the request belongs to, as W3C's "Trace Context" writes it. */
  traceparent?: string
  /** The caller doesn't wait any more, and the call isn't sent again. It may have been applied. */
  signal?: AbortSignal
}

export type Status = 'idle' | 'connecting' | 'open' | 'waiting' | 'closed'
export type Phase =
  | 'waiting' | 'sleeping' | 'active' | 'asking' | 'child' | 'delivering' | 'failed' | 'completed'

export interface SendFields {
  dedup?: string
  expect?: number | 'absent' | 'exists'
  create?: 'if_absent' | 'never' | 'must'
  reply?: 'min' | 'state' | 'full'
  settle?: 'none' | 'own' | 'tree'
}

export interface SendReply<State = any> {
  v: number
  cur: string
  changed: boolean
  state?: State
  outputs?: any[]
  effects?: any[]
  settled?: { effect: number, to?: string, id?: string, end: string, reason?: string }[]
  done?: true
  dup?: true
}

export interface Definition {
  name: string
  version: string
  hash?: string
  takes?: { type: string, members?: { name: string, is?: string, optional?: boolean }[], internal?: true }[]
  held?: 'suspended' | 'set_aside'
  /** With `counts`, for who may read all instances of the machine. */
  counts?: { instances: number, done: number, failed: number, asking: number }
}

/** A pending timer of `get`; a failed one has `phase` and `reason`. */
export interface Timer {
  effect: number
  id?: string
  event?: GroveEvent
  due?: string
  asleep?: true
  phase?: Phase
  reason?: string
}

export interface DefineReply {
  name: string
  version: string
  hash: string
  changed: boolean
  /** The version that new instances use, if it is a later one. */
  present?: string
  warnings?: any[]
}

export interface ReloadReply {
  changed: string[]
  /** Changes that a running server can't apply; absent without any. */
  needs_restart?: string[]
}

export interface Effect {
  to?: string
  effect: number
  kind: string
  phase: Phase
  id?: string
  name?: string
  /** The event that its result becomes, if the machine has named one. */
  then?: string
  event?: GroveEvent
  attempt?: number
  due?: string
  asleep?: true
  reason?: string
  token?: string
  child?: string
  asked?: string
}

export interface Instance<State = any> {
  state: State
  v: number
  done: boolean
  in?: string[]
  held?: 'suspended' | 'set_aside'
  result?: any
  reason?: string
  definition: { name: string, version: string, hash?: string }
  timers: Timer[]
  effects: Effect[]
}

export interface InstanceItem<State = any> {
  to: string
  v: number
  state: State
  done: boolean
  updated: string
  held?: 'suspended' | 'set_aside'
  since?: string
  reason?: string
  definition?: any
}

export interface Step<State = any> {
  v: number
  event: GroveEvent
  outputs: any[]
  state?: State
  at: string
  dedup?: string
  by?: string
  traceparent?: string
}

export interface Page<Item, Next> { items: Item[], next?: Next }

export interface ListFilter {
  machine?: string
  prefix?: string
  state?: string
  done?: boolean
  outdated?: boolean
  held?: 'suspended' | 'set_aside'
  after?: string
  limit?: number
}

export interface Description {
  name: string
  version: string
  hash?: string
  states: string[]
  events: string[]
  takes?: Definition['takes']
  transitions: { from: string, event: string, to: string, observed?: true }[]
  diagram: string
  graph?: {
    nodes: { id: string, parent?: string, kind: string, label: string, initial?: true, active?: true }[]
    edges: { id: string, from: string, to: string, kind: string, event?: string, guard?: string }[]
  }
  examples?: { [event: string]: GroveEvent[] }
  partial?: true
}

/** A record; with the option `marks` also a mark, which has `mark` instead of `kind`. */
export interface GroveRecord {
  cur?: string
  to: string
  v: number
  kind: 'output' | 'state' | 'effect' | 'lifecycle' | 'trace'
  at: string
  type?: string
  data?: any
  before?: any
  after?: any
  lifecycle?: string
  reason?: string
  snapshot?: true
  done?: true
  cause?: { event?: string, dedup?: string, traceparent?: string, by?: string }
  event?: GroveEvent
  outputs?: any[]
  effects?: any[]
  mark?: 'live' | 'snapshot' | 'checkpoint' | 'gap' | 'anew'
  [member: string]: any
}

/** An unknown option, and a credit that is none, is `INVALID_REQUEST`. */
export interface SubscriptionOptions extends CallOptions {
  machine?: string
  instance?: string
  kind?: GroveRecord['kind'][]
  type?: string
  from?: 'now' | 'first' | { last: number } | { after: string }
  /** The same as `from: {after}`. */
  after?: string
  snapshot?: boolean
  slow?: 'pause' | 'conflate' | 'disconnect'
  /** How many records may wait in the client, an integer from 1. */
  credit?: number
  /** Whether marks are returned, too. After an interrupted snapshot there is a mark `anew`. */
  marks?: boolean
}

/** Records in their order, each once, also after a lost connection. It has one consumer. */
export class Subscription implements AsyncIterableIterator<GroveRecord> {
  private constructor()
  readonly name: string
  /** The cursor of the last record or mark that was returned. */
  readonly cursor: string | undefined
  /** The server's reply. */
  readonly reply: { cur?: string, first?: string, narrowed?: true }
  [Symbol.asyncIterator](): this
  /** Fails with the code `GAP` where records are missing; the next call continues. */
  next(): Promise<IteratorResult<GroveRecord, undefined>>
  return(value?: any): Promise<IteratorResult<GroveRecord, any>>
  /** Ends the subscription; records that were already received are still returned. */
  close(): void
}

/** Connects, and returns a client once the server has greeted it and has accepted its token. */
export function connect(url: string | URL, options?: ClientOptions & { signal?: AbortSignal }): Promise<Client>

/** A client, which connects with its first call. Calls are sent when they are made. */
export class Client extends EventTarget {
  constructor(url: string | URL, options?: ClientOptions)
  /** The server's first line. */
  readonly greeting: { [member: string]: any }
  /** The server's reply to the last hello. */
  readonly session: { session?: string, principal?: string, grants?: string[], expires?: string, [member: string]: any }
  /** The event `status` says that it has changed. */
  readonly status: Status
  readonly problem: GroveError | undefined
  /** Why a subscription waits, although there is a connection: the server refuses it for a time. The
   * event `status` says that it has begun or ended. */
  readonly refusal: GroveError | undefined
  connected(options?: CallOptions): Promise<void>
  /** Makes the next attempt to connect now, instead of after the present pause. */
  hurry(): void
  /** Closes the connection, fails all calls under way and ends all subscriptions. */
  close(): void
  /** A key for `dedup` that no other call has. */
  key(): string
  /** Calls any op, with the protocol's names of fields. A `wait` of more than an hour, also `Infinity`,
   * is an hour: the longest that a server takes. A call with arguments that can't be sent is
   * `INVALID_REQUEST`, and disturbs no other. */
  request(op: string, fields?: object, options?: CallOptions & { wait?: number }): Promise<any>
  subscribe(options?: SubscriptionOptions): Promise<Subscription>

  /** `wait` is the longest time that the reply waits for effects, with `settle`; an hour at most. */
  send<State = any>(to: string, event: GroveEvent, options?: SendFields & CallOptions & { wait?: number }): Promise<SendReply<State>>
  batch(items: (Omit<SendFields, 'settle'> & { to: string, event: GroveEvent })[],
    options?: CallOptions & { atomic?: boolean }): Promise<{ results: ((SendReply & { ok: true }) | { error: any })[] }>
  create<State = any>(to: string, options?: CallOptions & { dedup?: string, input?: object }):
    Promise<{ v: number, cur: string, state?: State, outputs?: any[], dup?: true }>
  get<State = any>(to: string, options?: CallOptions & { at?: number, in?: boolean }): Promise<Instance<State>>
  can<State = any>(to: string, event: GroveEvent, options?: CallOptions):
    Promise<{ can: boolean, state?: State, accepts?: string[], reason?: string }>
  list<State = any>(options?: CallOptions & ListFilter): Promise<Page<InstanceItem<State>, string>>
  /** All instances of a filter, page by page. */
  instances<State = any>(options?: CallOptions & ListFilter): AsyncGenerator<InstanceItem<State>>
  history<State = any>(to: string, options?: CallOptions & { after?: number, limit?: number }):
    Promise<Page<Step<State>, number> & { first?: number }>
  /** All steps of an instance, oldest first. */
  steps<State = any>(to: string, options?: CallOptions & { after?: number, limit?: number }): AsyncGenerator<Step<State>>
  effects(options?: CallOptions & { to?: string, phase?: Phase, after?: string, limit?: number }): Promise<Page<Effect, string>>
  /** Give exactly one of `effect`, `timer` and `request`. */
  cancel(to: string, options: CallOptions & { effect?: number | string, timer?: string, request?: string }):
    Promise<{ cancelled: number[], cur: string }>
  /** Without an effect, releases an instance that the server has set aside. */
  retry(to: string, effect?: number, options?: CallOptions & { event?: GroveEvent }): Promise<any>
  complete(token: string, result: JSONValue, options?: CallOptions): Promise<{}>
  /** Answers an effect that waits for an answer from outside with a failure. */
  fail(token: string, reason: string, options?: CallOptions): Promise<{}>
  /** Waits until an instance is done or in a state, at most `wait`, by default 30,000; an hour at most. */
  await<State = any>(to: string, until?: string, options?: CallOptions & { wait?: number, in?: boolean }): Promise<Instance<State>>
  stop(to: string, options?: CallOptions & { reason?: string }): Promise<{ v: number, cur: string }>
  suspend(options: CallOptions & { to?: string, machine?: string, reason?: string }): Promise<{ v?: number, cur: string, changed: boolean }>
  resume(options: CallOptions & { to?: string, machine?: string }): Promise<{ v?: number, cur?: string, changed: boolean }>
  delete(to: string, options?: CallOptions): Promise<{ v: number, cur: string }>
  import(to: string, options: CallOptions & {
    v: number, state: any, definition?: { version: string }, done?: boolean, result?: any, dedup?: string, trial?: boolean
  }): Promise<SendReply>
  definitions(options?: CallOptions & { counts?: boolean }): Promise<{ items: Definition[] }>
  define(definition: object, options?: CallOptions & { trial?: boolean }): Promise<DefineReply>
  undefine(name: string, options?: CallOptions): Promise<{ instances: number }>
  /** Removes the versions of a machine as data that no instance has, but for the present one. */
  prune(name: string, options?: CallOptions):
    Promise<{ removed: string[], kept: { version: string, instances: number }[] }>
  migrate(to: string, options?: CallOptions & { version?: string, states?: object, context?: object, trial?: boolean }): Promise<any>
  describe(name: string, options?: CallOptions & { format?: 'mermaid' | 'dot' }): Promise<Description>
  ping(options?: CallOptions & { health?: boolean, t?: number }): Promise<{ time: string, health?: any, t?: number }>
  stats(options?: CallOptions): Promise<{ [name: string]: number }>
  /** The numbers over time, the oldest first: of each second, or of each ten seconds. */
  stats(options: CallOptions & { series: '1s' | '10s' }):
    Promise<{ every_ms: number, until: string, series: { [name: string]: (number | null)[] } }>
  /** Proves who the client is with another token of the same principal, from now on. */
  auth(token: string, options?: CallOptions): Promise<{ principal: string, grants: string[], expires?: string }>
  accounts(options?: CallOptions & { action?: string, [field: string]: any }): Promise<any>
  token(options: CallOptions & { action: string, [field: string]: any }): Promise<any>
  audit(options?: CallOptions & { after?: number, limit?: number }): Promise<any>
  reload(options?: CallOptions): Promise<ReloadReply>
  /** A copy of all data; see the protocol for the steps. */
  backup(options?: CallOptions & { backup?: string, offset?: number, bytes?: number, end?: true }): Promise<any>
}
