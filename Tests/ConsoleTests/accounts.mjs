/** A server with accounts, and an address that only reads. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { Client } from '../../JavaScript/grove.js'
import { binary, RealServer } from '../../JavaScript/tests/servers.mjs'

/** Makes a token of a principal, before the server's first start or through it. */
function token(server, principal, grants, more = []) {
  return execFileSync(binary, ['token', 'create', '--principal', principal, ...grants.flatMap(grant => ['--grant', grant]), ...more],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}

async function signIn(stage, secret) {
  await stage.until(() => stage.browser.js('return document.activeElement?.type === "password"'), 'the field of the token')
  await stage.type(secret)
  await stage.press('enter')
}

/** Whether the buttons of some names are disabled, with a reason. */
const disabled = (stage, ...names) => stage.browser.js(`return arguments[0].map(name =>
  [...document.querySelectorAll('main button')].filter(item => item.innerText === name)
    .every(item => item.disabled && item.title.length + document.querySelector('main').innerText.search(/grant|only reads/) > 0))`, names)

export const tests = {
  'tokens: none, a wrong one, a right one, a reader’s, a revoked one': async stage => {
    let secret, reader
    const server = await RealServer.start({ prepare: folder => {
      const data = ['--data', `${folder}/data.grove`]
      secret = token(undefined, 'ops', ['admin */*', 'read,subscribe,manage,send */*'], data)
      reader = token(undefined, 'viewer', ['read,subscribe */*'], data)
    } })
    const origin = `http://${server.webListen}`
    const ops = new Client(server.address, { token: secret, timeout: 10_000 })
    try {
      await ops.send('counter/a', 'increment')
      await stage.go('counter/a', origin)
      await stage.see(/Who are you\?/)
      assert.doesNotMatch(await stage.text(), /UNAUTHENTICATED/)
      await signIn(stage, 'grove_wrong')
      await stage.see(/UNAUTHENTICATED: the token isn't right/)
      await signIn(stage, secret)
      await stage.see(/version 1, live/)
      await stage.see(/as ops/, '#foot')
      await stage.see(/by ops/, '.timeline')
      await stage.tabTo('Send')
      await stage.press('enter')
      await stage.see(/stored as version 2/)
      assert.deepEqual(await stage.browser.js('return [document.cookie, JSON.stringify(localStorage).includes("grove_")]'), ['', false])
      await stage.tabTo('Sign out')
      await stage.press('enter')
      await stage.see(/Who are you\?/)
      await signIn(stage, reader)
      await stage.see(/version 2, live/)
      await stage.see(/You have no grant of “send”/)
      await stage.see(/You have no grant of “manage”/)
      assert.deepEqual(await disabled(stage, 'Send', 'Stop', 'Delete', 'Suspend'), [true, true, true, true])
      await stage.browser.js('location.hash = "#/counter"')
      await stage.see(/New instance/)
      assert.deepEqual(await disabled(stage, 'Create', 'Preview'), [true, true])
      await stage.browser.js('location.hash = "#/"')
      await stage.see(/counter\/a/)
      assert.doesNotMatch(await stage.text('.figures'), /–/, 'no blanks for numbers that a reader may not see')
      await stage.browser.js('location.hash = "#/~server"')
      await stage.see(/FORBIDDEN/)
      const [{ id }] = (await ops.accounts()).items.find(({ name }) => name === 'viewer').tokens
      await ops.token({ action: 'revoke', token_id: id })
      await stage.browser.js('location.hash = "#/counter/a"')
      await stage.see(/Who are you\?[^]*UNAUTHENTICATED/, 'main', 15_000)
      await stage.check(origin)
      stage.expected = /WebSocket/
    } finally {
      ops.close()
      await stage.browser.open('about:blank')
      await server.remove()
    }
  },

  'an address that only reads': async stage => {
    const server = await RealServer.start({ flags: ['--web-listen-read', '127.0.0.1:0'] })
    const client = new Client(server.address)
    try {
      await client.send('counter/a', 'increment')
      await stage.go('counter/a', `http://${server.readListen}`)
      await stage.see(/version 1, live/)
      await stage.see(/This address only reads/)
      assert.deepEqual(await disabled(stage, 'Send', 'Stop', 'Delete', 'Suspend'), [true, true, true, true])
      await stage.check(`http://${server.readListen}`)
    } finally {
      client.close()
      await stage.browser.open('about:blank')
      await server.remove()
    }
  },

  'no console where it is turned off': async () => {
    process.env.GROVE_WEB_CONSOLE = 'false'
    const server = await RealServer.start()
    delete process.env.GROVE_WEB_CONSOLE
    try {
      const reply = await fetch(`http://${server.webListen}/`)
      assert.equal(reply.status, 404)
    } finally {
      await server.remove()
    }
  },
}
