/** A server with accounts, and an address that only reads. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import http from 'node:http'
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

  'a token that ends under a page leads to the form, from everywhere, and nothing typed is lost': async stage => {
    let secret
    const server = await RealServer.start({ prepare: folder => {
      secret = token(undefined, 'ops', ['admin */*', 'read,subscribe,manage,send */*'], ['--data', `${folder}/data.grove`])
    } })
    const origin = `http://${server.webListen}`
    const ops = new Client(server.address, { token: secret, timeout: 10_000 })
    const grants = ['read,subscribe,manage,send */*']
    const make = () => ops.token({ action: 'create', principal: 'ann', grants })
    /** Ends a token, and signs in again with another one. */
    const again = async id => {
      await ops.token({ action: 'revoke', token_id: id })
      await stage.see(/Who are you\?[^]*UNAUTHENTICATED/)
      assert.equal(await stage.count('.page > *'), 1, 'the form alone')
      const next = await make()
      await signIn(stage, next.token)
      return next.token_id
    }
    try {
      await ops.send('counter/a', 'increment')
      // Pages that read by themselves, without a token.
      for (const hash of ['~records', '~attention', '~server', '', 'counter']) {
        await stage.browser.js('sessionStorage.clear()').catch(() => {})
        await stage.go(hash, origin)
        await stage.see(/Who are you\?/)
        assert.doesNotMatch(await stage.text(), /UNAUTHENTICATED/, hash)
      }
      let { token: next, token_id: id } = await make()
      await signIn(stage, next)
      await stage.see(/New instance/)
      id = await again(id)
      await stage.see(/1 in all/)
      await stage.browser.js('location.hash = "#/~attention"')
      await stage.see(/Nothing is held/)
      id = await again(id)
      await stage.see(/Nothing is held/)
      await stage.browser.js('location.hash = "#/~records?machine=counter"')
      await stage.see(/counter\/a/)
      id = await again(id)
      await stage.see(/counter\/a/)
      // What was typed comes back: JSON, values of a form, and the choice; once more after a question that was open.
      await stage.browser.js('location.hash = "#/counter/a"')
      await stage.see(/version 1, live/)
      await stage.tabTo('Event')
      await stage.choose('other (JSON)')
      await stage.tabTo('Event as JSON')
      await stage.type('{"type":"add","amount":41}')
      await stage.tabTo('Only if nothing else has changed the instance')
      await stage.press('space')
      id = await again(id)
      await stage.see(/version 1, live/)
      await stage.see(/count 1 → 42/, '.verdict')
      const typed = 'return [document.querySelector("textarea")?.value, document.querySelector("form [type=checkbox]").checked]'
      assert.deepEqual(await stage.browser.js(typed), ['{"type":"add","amount":41}', true])
      await stage.tabTo('Delete')
      await stage.press('enter', 'counter/')
      id = await again(id)
      assert.equal(await stage.count('dialog'), 0)
      await stage.see(/count 1 → 42/, '.verdict')
      await stage.tabTo('Send')
      await stage.press('enter')
      await stage.see(/add is stored as version 2/)
      await stage.tabTo('Event', { backwards: true })
      await stage.choose('add')
      await stage.tabTo(/^amount/)
      await stage.type('7')
      id = await again(id)
      await stage.see(/count 42 → 49/, '.verdict')
      // Who signs out leaves nothing to who comes next.
      await stage.tabTo('Sign out')
      await stage.press('enter')
      await stage.see(/Who are you\?/)
      await signIn(stage, (await make()).token)
      await stage.see(/would go to/, '.verdict')
      assert.doesNotMatch(await stage.text('.verdict'), /→ 49/)
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
      await stage.see(/grove \d/, '#foot')
      assert.doesNotMatch(await stage.text('#foot'), /\bas\b|anonymous/)
      await stage.see(/This address only reads/)
      assert.deepEqual(await disabled(stage, 'Send', 'Stop', 'Delete', 'Suspend'), [true, true, true, true])
      await stage.check(`http://${server.readListen}`)
    } finally {
      client.close()
      await stage.browser.open('about:blank')
      await server.remove()
    }
  },

  'a page of a listed origin shows a drawing with crossorigin, and another page none': async stage => {
    const servers = [0, 1].map(() => http.createServer((_, reply) => {
      reply.setHeader('Content-Type', 'text/html')
      const source = `src="http://${server.webListen}/v1/machines/order/diagram.svg"`
      reply.end(`<!doctype html><img ${source}><img crossorigin ${source}>`)
    }))
    for (const each of servers) await new Promise(resolve => each.listen(0, '127.0.0.1', resolve))
    const origins = servers.map(each => `http://127.0.0.1:${each.address().port}`)
    const server = await RealServer.start({ flags: ['--web-origins', origins[0]] })
    const drawing = await fetch(`http://${server.webListen}/v1/machines/order/diagram.svg`)
    stage.expected = /diagram\.svg|favicon/
    try {
      for (const [place, shown] of [[0, [false, drawing.ok]], [1, [false, false]]]) {
        await stage.browser.open(origins[place])
        await stage.until(() => stage.browser.js('return [...document.images].every(image => image.complete)'), 'the end of both')
        assert.deepEqual(await stage.browser.js('return [...document.images].map(image => image.naturalWidth > 0)'), shown)
      }
    } finally {
      await stage.browser.open('about:blank')
      for (const each of servers) {
        each.close()
        each.closeAllConnections()
      }
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
