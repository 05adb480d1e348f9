/**
 * A client for Grove servers: one module without dependencies, for browsers (WebSocket) and for
 * Node 18 and later (TCP, TLS and Unix sockets too). README.md shows its use, grove.d.ts documents
 * what programs see, and docs/clients.md has its promises. Browsers load this file as it is, so the
 * comments here are only about how it works.
 */

export const version = '0.1.0'

// Node 18 has no global of this name; browsers never import the module.
const crypto = globalThis.crypto ?? (await import('node:crypto')).webcrypto

/** Ops that only read, and can always be repeated. */
const READING = new Set(
  'audit await can definitions describe effects get history list ping stats'.split(' '))
/** Refusals after which nobody knows whether the request was carried out. */
const OPEN = new Set(['TIMEOUT', 'UNAVAILABLE', 'STORAGE_ERROR'])
/** Refusals that guarantee that nothing was done, and that end by themselves. */
const PASSING = new Set(
  'DRAINING OVERLOADED RATE_LIMITED STORAGE_FULL NOT_OWNER SUSPENDED'.split(' '))
/** Refusals that an operator may have to end, by a call that doesn't wait for them. */
const HOLDING = new Set(['STORAGE_FULL', 'SUSPENDED'])
/** Ops that don't wait while one of these holds up their instance. */
const PASSING_BY = new Set([...READING, 'cancel', 'delete', 'resume', 'stop', 'suspend'])
/** Refusals of a line whose id the server couldn't read; it goes on with the next line. */
const UNREAD = new Set(['BAD_JSON', 'BAD_REQUEST', 'LINE_TOO_LONG'])
/** Ops that belong to a connection and not to a call. */
const LINKED = new Set(['hello', 'subscribe', 'unsubscribe', 'credit'])
const TIMER_MAX = 2 ** 31 - 1
/** The longest wait for effects or a state that a server takes. */
const WAIT_MAX = 3_600_000
/** A server's bounds of a line: its nesting with the request itself, and its values. */
const DEPTH_MAX = 64
const VALUES_MAX = 99_000

// Errors

export class GroveError extends Error {
  constructor(code, message = '', more = {}) {
    super(message || code)
    this.name = 'GroveError'
    this.code = code
    this.retry = more.retry ?? false
    this.outcomeUnknown = more.outcomeUnknown ?? false
    this.data = more.data
    this.retryAfter = more.retryAfter ?? 0
    this.isRefusal = more.isRefusal ?? false
  }
}

const unreachable = text => new GroveError('UNREACHABLE', text, { retry: true })
const lost = text => new GroveError('CONNECTION_LOST', text, { retry: true, outcomeUnknown: true })
const noReply = text => new GroveError('NO_REPLY', text, { retry: true, outcomeUnknown: true })
const invalid = text => new GroveError('INVALID_REQUEST', text)
const closed = () => new GroveError('CLOSED', 'the client was closed')
const violation = text => new GroveError('PROTOCOL_VIOLATION', text)

function refusal(error) {
  const { code = 'INTERNAL', message = '', retry = false, data, retry_after_ms: after } = error ?? {}
  return new GroveError(String(code), String(message), {
    retry: retry === true, outcomeUnknown: OPEN.has(code), data, isRefusal: true,
    retryAfter: typeof after === 'number' ? after : 0,
  })
}

// Lines

function encode(fields) {
  let text
  try {
    text = JSON.stringify(fields)
  } catch (error) {
    throw invalid(error.message)
  }
  checkSize(text)
  // Only `JSON.rawJSON` writes such numbers and escapes; read again, they are as the others.
  if (JSON.rawJSON && /\d{309}|e\+?\d{3}|\\uD/i.test(text)) {
    const value = JSON.parse(text)
    checkValues(value, JSON.stringify(value))
  }
  checkValues(fields, text)
  return text
}

function checkValues(fields, text) {
  // `JSON.stringify` writes NaN and Infinity as null, which would be another value.
  if (text.includes('null')) {
    JSON.stringify(fields, (_, value) => {
      if (typeof value === 'number' && !Number.isFinite(value)) throw invalid(`${value} isn't JSON`)
      return value
    })
  }
  // It escapes lone surrogates, which no server may accept.
  if (text.includes('\\ud')) {
    for (const [, half] of text.matchAll(/\\(?:u(d[89a-f]..)|.)/g)) {
      if (half) throw invalid('a string has half a character (a lone surrogate)')
    }
  }
}

