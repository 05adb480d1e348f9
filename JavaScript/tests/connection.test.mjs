/** Connections: heartbeats, tokens, pauses, and their end. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { Client } from '../grove.js'
import { code, fast, play } from './servers.mjs'

test('heartbeats are answered, and a silent server is left', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.write({ op: 'ping', t: 1 })
    await connection.request('get')
    assert.deepEqual(await connection.line(), { op: 'ping' })
  }, async connection => {
    await connection.greet({ heartbeat_ms: 20 })
    await connection.closed()
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'), { v: 7 })
  })
  const c = client()
  await c.connected()
  assert.equal((await c.get('c/a')).v, 7)
  c.close()
  await server.finish()
})

test('a peer that is no server is refused', async () => {
  for (const line of ['SSH-2.0-x', '[]', '{"op":"hello","proto":[2]}', '{"id":null}']) {
    const { server, client } = await play(async connection => {
      connection.write(line)
      await connection.closed()
    })
    const c = client()
    await assert.rejects(c.connected(), code('PROTOCOL_VIOLATION'))
    c.close()
    await server.finish()
  }
  const { server, client } = await play(async connection => {
    connection.write({ error: { code: 'OVERLOADED', message: 'full', retry: true } })
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('ping'))
  })
  const c = client()
  await c.ping()
  c.close()
  await server.finish()
})

test('a token is shown before anything else, and a refused one is not tried again', async () => {
  const { server, client } = await play(async connection => {
    connection.write({ op: 'hello', proto: [1], auth_required: true })
    const hello = await connection.request('hello')
    assert.equal(hello.token, 'grove_a')
    connection.reply(hello, { principal: 'shop' })
    connection.reply(await connection.request('ping'))
    const auth = await connection.request('auth')
    connection.reply(auth, { principal: 'shop' })
    connection.socket.end()
  }, async connection => {
    connection.write({ op: 'hello', proto: [1], auth_required: true })
    const hello = await connection.request('hello')
    assert.equal(hello.token, 'grove_b')
    connection.refuse(hello, 'UNAUTHENTICATED', { retry: false })
    await connection.closed()
  })
  const c = client({ token: 'grove_a' })
  await c.ping()
  assert.equal(c.session.principal, 'shop')
  await c.auth('grove_b')
  await new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  await assert.rejects(c.ping(), code('UNAUTHENTICATED'))
  c.close()
  await server.finish()
})

test('a token goes only to this machine or through TLS', async () => {
  const c = new Client('example.invalid:7400', { ...fast })
  await assert.rejects(c.auth('grove_x'), code('TOKEN_NEEDS_TLS'))
  c.close()
})

test('a program that was asleep keeps its connection', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet({ heartbeat_ms: 40 })
    for (;;) {
      const request = await connection.line()
      connection.reply(request)
      if (request.op === 'get') return
    }
  })
  const c = client()
  await c.connected()
  for (let times = 0; times < 3; times += 1) {
    const end = performance.now() + 200
    while (performance.now() < end);
    await new Promise(resolve => setTimeout(resolve, 60))
  }
  await c.get('c/a')
  c.close()
  await server.finish()
})

test('a server that takes each connection and ends it at once is not stormed', async () => {
  let attempts = 0
  const { server, client } = await play(...Array.from({ length: 100 }, () => async connection => {
    attempts += 1
    await connection.greet()
  }))
  const c = client({ firstDelay: 10, delayMax: 10_000, timeout: 400 })
  await c.connected()
  await assert.rejects(c.get('c/a'), { retry: true })
  assert.ok(attempts < 12, `${attempts} attempts`)
  c.close()
  await server.finish()
})

test('a listener of the status may call and close', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'))
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('ping'))
    await connection.closed()
  })
  const c = client()
  let pings
  c.addEventListener('status', () => {
    if (c.status === 'idle') pings ??= c.ping()
  })
  await c.get('c/a')
  while (!pings) await new Promise(setImmediate)
  await pings
  c.close()
  await server.finish()
  for (const status of ['connecting', 'waiting']) {
    const closing = new Client('127.0.0.1:1', fast)
    closing.addEventListener('status', () => { if (closing.status === status) closing.close() })
    await assert.rejects(closing.ping(), code('CLOSED'))
    assert.equal(closing.status, 'closed')
  }
})

test('a subscription that waits for the server says why', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.refuse(await connection.request('subscribe'), 'OVERLOADED')
    connection.reply(await connection.request('subscribe'), { cur: 'c1' })
    await connection.closed()
  })
  const c = client({ firstDelay: 10 })
  const seen = []
  c.addEventListener('status', () => seen.push([c.status, c.refusal?.code]))
  await c.subscribe()
  assert.deepEqual(seen.filter(([status]) => status === 'open'),
    [['open', undefined], ['open', 'OVERLOADED'], ['open', undefined]])
  c.close()
  assert.equal(c.refusal, undefined)
  await server.finish()
})

test('a refused subscription that ends is no reason any more', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.refuse(await connection.request('subscribe'), 'OVERLOADED', { retry_after_ms: 60_000 })
    await connection.closed()
  })
  const c = client()
  const abort = new AbortController()
  const subscription = c.subscribe({ signal: abort.signal })
  while (!c.refusal) await new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  const said = new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  abort.abort(new Error('enough'))
  await said
  assert.equal(c.refusal, undefined)
  await assert.rejects(subscription, /enough/)
  c.close()
  await server.finish()
})

test('a closed client leaves nothing that keeps a program', { timeout: 30_000 }, async () => {
  const refuse = async connection => {
    await connection.greet()
    connection.refuse(await connection.line(), 'OVERLOADED', { retry_after_ms: 60_000 })
    await connection.closed()
  }
  const silent = connection => connection.closed()
  const { server } = await play(refuse, refuse, silent, silent)
  const program = `
    import { Client } from ${JSON.stringify(new URL('../grove.js', import.meta.url).href)}
    const options = { firstDelay: 60_000, delayMax: 60_000, timeout: 60_000, connectTimeout: 60_000 }
    const end = (client, work) => {
      work.then(() => process.exit(3), error => { if (error.code !== 'CLOSED') process.exit(4) })
      setTimeout(() => client.close(), 400)
    }
    const there = () => new Client('${server.address}', options)
    const use = (client, work) => end(client, work(client))
    use(there(), client => client.get('c/a'))
    use(there(), client => client.subscribe({}))
    use(there(), client => client.get('c/a'))
    use(new Client('127.0.0.1:1', options), client => client.get('c/a'))
    const early = there()
    end(early, early.get('c/a'))
    early.close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' })
  const status = await new Promise(resolve => child.once('exit', resolve))
  assert.equal(status, 0)
  await server.finish()
})
