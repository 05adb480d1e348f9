/** Servers to test against: the real one, and one that plays a script. */

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client, GroveError } from '../grove.js'

const here = path.dirname(fileURLToPath(import.meta.url))

/** The server to test against. One that is named must be there: a skipped test looks like success. */
export const binary = path.resolve(process.env.GROVE_BINARY || path.join(here, '../../.build/debug/grove'))
export const needsServer = existsSync(binary) ? {} : { skip: `there is no server: ${binary}` }
if (process.env.GROVE_BINARY && needsServer.skip) throw new Error(needsServer.skip)

/** Options of clients that lose no time. */
export const fast = { firstDelay: 1, delayMax: 5, timeout: 30_000 }

/** Whether an error is a `GroveError` with a code. */
export const code = name => error => error instanceof GroveError && error.code === name

/** Plays scripts, and makes clients of that server. */
export async function play(...scripts) {
  const server = await playScripts(...scripts)
  return { server, client: options => new Client(server.address, { ...fast, ...options }) }
}

/** A data file, and `grove serve` on it, as often as the test needs. */
export class RealServer {
  #process
  #flags

  /** Starts one; then `address` is the one for lines, and `webListen` the one for HTTP. */
  static async start({ address = '127.0.0.1:0', flags = [], prepare } = {}) {
    const server = new RealServer()
    server.folder = await mkdtemp(path.join(tmpdir(), 'grove-javascript-'))
    server.address = address
    server.webListen = '127.0.0.1:0'
    server.#flags = flags
    await prepare?.(server.folder)
    await server.start()
    return server
  }