// A server can't read the id of a line beyond its bounds, so it couldn't say which request it refuses.
function checkSize(text) {
  if ((text.match(/[[{]/g)?.length ?? 0) < DEPTH_MAX && text.length < VALUES_MAX) return
  let [depth, values, isString] = [0, 1, false]
  // Without a pattern for whole strings: for those of many megabytes it has no room.
  for (const [part] of text.matchAll(/\\.|["[{\]},]/g)) {
    if (part === '"') isString = !isString
    if (part === '"' || isString) continue
    if (part === '[' || part === '{') depth += 1
    else if (part === ']' || part === '}') depth -= 1
    if (part !== ']' && part !== '}') values += 1
    if (depth > DEPTH_MAX) throw invalid(`values are nested deeper than ${DEPTH_MAX}`)
    if (values > VALUES_MAX) throw invalid(`a request has at most ${VALUES_MAX} values`)
  }
}

const isTime = value => typeof value === 'number' && value >= 0
const isCount = value => Number.isSafeInteger(value) && value >= 1
const isFlag = value => typeof value === 'boolean'
const isBound = value => isTime(value) && value >= 1
/** Whether it is a text that isn't too long and has no half of a character. */
const isText = (value, most) =>
  typeof value === 'string' && value.length <= most && !/\p{Surrogate}/u.test(value)

const TOKEN_MAX = 4096
const shown = value => typeof value === 'number' ? value : typeof value

function checkTime(time) {
  if (time !== undefined && !isTime(time)) {
    throw invalid(`a time is a number of milliseconds, not ${shown(time)}`)
  }
}

function checkSignal(signal) {
  if (!signal) return
  for (const name of ['throwIfAborted', 'addEventListener', 'removeEventListener']) {
    if (typeof signal[name] !== 'function') throw invalid('a signal is an AbortSignal')
  }
  signal.throwIfAborted()
}

function frame(op, number, text, timeout) {
  let line = `{"op":${JSON.stringify(op)}`
  if (number !== undefined) line += `,"id":${number}`
  if (text.length > 2) line += ',' + text.slice(1, -1)
  if (timeout !== undefined) line += `,"timeout_ms":${timeout}`
  return line + '}'
}

/** Returns the length of a text in UTF-8, exact only where it comes near the bound. */
function byteCount(text, bound) {
  return text.length * 3 <= bound ? text.length : new TextEncoder().encode(text).length
}

// Addresses

function readAddress(text) {
  if (typeof text !== 'string' && !(text instanceof URL)) throw new TypeError('a client needs an address')
  const given = String(text)
  if (/^(https?|wss?):\/\//i.test(given)) {
    const url = new URL(given)
    url.protocol = url.protocol.replace('http', 'ws')
    if (url.pathname === '/') url.pathname = '/v1/socket'
    url.hash = ''
    return { url: url.href, host: url.hostname.replace(/^\[|\]$/g, ''), isTLS: url.protocol === 'wss:' }
  }
  if (given.startsWith('unix:') && given.length > 5) {
    return { path: given.slice(5).replace(/^\/\/(?=\/)/, '') }
  }
  const isTLS = given.startsWith('tls:')
  const match = /^(?:tcp:\/\/|tls:(?:\/\/)?)?(\[[0-9a-f:.%]+\]|[^:\s/[\]]*)(?::(\d{1,5}))?\/?$/i.exec(given)
  const port = Number(match?.[2] ?? 7400)
  if (!match || port > 65535 || (isTLS && match[2] === undefined)) {
    const forms = 'HOST:PORT, tls:HOST:PORT, unix:PATH, or a URL of ws, wss, http or https'
    throw new TypeError(`"${given}" is not ${forms}`)
  }
  return { host: match[1].replace(/^\[|\]$/g, '') || '127.0.0.1', port, isTLS }
}

/** Whether a token may go there: through TLS, or to this machine. */
function mayHaveToken(address) {
  const { host, path, isTLS } = address
  return path !== undefined || isTLS || host === 'localhost' || host.endsWith('.localhost')
    || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host) || /^::ffff:(127\.|7f)/i.test(host)
}

// Connections: `send` takes a line, `close` ends at once. Events: `line`, `end` with an error.

function openWebSocket(address, options, events) {
  const Socket = options.WebSocket ?? globalThis.WebSocket
  if (!Socket) {
    throw new GroveError('UNREACHABLE', 'this program has no WebSocket: Node has one from version 22 '
      + 'on; or use HOST:PORT, or give one as the option WebSocket')
  }
  const socket = new Socket(address.url, 'grove.v1')
  let isOpen = false
  socket.onopen = () => { isOpen = true }
  socket.onmessage = event => events.line(event.data)
  socket.onclose = event => {
    socket.onclose = null
    const reason = event.reason || `the connection was closed (${event.code})`
    const text = isOpen ? reason : `${address.url}: no WebSocket`
    events.end(isOpen ? lost(text) : unreachable(text))
  }
  // The event has no reason. `close` follows, but in Node 22 not always.
  socket.onerror = () => setTimeout(() => socket.onclose?.({ code: 1006 }), 100)
  return {
    send: line => { if (socket.readyState === 1) socket.send(line) },
    close: () => {
      socket.onmessage = socket.onclose = null
      socket.close()
    },
  }
}

async function openSocket(address, options, events) {
  const { host, port, path, isTLS } = address
  const net = await import('node:net')
  const place = path === undefined ? { host, port, autoSelectFamily: true } : { path }
  const name = path === undefined ? `${host}:${port}` : `unix:${path}`
  let socket
  if (isTLS) {
    const tls = await import('node:tls')
    const servername = net.isIP(host) ? undefined : host
    const defaults = { minVersion: 'TLSv1.2', ALPNProtocols: ['grove/1'], servername }
    try {
      socket = tls.connect({ ...defaults, ...options.tls, ...place })
    } catch (error) {
      // An option that no attempt can use.
      throw new GroveError('TLS_FAILED', `${name}: ${error.message}`, { data: { reason: error.code } })
    }
  } else {
    socket = net.connect(place)
  }
  let isOpen = false
  let waiting = ''
  let rest = ''
  let problem
  socket.setNoDelay(true)
  socket.setEncoding('utf8')
  socket.on(isTLS ? 'secureConnect' : 'connect', () => { isOpen = true })
  socket.on('data', chunk => {
    let start = 0
    for (let end; (end = chunk.indexOf('\n', start)) >= 0; start = end + 1) {
      const line = rest + chunk.slice(start, end)
      rest = ''
      if (line !== '' && line !== '\r') events.line(line)
    }
    rest += chunk.slice(start)
    if (rest.length > options.lineMax) events.end(violation(`a line is longer than ${options.lineMax}`))
  })
  socket.on('error', error => { problem = error })
  socket.on('close', () => {
    const text = `${name}: ${problem?.message || 'the server closed the connection'}`
    const isForTLS = isTLS && problem && !isOpen && problem.syscall === undefined
      && !/ECONN|socket disconnected|internal error/i.test(`${problem.code} ${problem.message}`)
    if (isForTLS) events.end(new GroveError('TLS_FAILED', text, { data: { reason: problem.code } }))
    else events.end(isOpen ? lost(text) : unreachable(text))
  })
  return {
    // Lines of one turn go out together.
    send: line => {
      if (waiting === '') {
        queueMicrotask(() => {
          const text = waiting
          waiting = ''
          if (!socket.destroyed) socket.write(text)
        })
      }
      waiting += line + '\n'
    },
    close: () => {
      socket.removeAllListeners('data')
      socket.destroy()
    },
  }
}

// Calls

/** Whether the answer waits for effects or a state, at most `wait`. */
const isPatient = (op, { settle }) => op === 'await' || (settle ?? 'none') !== 'none'

/** One request from its submission to its answer, with all its repeats. */
class Call {
  constructor(op, fields, text, order) {
    this.op = op
    // Encoded now: values that the caller changes afterwards don't change a repeat.
    this.text = text
    this.order = order
    this.isPatient = isPatient(op, fields)
    this.isReading = READING.has(op)
    this.isRepeatable = this.isReading || fields.dedup !== undefined || isIdempotent(op, fields)
      || (op === 'batch' && fields.items.every(item => item.dedup !== undefined))
    /** The key of the calls whose order is kept: the instance, or the call's own number. */
    this.lane = typeof fields.to === 'string' && op !== 'await' ? fields.to : order
    this.isOver = false
    this.isUnknown = false
    this.promise = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }))
  }

  /** The error of a call that isn't under way, which `holding` may have stopped. */
  expiry(holding) {
    if (!this.isUnknown) {
      // Another call's open outcome isn't this one's.
      if (holding && !this.last?.isRefusal) {
        const text = `not sent within ${this.timeout} ms: ${holding.code}`
        return holding.outcomeUnknown ? unreachable(text) : holding
      }
      return this.last ?? unreachable(`not sent within ${this.timeout} ms`)
    }
    if (this.last?.isRefusal && this.last.outcomeUnknown) return this.last
    return noReply(`no reply within ${this.timeout} ms`)
  }

  isWorthRepeating(error) {
    if (!error.retry || this.isOver) return false
    if (PASSING.has(error.code)) return true
    // A read of damaged data, and a time that the caller has set, are reported at once.
    if (error.code === 'STORAGE_ERROR' && this.isReading) return false
    if (error.code === 'TIMEOUT' && this.isPatient) return false
    return this.isRepeatable
  }
}

