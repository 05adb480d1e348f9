/** Calls that are sent again, and their order. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { code, play } from './servers.mjs'

test('unanswered calls are sent again in order with their keys', async () => {
  const keys = []
  const { server, client } = await play(async connection => {
    await connection.greet()
    for (let n = 0; n < 6; n += 1) keys.push((await connection.request('send')).dedup)
  }, async connection => {
    await connection.greet()
    for (let n = 0; n < 9; n += 1) {
      const send = await connection.request('send')
      assert.equal(send.event, `e${n}`)
      if (n < 6) assert.equal(send.dedup, keys[n])
      connection.reply(send, { v: n })
    }
  })
  const c = client()
  const replies = await Promise.all(Array.from({ length: 9 }, (_, n) => c.send(`c/${n % 2}`, `e${n}`)))
  assert.deepEqual(replies.map(reply => reply.v), [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(new Set(keys).size, 6)
  c.close()
  await server.finish()
})

test('a writing call without a key is not sent twice', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    await connection.request('stop')
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('ping'))
  })
  const c = client()
  await assert.rejects(c.stop('c/a'), error => error.code === 'CONNECTION_LOST' && error.outcomeUnknown)
  await c.ping()
  c.close()
  await server.finish()
})

test('a postponed call delays only its instance', async () => {
  const order = []
  const { server, client } = await play(async connection => {
    await connection.greet()
    const [a1, a2, b1] = [await connection.line(), await connection.line(), await connection.line()]
    connection.refuse(a1, 'OVERLOADED')
    connection.reply(b1)
    const b2 = await connection.request('send')
    assert.equal(b2.event, 'b2')
    connection.reply(b2)
    connection.reply(a2)
    const again = await connection.request('send')
    assert.deepEqual([again.event, again.dedup], ['a1', a1.dedup])
    connection.reply(again)
    const a3 = await connection.request('send')
    assert.equal(a3.event, 'a3')
    connection.reply(a3)
  })
  const c = client()
  const send = (to, event) => c.send(to, event).then(() => order.push(event))
  const first = [send('c/a', 'a1'), send('c/a', 'a2')]
  await send('c/b', 'b1')
  const third = send('c/a', 'a3')
  await send('c/b', 'b2')
  await Promise.all([...first, third])
  assert.deepEqual(order, ['b1', 'b2', 'a2', 'a1', 'a3'])
  c.close()
  await server.finish()
})

test('which refusals are repeated', async () => {
  const rows = [
    ['OVERLOADED', 'stop', true], ['SUSPENDED', 'send', true], ['RATE_LIMITED', 'get', true],
    ['STORAGE_ERROR', 'send', true], ['STORAGE_ERROR', 'get', false], ['UNAVAILABLE', 'send', true],
    ['UNAVAILABLE', 'stop', false], ['TIMEOUT', 'await', false], ['EVENT_REJECTED', 'send', false, false],
  ]
  for (const [name, op, isRepeated, retry = true] of rows) {
    const { server, client } = await play(async connection => {
      await connection.greet()
      connection.refuse(await connection.request(op), name, { retry })
      if (isRepeated) connection.reply(await connection.request(op), { v: 1 })
    })
    const c = client()
    const call = op === 'send' ? c.send('c/a', 'go') : c[op]('c/a')
    if (isRepeated) assert.equal((await call).v, 1, name)
    else await assert.rejects(call, code(name))
    c.close()
    await server.finish()
  }
})

test('one by one, the next call waits for the answer before', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const [a1, b1] = [await connection.line(), await connection.line()]
    assert.deepEqual([a1.event, b1.event], ['a1', 'b1'])
    connection.refuse(a1, 'OVERLOADED')
    connection.reply(b1)
    for (const event of ['a1', 'a2']) {
      const send = await connection.line()
      assert.equal(send.event, event)
      connection.reply(send)
    }
  })
  const c = client({ order: 'one-by-one' })
  await Promise.all([c.send('c/a', 'a1'), c.send('c/a', 'a2'), c.send('c/b', 'b1')])
  c.close()
  await server.finish()
})

test('calls that end a suspension do not wait for it', async () => {
  const passing = ['get', 'history', 'cancel', 'stop', 'resume', 'suspend', 'delete']
  const { server, client } = await play(async connection => {
    await connection.greet()
    const send = await connection.request('send')
    // This one comes before the refusal, and the pause of its own.
    const early = await connection.request('get')
    connection.refuse(send, 'SUSPENDED', { retry_after_ms: 300 })
    connection.refuse(early, 'RATE_LIMITED', { retry_after_ms: 10 })
    connection.reply(await connection.request('get'))
    for (const op of passing) connection.reply(await connection.request(op))
    for (const event of ['e0', 'e1']) {
      const again = await connection.request('send')
      assert.equal(again.event, event)
      connection.reply(again)
    }
  })
  const c = client()
  const sends = [c.send('c/a', 'e0')]
  await c.get('c/a')
  sends.push(c.send('c/a', 'e1'))
  for (const op of passing) await c.request(op, { to: 'c/a' })
  await Promise.all(sends)
  c.close()
  await server.finish()
})

test('calls that were held pass by once the instance is suspended', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    // In the ordinary case they are sent in their order, also after other refusals.
    connection.refuse(await connection.request('send'), 'OVERLOADED')
    connection.refuse(await connection.request('send'), 'SUSPENDED', { retry_after_ms: 300 })
    for (const op of ['get', 'resume']) connection.reply(await connection.request(op))
    for (const event of ['e0', 'e1']) {
      const again = await connection.request('send')
      assert.equal(again.event, event)
      connection.reply(again)
    }
    // One that is refused itself keeps its place.
    for (let n = 0; n < 3; n += 1) connection.refuse(await connection.request('delete'), 'STORAGE_FULL')
    for (const op of ['delete', 'create']) connection.reply(await connection.request(op))
  })
  const c = client({ order: 'one-by-one' })
  await Promise.all([c.send('c/a', 'e0'), c.get('c/a'), c.resume({ to: 'c/a' }), c.send('c/a', 'e1')])
  await Promise.all([c.delete('c/a'), c.create('c/a')])
  c.close()
  await server.finish()
})

test('a call that waits behind another ends with the other\'s refusal', async () => {
  const tell = []
  const refusals = [0, 1].map(index => new Promise(resolve => { tell[index] = resolve }))
  const { server, client } = await play(async connection => {
    await connection.greet()
    for (const [index, refusal] of ['SUSPENDED', 'STORAGE_ERROR'].entries()) {
      connection.refuse(await connection.request('send'), refusal, { retry_after_ms: 60_000 })
      // The client answers once it has read the refusal.
      connection.write({ op: 'ping' })
      assert.deepEqual(await connection.line(), { op: 'ping' })
      tell[index]()
    }
    await connection.closed()
  })
  const c = client({ timeout: 1_000 })
  const ends = []
  for (const [index, to] of ['c/a', 'c/b'].entries()) {
    ends.push(assert.rejects(c.send(to, 'e0'), code(to === 'c/a' ? 'SUSPENDED' : 'STORAGE_ERROR')))
    await refusals[index]
    // The second one was never sent, so its own outcome is known.
    ends.push(assert.rejects(c.send(to, 'e1'), code(to === 'c/a' ? 'SUSPENDED' : 'UNREACHABLE')))
  }
  await Promise.all(ends)
  c.close()
  await server.finish()
})

test('a line that the server could not read ends no other call', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.reply(await connection.request('subscribe'), { cur: 'p' })
    const stop = await connection.request('stop')
    await connection.request('send')
    connection.write({ id: null, error: { code: 'BAD_JSON', message: 'no' } })
    connection.reply(stop, { v: 1 })
    connection.write({ sub: 's1', cur: 'q', to: 'c/a', v: 1, kind: 'state' })
    await connection.closed()
  })
  const c = client()
  const records = await c.subscribe()
  const stop = c.stop('c/a')
  const unread = assert.rejects(c.send('c/b', 'go', { timeout: 500 }),
    error => error.code === 'NO_REPLY' && /BAD_JSON/.test(error.message))
  assert.equal((await stop).v, 1)
  assert.equal((await records.next()).value.v, 1)
  await unread
  c.close()
  await server.finish()
})

test('a draining server gets no more calls', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const first = await connection.line()
    connection.write({ op: 'draining', deadline_ms: 1000 })
    connection.refuse(await connection.line(), 'DRAINING')
    connection.reply(first)
  }, async connection => {
    await connection.greet()
    for (const event of ['e2', 'e3']) {
      const send = await connection.line()
      assert.equal(send.event, event)
      connection.reply(send)
    }
  })
  const c = client()
  const calls = [c.send('c/a', 'e1'), c.send('c/a', 'e2')]
  await calls[0]
  calls.push(c.send('c/a', 'e3'))
  await Promise.all(calls)
  c.close()
  await server.finish()
})

test('thousands of aborted calls hold up nobody', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'))
    const last = await connection.request('get')
    assert.equal(last.at, 1)
    connection.reply(last)
  })
  const c = client({ order: 'one-by-one' })
  const abort = new AbortController()
  const first = c.get('c/a', { at: 0 })
  const aborted = Array.from({ length: 5000 }, () => c.get('c/a', { signal: abort.signal }))
  const last = c.get('c/a', { at: 1 })
  const ends = Promise.allSettled(aborted)
  abort.abort()
  await Promise.all([first, last])
  assert.ok((await ends).every(end => end.reason.name === 'AbortError'))
  c.close()
  await server.finish()
})
