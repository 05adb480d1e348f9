/** The sessions of README.md, which say in comments what they print. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { format } from 'node:util'
import { connect } from '../grove.js'
import { needsServer, RealServer } from './servers.mjs'

test('the sessions of the README', needsServer, async t => {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code)
  assert.ok(blocks.length >= 4)
  const code = blocks.join('').replace(/^import .*\n/m, '')
  const expected = [...code.matchAll(/(?:console\.log\(.*\)|^) ?\/\/ (.*)$/gm)].map(([, text]) => text)
  const server = await RealServer.start()
  t.after(() => server.remove())
  const printed = []
  const AsyncFunction = (async () => {}).constructor
  const session = new AsyncFunction('connect', 'console', code)
  await session(
    url => connect(url.replace('127.0.0.1:7400', server.address)),
    { log: (...values) => printed.push(format(...values)) })
  assert.deepEqual(printed, expected)
})