function isIdempotent(op, { action, new: isNew }) {
  if (op === 'accounts') {
    return [undefined, 'list', 'revoke'].includes(action) || (action === 'change' && !isNew)
  }
  return op === 'auth' || op === 'reload' || (op === 'token' && action === 'revoke')
}

/**
 * The order of the calls about each instance. A postponed call stops its lane until a pause is over
 * and all calls under way are answered. Then it is sent alone, and the others after its answer. A
 * call that needn't wait for that gets a lane of its own.
 */
class Lanes {
  constructor(isOneByOne) {
    this.isOneByOne = isOneByOne
    this.lanes = new Map()
  }

  lane(name) {
    let lane = this.lanes.get(name)
    // The phase is open, paused, gathering or probing; `refused` and `refusal` say what has stopped it.
    if (!lane) this.lanes.set(name, lane = { phase: 'open', underWay: 0, held: [], stops: 0 })
    return lane
  }

  weight(call) {
    return this.isOneByOne || !call.isPatient ? 1 : 0
  }

  admit(call) {
    const lane = this.lane(call.lane)
    const isFree = !(this.isOneByOne && lane.underWay)
    if (lane.phase === 'open' && !lane.held.length && isFree) {
      lane.underWay += this.weight(call)
      return true
    }
    if (this.letsBy(lane, call)) {
      this.leave(call)
      return true
    }
    lane.held.push(call)
    return false
  }

  /** Whether a call doesn't wait for another one that the server refuses until somebody acts. */
  letsBy({ refused, refusal }, call) {
    return HOLDING.has(refusal?.code) && refused !== call && PASSING_BY.has(call.op)
  }

  /** Moves a call that is to be sent now to a lane of its own. */
  leave(call) {
    call.lane = call.order
    this.lane(call.lane).underWay += this.weight(call)
  }

  settle(call) {
    const lane = this.lanes.get(call.lane)
    if (!lane) return []
    lane.underWay -= this.weight(call)
    // The answer to a long wait doesn't count as the probe's.
    const isProbe = lane.phase === 'probing' && (this.weight(call) || !lane.underWay)
    if (isProbe || lane.phase === 'open') {
      lane.phase = 'open'
      lane.stops = 0
      lane.refused = lane.refusal = undefined
    }
    return this.release(call.lane, lane)
  }

  /** Returns how often in a row the call's lane was stopped, if a pause must start now, else 0; and
   * the calls that may be sent now. */
  putOff(call, error) {
    const name = call.lane
    const lane = this.lane(name)
    lane.underWay -= this.weight(call)
    if (this.letsBy(lane, call)) {
      // It was already sent when another call stopped the lane.
      this.leave(call)
      const passing = this.release(name, lane)
      return { ...this.putOff(call, error), passing }
    }
    Object.assign(lane, { refused: call, refusal: error })
    const isNewest = !(lane.held.at(-1)?.order > call.order)
    lane.held.push(call)
    if (!isNewest) lane.held.sort((a, b) => a.order - b.order)
    // The last call under way may be postponed after the pause for another one is over.
    const isLast = lane.phase === 'gathering' && !lane.underWay
    let stops = 0
    if (lane.phase === 'open' || lane.phase === 'probing' || isLast) {
      lane.phase = 'paused'
      stops = ++lane.stops
    }
    const passing = lane.held.filter(held => this.letsBy(lane, held))
    if (passing.length) lane.held = lane.held.filter(held => !this.letsBy(lane, held))
    for (const held of passing) this.leave(held)
    return { stops, passing }
  }

  resume(name) {
    const lane = this.lanes.get(name)
    if (lane?.phase !== 'paused') return []
    lane.phase = 'gathering'
    return this.release(name, lane)
  }

  takeAll() {
    const held = [...this.lanes.values()].flatMap(lane => lane.held)
    this.lanes.clear()
    return held
  }

  /** Removes a call that is held, if it is; returns what has stopped its lane. */
  remove(call) {
    const lane = this.lanes.get(call.lane)
    const place = lane ? lane.held.indexOf(call) : -1
    if (place < 0) return undefined
    lane.held.splice(place, 1)
    this.dropIfOver(call.lane, lane)
    return lane.refusal
  }

  release(name, lane) {
    if (lane.phase === 'gathering' && !lane.underWay) lane.phase = 'probing'
    const calls = []
    if (lane.phase === 'open' || lane.phase === 'probing') {
      const isNarrow = this.isOneByOne || lane.phase === 'probing'
      while (lane.held.length && !(isNarrow && lane.underWay)) {
        const call = lane.held.shift()
        lane.underWay += this.weight(call)
        calls.push(call)
      }
    }
    this.dropIfOver(name, lane)
    return calls
  }