  /**
   * Starts it, at the same addresses as before, and waits until it listens. A connection of any
   * program may have got its port meanwhile, so it tries for some seconds.
   */
  async start() {
    for (let attempt = 1; ; attempt += 1) {
      const problem = await this.#startOnce()
      if (problem === undefined) return
      const isTaken = problem.includes('Address already in use')
      if (!isTaken || attempt === 50) throw new Error(`the server did not listen: ${problem}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  /** Returns what the server has said if it has ended. */
  async #startOnce() {
    const child = spawn(binary, ['serve', '--listen', this.address, '--web-listen', this.webListen,
      '--data', path.join(this.folder, 'data.grove'), ...this.#flags],
    { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#process = child
    const closed = new Promise(resolve => child.once('close', resolve))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', text => { said = (said + text).slice(-4_096) })
    for await (const line of readline.createInterface(child.stdout)) {
      const text = line.split(' ')[1]
      if (!line.startsWith('listening ')) continue
      if (!/^https?:/.test(text)) this.address = text
      else if (this.webListen.endsWith(':0')) this.webListen = text.replace(/^https?:\/\//, '')
      else this.readListen = text.replace(/^https?:\/\//, '')
      const isAll = this.readListen || !this.#flags.includes('--web-listen-read')
      if (isAll && !this.address.endsWith(':0') && /^https?:/.test(text)) return undefined
    }
    await closed
    return said
  }

  /** Ends it as a crash does. */
  kill() {
    return this.#end('SIGKILL')
  }

  /** Ends it gracefully. */
  stop() {
    return this.#end('SIGTERM')
  }

  async #end(signal) {
    const child = this.#process
    this.#process = undefined
    if (!child) return
    const ended = child.exitCode ?? child.signalCode
    if (ended !== null) return
    const exit = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await exit
  }

  async remove() {
    await this.kill()
    await rm(this.folder, { recursive: true })
  }
}

/** The server's end of one connection. */
class Connection {
  #lines
  constructor(socket) {
    this.socket = socket
    this.#lines = readline.createInterface(socket)[Symbol.asyncIterator]()
  }

  write(value) {
    this.socket.write((typeof value === 'string' ? value : JSON.stringify(value)) + '\n')
  }

  async greet(more = {}) {
    this.write({ op: 'hello', server: 'grove', version: '9', proto: [1], ...more })
    const hello = await this.request('hello')
    this.reply(hello)
    return hello
  }

  async line() {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the client has closed')
    return JSON.parse(value)
  }

  async request(op) {
    const request = await this.line()
    if (request.op !== op) throw new Error(`expected ${op}, got ${JSON.stringify(request)}`)
    return request
  }

  reply({ id }, fields = {}) {
    this.write({ id, ok: true, ...fields })
  }

  refuse({ id }, code, more = {}) {
    this.write({ id, error: { code, message: 'no', retry: true, ...more } })
  }

  /** Waits until the client closes. */
  async closed() {
    while (!(await this.#lines.next()).done);
  }
}

/** Plays the first script to the first connection, the second to the second, and closes all further
 * ones at once. */
export async function playScripts(...scripts) {
  const results = []
  const server = net.createServer(async socket => {
    socket.on('error', () => {})
    const script = scripts.shift()
    if (!script) {
      socket.destroy()
      return
    }
    const done = script(new Connection(socket)).finally(() => socket.destroySoon())
    done.catch(() => {})
    results.push(done)
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${server.address().port}`,
    /** Waits until all scripts that began have ended, and fails if one of them has. */
    async finish() {
      server.close()
      await Promise.all(results)
    },
  }
}

/** A WebSocket as browsers have it, as far as the client uses it: Node has one from version 22 on. */
export class TestWebSocket {
  readyState = 0
  #socket
  #rest = Buffer.alloc(0)
  #parts = []

  constructor(url, protocol) {
    const { hostname, port, pathname, host } = new URL(url)
    const key = randomBytes(16).toString('base64')
    this.#socket = net.connect({ host: hostname, port: Number(port) })
    this.#socket.on('connect', () => this.#socket.write([
      `GET ${pathname} HTTP/1.1`, `Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade',
      `Sec-WebSocket-Key: ${key}`, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Protocol: ${protocol}`,
      `Origin: http://${host}`, '', ''].join('\r\n')))
    this.#socket.on('data', data => {
      this.#rest = Buffer.concat([this.#rest, data])
      if (this.readyState === 0) this.#shake(key, protocol)
      if (this.readyState === 1) this.#read()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.readyState = 3
      this.onclose?.({ code: this.code ?? 1006, reason: '' })
    })
  }

  send(text) {
    this.#write(1, Buffer.from(text))
  }

  close() {
    this.#socket.destroy()
  }

  #shake(key, protocol) {
    const end = this.#rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#rest.subarray(0, end).toString()
    this.#rest = this.#rest.subarray(end + 4)
    const accept = createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64')
    if (!head.startsWith('HTTP/1.1 101') || !head.includes(accept) || !head.includes(protocol)) {
      this.#socket.destroy()
      return
    }
    this.readyState = 1
    this.onopen?.()
  }

  #read() {
    while (this.#rest.length >= 2) {
      const [first, second] = this.#rest
      const short = second & 0x7f
      const start = short === 126 ? 4 : short === 127 ? 10 : 2
      if (this.#rest.length < start) return
      const length = short === 126 ? this.#rest.readUInt16BE(2)
        : short === 127 ? Number(this.#rest.readBigUInt64BE(2)) : short
      if (this.#rest.length < start + length) return
      const payload = this.#rest.subarray(start, start + length)
      this.#rest = this.#rest.subarray(start + length)
      this.#take(first, payload)
    }
  }

  #take(first, payload) {
    const opcode = first & 15
    if (opcode === 9) this.#write(10, payload)
    if (opcode === 8) {
      this.code = payload.length ? payload.readUInt16BE(0) : 1005
      this.#socket.end()
    }
    if (opcode > 2) return
    this.#parts.push(payload)
    if (!(first & 128)) return
    const data = Buffer.concat(this.#parts).toString()
    this.#parts = []
    this.onmessage?.({ data })
  }

  #write(opcode, payload) {
    const mask = randomBytes(4)
    const head = payload.length < 126 ? [payload.length | 128]
      : payload.length < 65_536 ? [254, payload.length >> 8, payload.length & 255]
        : [255, 0, 0, 0, 0, ...[24, 16, 8, 0].map(shift => (payload.length >> shift) & 255)]
    const masked = Buffer.from(payload.map((byte, place) => byte ^ mask[place & 3]))
    this.#socket.write(Buffer.concat([Buffer.from([128 | opcode, ...head]), mask, masked]))
  }
}
