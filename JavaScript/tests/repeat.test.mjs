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