  dropIfOver(name, lane) {
    if (!lane.underWay && !lane.held.length && lane.phase !== 'paused') this.lanes.delete(name)
  }
}

// The client

const DEFAULTS = {
  name: `grove-javascript/${version}`, token: undefined, timeout: 10_000, connectTimeout: 5000,
  retry: true, makeKeys: true, order: 'pipelined', firstDelay: 100, delayMax: 5000, jitter: 0.5,
  callsMax: 16_384, bytesMax: 2 ** 26, credit: 256, lineMax: 2 ** 26, tls: {}, WebSocket: undefined,
}

/** What an option takes, as a test and in words. */
const TIME = [isTime, 'a number of milliseconds']
const COUNT = [isCount, 'an integer from 1']
const BOUND = [isBound, 'a number from 1']
const FLAG = [isFlag, 'true or false']
const CHECKS = {
  name: [value => isText(value, 1000), 'a text of at most 1,000 characters'],
  token: [value => isText(value, TOKEN_MAX), `a text of at most ${TOKEN_MAX} characters`],
  timeout: TIME, connectTimeout: TIME, firstDelay: TIME, delayMax: TIME, retry: FLAG, makeKeys: FLAG,
  order: [value => value === 'pipelined' || value === 'one-by-one', '\'pipelined\' or \'one-by-one\''],
  jitter: [value => isTime(value) && value <= 1, 'a number from 0 to 1'],
  callsMax: BOUND, bytesMax: BOUND, lineMax: BOUND, credit: COUNT,
  tls: [value => typeof value === 'object', 'an object'],
  WebSocket: [value => typeof value === 'function', 'a class'],
}

export async function connect(url, { signal, ...options } = {}) {
  const client = new Client(url, options)
  try {
    await client.connected({ signal })
  } catch (error) {
    client.close()
    throw error
  }
  return client
}

export class Client extends EventTarget {
  #options; #address; #keyPrefix; #lanes
  #keys = 0; #orders = 0; #ids = 0; #names = 0
  #waiting = []
  #outgoing = []
  #isTransmitting = false
  #pending = new Map()
  #subscriptions = new Map()
  #arrivals = new Set()
  #timers = new Set() // Those of the present connection.
  #signals = new Map()
  #calls = 0
  #size = 0
  #transport // The connection, once requests may be sent.
  #proving // The connection, until the server has accepted the token.
  #end // Ends the present connection or attempt.
  #skipPause
  #isRunning = false
  #heard = 0 // When the server was heard last.
  #asked // When it was asked for a sign of life, while it hasn't given one.
  #opened // When the present connection was made.
  #failures = 0
  #isDraining = false
  #doubt = '' // Why one of the calls under way may never be answered.
  #isClosed = false

  constructor(url, options = {}) {
    super()
    for (const name of Object.keys(options)) {
      if (!Object.hasOwn(DEFAULTS, name)) throw new TypeError(`there is no option ${name}`)
    }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    for (const [name, value] of Object.entries(given)) {
      const [isRight, words] = CHECKS[name]
      if (!isRight(value)) throw new TypeError(`the option ${name} is ${words}`)
    }
    this.#options = { ...DEFAULTS, ...given }
    this.#address = readAddress(url)
    this.#lanes = new Lanes(this.#options.order === 'one-by-one')
    const random = crypto.getRandomValues(new Uint8Array(16))
    this.#keyPrefix = [...random].map(byte => byte.toString(16).padStart(2, '0')).join('') + '.'
    this.greeting = {}
    this.session = {}
    this.status = 'idle'
    this.problem = undefined
  }

  get refusal() {
    for (const subscription of this.#subscriptions.values()) {
      if (subscription._refusal) return subscription._refusal
    }
    return undefined
  }

  connected({ timeout = this.#options.timeout, signal } = {}) {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#transport) return Promise.resolve()
    const waits = new Promise((resolve, reject) => {
      checkTime(timeout)
      checkSignal(signal)
      const arrival = { resolve, reject }
      this.#arrivals.add(arrival)
      this.#limit(arrival, timeout, signal, error => this.#settleArrival(arrival, error),
        () => this.problem ?? unreachable(`no connection within ${timeout} ms`))
    })
    this.#wake()
    return waits
  }

  hurry() {
    this.#skipPause?.()
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const subscription of this.#subscriptions.values()) subscription._end(closed())
    this.#subscriptions.clear()
    this.#lost(closed())
    this.#end?.(closed())
    this.#skipPause?.()
    this.#become('closed')
  }

  [Symbol.dispose ?? Symbol.for('dispose')]() {
    this.close()
  }

  // Calls

  key() {
    return this.#keyPrefix + ++this.#keys
  }

  request(op, fields = {}, { wait, timeout, signal } = {}) {
    try {
      return this.#start(op, { ...fields }, wait, timeout, signal)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #start(op, fields, wait, timeout, signal) {
    if (this.#isClosed) throw closed()
    checkSignal(signal)
    if (typeof op !== 'string' || !/^[a-z]{1,32}$/.test(op)) throw invalid('an op is a word of small letters')
    if (LINKED.has(op)) throw invalid(`${op} belongs to the connection, and is no call`)
    for (const name of ['op', 'id', 'jsonrpc']) {
      if (name in fields) throw invalid(`the client itself sets ${name}`)
    }
    if (typeof fields.toJSON === 'function') throw invalid('the fields of a request have no toJSON')
    // The name of `wait` on the wire. A line with it twice would end the connection.
    if (isPatient(op, fields)) {
      if (wait === undefined) wait = fields.timeout_ms
      delete fields.timeout_ms
    }
    for (const time of [wait, timeout]) checkTime(time)
    if (wait > WAIT_MAX) wait = WAIT_MAX
    this.#addKeys(op, fields)
    const text = encode(fields)
    const { callsMax, bytesMax } = this.#options
    if (this.#calls >= callsMax || (this.#calls && this.#size + text.length > bytesMax)) {
      throw new GroveError('QUEUE_FULL', `${this.#calls} calls wait for their answers`, { retry: true })
    }
    const call = new Call(op, fields, text, ++this.#orders)
    if (op === 'auth') this.#adoptToken(call, fields.token)
    call.wait = call.isPatient ? wait : undefined
    call.timeout = timeout ?? this.#options.timeout + (call.isPatient ? wait ?? WAIT_MAX : 0)
    this.#calls += 1
    this.#size += text.length
    this.#limit(call, call.timeout, signal, error => this.#drop(call, error))
    if (this.#transport) {
      this.#dispatch(call)
    } else {
      this.#waiting.push(call)
      this.#wake()
    }
    return call.promise
  }

  #addKeys(op, fields) {
    const isMaking = this.#options.makeKeys && this.#options.retry
    if (op === 'batch') {
      if (!Array.isArray(fields.items) || fields.items.some(item => Object(item) !== item)) {
        throw invalid('a batch has items, an array of objects')
      }
      // Copies: a key belongs to this call, and the caller may use the object again.
      fields.items = fields.items.map(item =>
        isMaking ? { ...item, dedup: item.dedup ?? this.key() } : item)
    } else if (isMaking && (op === 'send' || op === 'create' || (op === 'import' && !fields.trial))) {
      fields.dedup ??= this.key()
    }
  }

  #adoptToken(call, token) {
    if (!CHECKS.token[0](token)) throw invalid(`a token is ${CHECKS.token[1]}`)
    if (!mayHaveToken(this.#address)) throw needsTLS()
    // The next connection begins with it, if there is none now.
    if (!this.#transport) this.#options.token = token
    else call.promise.then(() => { this.#options.token = token }, () => {})
  }

  #limit(wait, timeout, signal, fail, expiry) {
    if (timeout !== Infinity) {
      wait.timer = setTimeout(() => fail(expiry?.()), Math.min(Math.max(0, timeout), TIMER_MAX))
    }
    if (!signal) return
    // One listener for all that wait: Node warns of more than ten.
    let waits = this.#signals.get(signal)
    if (!waits) {
      waits = new Set()
      waits.abort = () => { for (const end of [...waits]) end(signal.reason) }
      try {
        signal.addEventListener('abort', waits.abort)
      } catch (error) {
        fail(error)
        return
      }
      this.#signals.set(signal, waits)
    }
    wait.signal = signal
    waits.add(fail)
    wait.release = () => {
      if (!waits.delete(fail) || waits.size) return
      // A signal that outlives the client must not keep it.
      signal.removeEventListener('abort', waits.abort)
      this.#signals.delete(signal)
    }
    if (signal.aborted) fail(signal.reason)
  }

  #finish(call, error, reply) {
    if (call.isOver) return
    call.isOver = true
    this.#calls -= 1
    this.#size -= call.text.length
    clearTimeout(call.timer)
    call.release?.()
    if (error) call.reject(error)
    else call.resolve(reply)
  }

  /** Ends a call whose time is over, or that its caller has given up with an error. */
  #drop(call, error) {
    if (this.#pending.get(call.number) === call) {
      this.#pending.delete(call.number)
      this.#finish(call, error ?? noReply(`no reply within ${call.timeout} ms${this.#doubt}`))
      this.#settle(call)
      return
    }
    const place = this.#waiting.indexOf(call)
    const holding = place < 0 ? this.#lanes.remove(call) : undefined
    if (place >= 0) this.#waiting.splice(place, 1)
    this.#finish(call, error ?? call.expiry(holding))
  }

  #dispatch(call) {
    if (call.isOver) return
    if (this.#isDraining || !this.#transport) this.#waiting.push(call)
    else if (this.#lanes.admit(call)) this.#transmit([call])
  }

  #settle(call) {
    this.#transmit(this.#lanes.settle(call))
  }

  /** A call that isn't sent releases others: they wait in a queue, because there may be thousands. */
  #transmit(calls) {
    this.#outgoing.push(...calls)
    if (this.#isTransmitting) return
    this.#isTransmitting = true
    try {
      for (let place = 0; place < this.#outgoing.length; place += 1) {
        this.#transmitOne(this.#outgoing[place])
      }
    } finally {
      this.#outgoing = []
      this.#isTransmitting = false
    }
  }

  #transmitOne(call) {
    if (this.#isDraining || !this.#transport) {
      this.#waiting.push(call)
      return
    }
    if (call.isOver || call.signal?.aborted) {
      this.#settle(call)
      return
    }
    const now = performance.now()
    call.started ??= now
    let timeout
    if (call.wait !== undefined) timeout = Math.max(1, Math.round(call.wait - (now - call.started)))
    call.number = ++this.#ids
    let line
    try {
      line = this.#frame(call.op, call.number, call.text, timeout)
    } catch (error) {
      this.#finish(call, error)
      this.#settle(call)
      return
    }
    this.#pending.set(call.number, call)
    this.#transport.send(line)
  }

  /** A line for this server, which would end the connection at one that is too long. */
  #frame(op, number, text, timeout) {
    const line = frame(op, number, text, timeout)
    const bound = this.greeting.max_line ?? Infinity
    const count = byteCount(line, bound)
    if (count > bound) throw invalid(`the request has ${count} bytes, the server takes ${bound}`)
    return line
  }

  #answered(call, error, reply) {
    if (!(error && this.#options.retry && call.isWorthRepeating(error))) {
      this.#finish(call, error, reply)
      this.#settle(call)
      return
    }
    call.last = error
    if (error.outcomeUnknown && !call.isReading) call.isUnknown = true
    if (error.code === 'DRAINING') {
      // All later calls on this connection are refused too, so the order stays.
      this.#isDraining = true
      this.#waiting.push(call)
      return
    }
    const { stops, passing } = this.#lanes.putOff(call, error)
    this.#transmit(passing)
    if (!stops) return
    this.#later(this.#pause(stops, error), () => {
      if (this.#transport) this.#transmit(this.#lanes.resume(call.lane))
    })
  }

  #pause(failures, error) {
    const { firstDelay, delayMax, jitter } = this.#options
    const pause = Math.min(delayMax, firstDelay * 2 ** Math.min(failures - 1, 30))
    return Math.max(pause * (1 - jitter * Math.random()), error?.retryAfter ?? 0)
  }

  /** Does something after a time, unless the connection has ended by then. */
  #later(pause, work) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, Math.min(pause, TIMER_MAX))
    this.#timers.add(timer)
    return timer
  }

  // The connection

  #become(status, problem) {
    if (this.status === status && this.problem === problem) return
    this.status = status
    this.problem = problem
    this.dispatchEvent(new Event('status'))
  }

  get #isNeeded() {
    return !this.#isClosed
      && this.#waiting.length + this.#subscriptions.size + this.#arrivals.size > 0
  }

  #wake() {
    if (!this.#isRunning) this.#run()
  }

  /** Keeps a connection while a call or a subscription needs one. A listener of `status` may call
   * anything, so nothing is left to do after it. */
  async #run() {
    this.#isRunning = true
    while (this.#isNeeded) {
      const error = await this.#attempt()
      if (this.#isClosed) break
      this.#lost(error)
      if (!this.#isNeeded) {
        this.#isRunning = false
        this.#become('idle', error)
        return
      }
      this.#failures += 1
      const rest = this.#rest(this.#pause(this.#failures, error))
      this.#become('waiting', error)
      await rest
    }
    this.#isRunning = false
  }

  async #rest(pause) {
    await new Promise(resolve => {
      const timer = setTimeout(resolve, Math.min(pause, TIMER_MAX))
      this.#skipPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#skipPause = undefined
  }

  /** Returns the reason for the end of a connection. */
  #attempt() {
    this.#become('connecting', this.problem)
    if (this.#isClosed) return closed()
    return new Promise(resolve => {
      let transport
      let isOver = false
      const end = error => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        transport?.close()
        resolve(error)
      }
      const name = this.#address.url ?? this.#address.path ?? `${this.#address.host}:${this.#address.port}`
      const timer = setTimeout(
        () => end(unreachable(`${name}: no greeting from a server`)),
        Math.min(this.#options.connectTimeout, TIMER_MAX))
      this.#end = end
      let hasGreeting = false
      const line = text => {
        if (isOver) return
        this.#heard = performance.now()
        this.#asked = undefined
        try {
          const document = parse(text)
          if (hasGreeting) this.#receive(document)
          else this.#greeted(document, transport)
          hasGreeting = true
          if (this.#transport) clearTimeout(timer)
        } catch (error) {
          end(error instanceof GroveError ? error : violation(String(error)))
        }
      }
      const open = this.#address.url ? openWebSocket : openSocket
      new Promise(opened => opened(open(this.#address, this.#options, { line, end }))).then(opened => {
        transport = opened
        if (isOver) transport.close()
      }, error => end(error instanceof GroveError ? error : unreachable(String(error?.message ?? error))))
    })
  }

  #greeted(greeting, transport) {
    if (greeting.error) throw refusal(greeting.error)
    if (greeting.op !== 'hello' || !Array.isArray(greeting.proto) || !greeting.proto.includes(1)) {
      throw violation('the server did not greet as a Grove server does')
    }
    this.greeting = greeting
    const { name, token } = this.#options
    if (token !== undefined && !mayHaveToken(this.#address)) throw needsTLS()
    // With a token, nothing else is sent before the server knows who asks: not as somebody else.
    if (token === undefined) this.#transport = transport
    else this.#proving = transport
    const number = ++this.#ids
    this.#pending.set(number, { hello: true })
    transport.send(frame('hello', number, encode({ proto: 1, client: name, token })))
    this.#asked = undefined
    this.#watch()
    if (this.#transport) this.#sendWaiting()
  }

  #sendWaiting() {
    this.#opened = performance.now()
    this.#become('open')
    for (const arrival of this.#arrivals) this.#settleArrival(arrival)
    for (const subscription of [...this.#subscriptions.values()]) this.#subscribe(subscription)
    const waiting = this.#waiting.sort((a, b) => a.order - b.order)
    this.#waiting = []
    for (const call of waiting) this.#dispatch(call)
  }

  #settleArrival(arrival, error) {
    this.#arrivals.delete(arrival)
    clearTimeout(arrival.timer)
    arrival.release?.()
    if (error) arrival.reject(error)
    else arrival.resolve()
  }

  /**
   * Closes the connection when the server is silent for three heartbeats. A script can't see those
   * of WebSocket, so the client asks too. A program that was asleep has heard nothing either: only a
   * question without an answer counts.
   */
  #watch() {
    const beat = this.greeting.heartbeat_ms
    const transport = this.#transport ?? this.#proving
    if (!transport || !(beat > 0)) return
    const now = performance.now()
    const silence = now - this.#heard
    if (silence >= beat * 3 && now - this.#asked >= beat) {
      this.#end?.(lost('the server is silent'))
      return
    }
    if (silence >= beat * 1.4) {
      this.#asked ??= now
      if (this.#transport) {
        const number = ++this.#ids
        this.#pending.set(number, { ping: true })
        transport.send(frame('ping', number, '{}'))
      }
    }
    this.#later(beat / 2, () => this.#watch()).unref?.()
  }

  #receive(document) {
    if ('id' in document) {
      this.#replied(document)
    } else if ('sub' in document) {
      this.#failures = 0
      this.#subscriptions.get(document.sub)?._receive(document)
    } else if (document.op === 'ping') {
      const transport = this.#transport ?? this.#proving
      transport?.send('{"op":"ping"}')
    } else if (document.op === 'draining') {
      // New calls wait for the next connection.
      this.#isDraining = this.#options.retry
    }
  }

  #replied({ id, ok, error: problem, ...reply }) {
    const error = problem === undefined ? undefined : refusal(problem)
    if (id === null && UNREAD.has(error?.code) && this.#transport) {
      // It goes on with the next line, and answers all others.
      this.#doubt = `; the server couldn't read a line (${error.code}: ${error.message})`
      return
    }
    // Another error without a number is about the connection, not about one request.
    if (id === null) throw error ?? violation('a reply with an id that was never sent')
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    // A server may accept every connection and end it at once: only work counts as success.
    if (!error && !pending.hello) this.#failures = 0
    if (pending instanceof Call) {
      this.#answered(pending, error, reply)
    } else if (pending instanceof Subscription) {
      this.#subscribed(pending, error, reply)
    } else if (pending.hello) {
      if (error) throw error
      this.session = reply
      if (!this.#proving) return
      this.#transport = this.#proving
      this.#proving = undefined
      this.#sendWaiting()
    }
  }

  #lost(error) {
    this.#transport = this.#proving = undefined
    this.#isDraining = false
    this.#doubt = ''
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    if (performance.now() - this.#opened > this.#options.delayMax) this.#failures = 0
    this.#opened = undefined
    const isRetrying = this.#options.retry && error.retry
    const unsent = error.code === 'CONNECTION_LOST' ? unreachable(error.message) : error
    const isOwn = error.code === 'CONNECTION_LOST' || error.code === 'CLOSED'
    const sent = [...this.#pending.values()].filter(pending => pending instanceof Call)
    const kept = [...this.#waiting, ...this.#lanes.takeAll()]
    this.#pending.clear()
    this.#waiting = []
    for (const call of sent) {
      call.isUnknown ||= !call.isReading
      this.#requeue(call, isOwn ? error : lost(error.message), isRetrying && call.isRepeatable)
    }
    for (const call of kept) this.#requeue(call, unsent, isRetrying)
    if (!isRetrying) {
      for (const arrival of this.#arrivals) this.#settleArrival(arrival, unsent)
    }
    for (const subscription of [...this.#subscriptions.values()]) {
      if (error.retry && (subscription._isStarted || this.#options.retry)) {
        subscription._interrupt(unsent)
      } else {
        this.#subscriptions.delete(subscription.name)
        subscription._end(unsent)
      }
    }
  }

  #requeue(call, error, mayRepeat) {
    if (mayRepeat && !call.isOver) {
      call.last = error
      this.#waiting.push(call)
    } else {
      this.#finish(call, error)
    }
  }

  // Subscriptions

  async subscribe({ timeout = this.#options.timeout, signal, ...options } = {}) {
    if (this.#isClosed) throw closed()
    checkSignal(signal)
    checkTime(timeout)
    const name = `s${++this.#names}`
    const { credit = this.#options.credit } = options
    const subscription = new Subscription(name, { ...options, credit }, {
      write: (op, fields) => this.#transport?.send(frame(op, undefined, JSON.stringify(fields))),
      end: () => this.#unsubscribe(subscription),
    })
    this.#subscriptions.set(name, subscription)
    if (this.#transport) this.#subscribe(subscription)
    else this.#wake()
    const wait = {}
    const fail = error => {
      this.#unsubscribe(subscription)
      subscription._end(error)
    }
    this.#limit(wait, timeout, signal, fail,
      () => subscription._last ?? noReply(`no reply within ${timeout} ms`))
    try {
      await subscription._started
    } catch (error) {
      wait.release?.()
      throw error
    } finally {
      clearTimeout(wait.timer)
    }
    subscription._release = wait.release
    return subscription
  }

  #subscribe(subscription) {
    if (!this.#transport || this.#subscriptions.get(subscription.name) !== subscription) return
    const number = ++this.#ids
    let line
    try {
      line = this.#frame('subscribe', number, encode(subscription._begin()))
    } catch (error) {
      this.#changeRefusal(() => {
        this.#subscriptions.delete(subscription.name)
        subscription._end(error)
      })
      return
    }
    this.#pending.set(number, subscription)
    this.#transport.send(line)
  }

  #subscribed(subscription, error, reply) {
    if (!this.#subscriptions.has(subscription.name)) return
    this.#changeRefusal(() => {
      subscription._refusal = undefined
      if (!error) {
        subscription._accepted(reply)
      } else if (error.retry && (this.#options.retry || subscription._isStarted)) {
        subscription._last = subscription._refusal = error
        this.#failures += 1
        this.#later(this.#pause(this.#failures, error), () => this.#subscribe(subscription))
      } else {
        this.#subscriptions.delete(subscription.name)
        subscription._end(error)
      }
    })
  }

  /** Says by an event that `refusal` has begun or ended with some work. */
  #changeRefusal(work) {
    const before = this.refusal
    work()
    if (before !== this.refusal) this.dispatchEvent(new Event('status'))
  }

  #unsubscribe({ name }) {
    let isThere
    this.#changeRefusal(() => { isThere = this.#subscriptions.delete(name) })
    if (!isThere) return
    this.#transport?.send(frame('unsubscribe', undefined, JSON.stringify({ sub: name })))
  }
}

/** Records in their order, each once, also after a lost connection. It has one consumer. */
export class Subscription {
  #link; #select; #position; #slow; #trace; #window; #marks; #isInSnapshot
  #entries = []
  #wakers = []
  #records = 0
  #outstanding = 0
  #isLinked = false
  #isOver = false
  #error

  constructor(name, options, link) {
    const { machine, instance, kind, type, from, after, slow, traceparent, ...own } = options
    const { snapshot, credit, marks, ...others } = own
    for (const other of Object.keys(others)) throw invalid(`there is no option ${other}`)
    if (!isCount(credit)) throw invalid(`the option credit is ${COUNT[1]}`)
    this.name = name
    this.cursor = undefined
    this.reply = {}
    this.#link = link
    // Copies: what isn't JSON is refused here, and the caller may change the values afterwards.
    const position = after === undefined ? from ?? 'now' : { after }
    const given = { machine, instance, kind, type, from: position, slow, traceparent }
    const copies = JSON.parse(encode(given))
    for (const key of Object.keys(given)) {
      // Without it, everything would be selected.
      if (given[key] !== undefined && copies[key] === undefined) throw invalid(`${key} isn't JSON`)
    }
    const { from: start, slow: pace, traceparent: trace, ...select } = copies
    this.#select = select
    this.#position = start
    this.#slow = pace
    this.#trace = trace
    this.#isInSnapshot = snapshot === true
    this.#window = credit
    this.#marks = marks === true
    this._isStarted = false
    this._last = undefined
    this._refusal = undefined
    this._release = undefined
    this._started = new Promise((resolve, reject) => { this._start = { resolve, reject } })
    this._started.catch(() => {})
  }

  [Symbol.asyncIterator]() {
    return this
  }

  async next() {
    for (;;) {
      while (!this.#entries.length) {
        if (this.#isOver) {
          const error = this.#error
          this.#error = undefined
          if (error) throw error
          return { done: true, value: undefined }
        }
        await new Promise(resolve => this.#wakers.push(resolve))
      }
      const [entry, cursor] = this.#entries.shift()
      if (entry.mark === undefined) {
        this.#records -= 1
        this.#grant()
      }
      if (cursor !== undefined) this.cursor = cursor
      if (entry.mark === undefined || this.#marks) return { done: false, value: entry }
      if (entry.mark === 'gap') {
        throw new GroveError('GAP', `records were removed: ${entry.reason}`, { data: entry })
      }
    }
  }

  async return(value) {
    this.close()
    return { done: true, value }
  }

  close() {
    this.#link.end()
    this._end(undefined)
  }

  _begin() {
    this.#isLinked = true
    this.#outstanding = Math.max(1, this.#window - this.#records)
    const fields = { sub: this.name, select: this.#select, from: this.#position }
    if (this.#isInSnapshot) fields.snapshot = true
    return { ...fields, slow: this.#slow, credit: this.#outstanding, traceparent: this.#trace }
  }

  _accepted(reply) {
    this.reply = reply
    // Without records a resume continues from here, and misses nothing.
    const isOpen = this.#position === 'now' || this.#position?.last !== undefined
    if (isOpen && !this.#isInSnapshot && reply.cur !== undefined) {
      this.#position = { after: reply.cur }
    }
    if (!this._isStarted) {
      this._isStarted = true
      this._start.resolve()
    }
    this.#grant()
  }

  _receive({ sub, ...entry }) {
    if (this.#isOver) return
    const { mark } = entry
    if (mark === 'snapshot') this.#isInSnapshot = false
    // A resume from a cursor within a snapshot would skip the rest of the snapshot.
    const cursor = this.#isInSnapshot ? undefined : entry.cur
    if (cursor !== undefined) this.#position = { after: cursor }
    if (mark === undefined) {
      this.#outstanding -= 1
      this.#records += 1
    } else if (mark === 'checkpoint' && this.#entries.at(-1)?.[0].mark === 'checkpoint') {
      // Only the newest of the waiting checkpoints is kept.
      this.#entries.pop()
    }
    this.#entries.push([entry, cursor])
    this.#wake()
  }

  _interrupt(error) {
    this.#isLinked = false
    this._last = error
    this._refusal = undefined
    if (!this.#isInSnapshot) return
    // The server sends the snapshot again from its beginning.
    this.#entries = []
    this.#records = 0
    if (this._isStarted && this.#marks) {
      this.#entries.push([{ mark: 'anew' }, undefined])
      this.#wake()
    }
  }

  _end(error) {
    if (this.#isOver) return
    this.#isOver = true
    this.#isLinked = false
    this._release?.()
    if (this._isStarted) this.#error = error
    else this._start.reject(error ?? new GroveError('CLOSED', 'the subscription was closed'))
    this.#wake()
  }

  #grant() {
    const room = this.#window - this.#records - this.#outstanding
    if (!this.#isLinked || !this._isStarted || room < Math.max(1, Math.floor(this.#window / 2))) return
    this.#outstanding += room
    this.#link.write('credit', { sub: this.name, n: room })
  }

  #wake() {
    const wakers = this.#wakers
    this.#wakers = []
    for (const wake of wakers) wake()
  }
}

function parse(line) {
  let document
  try {
    document = JSON.parse(line)
  } catch (error) {
    throw violation(`the server sent a line that is no JSON: ${error.message}`)
  }
  if (Object(document) !== document || Array.isArray(document)) {
    throw violation('the server sent a line that is no object')
  }
  return document
}

function needsTLS() {
  return new GroveError('TOKEN_NEEDS_TLS', 'a token isn\'t sent in plaintext to another machine, '
    + 'where others can read it: connect with TLS, to this machine, or to a Unix socket')
}

// A method for each op, with the arguments that it requires.

const OPS = [
  ['send', ['to', 'event']], ['create', ['to']], ['get', ['to']], ['can', ['to', 'event']],
  ['batch', ['items']], ['list', []], ['history', ['to']], ['effects', []], ['cancel', ['to']],
  ['retry', ['to', 'effect']], ['complete', ['token', 'result']], ['stop', ['to']], ['delete', ['to']],
  ['import', ['to']], ['suspend', []], ['resume', []], ['definitions', []], ['define', ['definition']],
  ['undefine', ['name']], ['prune', ['name']], ['migrate', ['to']], ['describe', ['name']],
  ['ping', []], ['stats', []], ['auth', ['token']], ['accounts', []], ['token', []], ['audit', []],
  ['reload', []], ['backup', []],
]

for (const [op, names] of OPS) {
  Client.prototype[op] = function (...values) {
    const { wait, timeout, signal, ...fields } = values[names.length] ?? {}
    names.forEach((name, place) => { fields[name] = values[place] })
    return this.request(op, fields, { wait, timeout, signal })
  }
}

Object.assign(Client.prototype, {
  await(to, until = 'done', { timeout_ms: time = 30_000, wait = time, timeout, signal, ...fields } = {}) {
    return this.request('await', { to, until, ...fields }, { wait, timeout, signal })
  },

  fail(token, reason, options = {}) {
    return this.request('complete', { token, error: reason }, options)
  },

  instances(filter) {
    return pages(this, 'list', { limit: 1000, ...filter })
  },

  steps(to, filter) {
    return pages(this, 'history', { to, limit: 1000, ...filter })
  },
})

async function* pages(client, op, { timeout, signal, ...fields }) {
  for (;;) {
    const page = await client.request(op, fields, { timeout, signal })
    yield* page.items
    if (page.next === undefined) return
    fields.after = page.next
  }
}
