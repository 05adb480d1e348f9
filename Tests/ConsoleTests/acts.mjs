/** What the console does, with keys alone. */

import assert from 'node:assert/strict'
import { sleep } from './stage.mjs'

/** Keeps what the page copies: a browser without a window has no clipboard. */
const watchClipboard = stage => stage.browser.js(`window.copied = []
  navigator.clipboard.writeText = text => { window.copied.push(text); return Promise.resolve() }`)

/** What has the focus: the text of a button, or the name of an element. */
const focused = stage => stage.browser.js(`const item = document.activeElement
  return item.localName === 'button' ? item.innerText : item.localName`)

/** Finds the table of failed effects, in a script for the page. */
const FAILED = `const table = [...document.querySelectorAll('section')]
  .find(part => /^Failed effects/.test(part.textContent))?.querySelector('table')`

export const tests = {
  'send: the form says what would happen as one types, and sends with enter': async stage => {
    const { client } = stage
    await client.send('order/s-1', { type: 'place', total: 30 })
    await stage.go('order/s-1')
    await stage.see(/It would go to placed[^]*paid 0 → /, '.verdict')
    await stage.tabTo(/^amount/)
    await stage.type('7')
    await stage.see(/paid 0 → 7/, '.verdict')
    await stage.type('30')
    await stage.see(/It would go to paid/, '.verdict')
    await stage.press('enter')
    await stage.see(/pay is stored as version 2/)
    await stage.see(/v 2[^]*pay[^]*by hand/, '.timeline > li:first-child')
    assert.equal((await client.get('order/s-1')).state.status, 'paid')
    await stage.tabTo('Event', { backwards: true })
    await stage.choose('place')
    await stage.see(/It would be refused/, '.verdict')
  },

  'an event as JSON': async stage => {
    await stage.go('counter/s-2')
    await stage.tabTo('Event')
    await stage.choose('other (JSON)')
    await stage.tabTo('Event as JSON')
    await stage.type('{"type":"add","amount":')
    await stage.see(/This is no event/, '.verdict')
    await stage.press('41}')
    await stage.see(/would go to/, '.verdict')
    await stage.tabTo('Send')
    await stage.press('enter')
    await stage.see(/add is stored as version 1/)
    assert.deepEqual((await stage.client.get('counter/s-2')).state, { count: 41 })
    await stage.tabTo('Event as JSON', { backwards: true })
    await stage.type('{"type":"add","amount":9007199254740993}')
    await stage.see(/a browser rounds integers/, '.verdict')
    await stage.tabTo('Send')
    await stage.press('enter')
    await stage.see(/a browser rounds integers/, '.problem')
    await stage.tabTo('Event as JSON', { backwards: true })
    await stage.type('['.repeat(70) + ']'.repeat(70))
    await stage.see(/nested too deeply/, '.verdict')
    assert.deepEqual((await stage.client.get('counter/s-2')).state, { count: 41 })
  },

  'texts of a statechart stay texts': async stage => {
    await stage.client.create('approval/s-3')
    await stage.go('approval/s-3')
    await stage.tabTo(/^by/)
    await stage.type('12')
    await stage.tabTo(/^cents/)
    await stage.type('5')
    await stage.tabTo(/^why/)
    await stage.type('true')
    await stage.press('enter')
    await stage.see(/SUBMIT is stored as version 1/)
    const { context } = (await stage.client.get('approval/s-3')).state
    assert.deepEqual([context.by, context.cents, context.why], ['12', 5, 'true'])
  },

  'a double click is one event': async stage => {
    const { client } = stage
    await client.send('counter/s-4', 'increment')
    await stage.go('counter/s-4')
    await stage.see(/would go to/, '.verdict')
    await stage.browser.doubleClick('form button[type=submit]:not([disabled])')
    await stage.see(/stored as version 2/)
    // The reply is here, and a slow hand clicks only now.
    await stage.browser.js(`const form = [...document.forms].find(form => /Send/.test(form.innerText))
      form.requestSubmit()
      form.requestSubmit()`)
    await sleep(700)
    assert.equal((await client.get('counter/s-4')).v, 2)
    await stage.tabTo('Send', { backwards: true }).catch(() => stage.tabTo('Send'))
    await stage.press('enter', 'enter')
    await stage.see(/stored as version 3/)
    await sleep(200)
    assert.equal((await client.get('counter/s-4')).v, 3)
  },

  'a conflict is said, and the present version offered': async stage => {
    const { client } = stage
    await client.send('order/s-5', { type: 'place', total: 30 })
    await stage.go('order/s-5')
    await stage.see(/would go to/, '.verdict')
    await stage.tabTo('Only if nothing else has changed the instance')
    await stage.press('space')
    // Another client moves the instance, and the page hears of it only after the press.
    await stage.browser.js(`const send = WebSocket.prototype.send
      WebSocket.prototype.send = function (text) {
        if (!text.includes('"op":"send"') || window.held) return send.call(this, text)
        window.held = () => send.call(this, text)
      }`)
    await stage.press('enter')
    await stage.until(() => stage.browser.js('return Boolean(window.held)'), 'the request')
    await client.send('order/s-5', { type: 'pay', amount: 1 })
    await stage.browser.js('window.held()')
    await stage.see(/VERSION_CONFLICT[^]*It has moved on to version 2: send for that one/)
    await stage.tabTo(/^It has moved on to version 2/)
    await stage.press('enter')
    await stage.see(/pay is stored as version 3/)
  },

  'nothing else has changed since the event was begun, not since it was sent': async stage => {
    const { client } = stage
    await client.send('order/s-9', { type: 'place', total: 30 })
    await stage.go('order/s-9')
    await stage.see(/would go to/, '.verdict')
    await stage.tabTo('Only if nothing else has changed the instance')
    await stage.press('space')
    await client.send('order/s-9', { type: 'pay', amount: 1 })
    await stage.see(/version 2, live/)
    await stage.tabTo('Send')
    await stage.press('enter')
    await stage.see(/VERSION_CONFLICT/)
    assert.equal((await client.get('order/s-9')).v, 2)
  },

  'an act can be copied as curl, as a command and as a line, and each works': async stage => {
    const { client } = stage
    await client.send('counter/s-6', 'increment')
    await stage.go('counter/s-6')
    await watchClipboard(stage)
    for (const name of ['Copy as curl', 'as grove', 'as a line']) {
      await stage.tabTo(name)
      await stage.press('enter')
    }
    const [curl, command, line] = await stage.browser.js('return window.copied')
    assert.match(curl, /^curl --json '"increment"' -H 'Idempotency-Key: "console\.[^"]+"' 'http:\/\/127\.0\.0\.1:\d+\/v1\/instances\/counter\/s-6\/events'$/)
    const [, body, key, url] = /--json '(.*)' -H 'Idempotency-Key: (.*)' '(.*)'$/.exec(curl)
    const reply = await fetch(url, { method: 'POST', body,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key } })
    assert.equal(reply.status, 200)
    assert.match(command, /^grove send counter\/s-6 '"increment"' --dedup console\./)
    const { op, to, event, dedup } = JSON.parse(line)
    assert.deepEqual([op, (await client.request(op, { to, event, dedup })).dup], ['send', true])
    assert.equal((await client.get('counter/s-6')).v, 2)
  },

  'stop and delete want the name typed': async stage => {
    const { client } = stage
    await client.send('order/s-7', { type: 'place', total: 30 })
    await stage.go('order/s-7')
    await stage.tabTo('Stop')
    await stage.press('enter')
    await stage.see(/It becomes done/, 'dialog')
    await stage.press('order/s-')
    assert.equal(await stage.browser.js('return document.querySelector("dialog [type=submit]").disabled'), true)
    await stage.press('enter')
    assert.equal((await client.get('order/s-7')).done, false)
    await stage.press('7', 'enter')
    await stage.see(/Stop: done/)
    await stage.see(/done/, '.title')
    assert.equal((await client.get('order/s-7')).done, true)
    await stage.tabTo('Delete')
    await stage.press('enter', 'escape')
    assert.equal((await client.get('order/s-7')).done, true)
    await stage.tabTo('Delete', { backwards: true }).catch(() => stage.tabTo('Delete'))
    await stage.press('enter', 'order/s-7', 'enter')
    await stage.see(/doesn’t exist/)
    await assert.rejects(client.get('order/s-7'), { code: 'NO_SUCH_INSTANCE' })
    assert.equal(await focused(stage), 'main', 'the next key begins at the page')
  },

  'the focus stays where it can be used after an act by keys': async stage => {
    const { client } = stage
    await client.send('counter/s-10', 'increment')
    await stage.go('counter/s-10')
    await stage.see(/would go to/, '.verdict')
    await stage.tabTo('Send')
    // While the answer is on its way, too.
    await stage.browser.js(`const send = WebSocket.prototype.send
      WebSocket.prototype.send = function (text) {
        if (!text.includes('"op":"send"') || window.held) return send.call(this, text)
        window.held = () => send.call(this, text)
      }`)
    await stage.press('enter')
    await stage.until(() => stage.browser.js('return Boolean(window.held)'), 'the request')
    await stage.browser.wait('await new Promise(end => requestAnimationFrame(() => setTimeout(end)))')
    assert.equal(await focused(stage), 'Send')
    await stage.browser.js('window.held()')
    await stage.see(/stored as version 2/)
    assert.equal(await focused(stage), 'Send')
    await stage.until(() => stage.browser.js('return !document.querySelector("[aria-disabled=true]")'), 'the end of the pause')
    await stage.press('enter')
    await stage.see(/stored as version 3/)
    assert.equal(await focused(stage), 'Send')
    await stage.tabTo('Suspend')
    await stage.press('enter')
    await stage.see(/Suspend: done/)
    assert.equal(await focused(stage), 'Resume')
  },

  'what somebody else does to the instance changes the acts, and removes their note': async stage => {
    const { client } = stage
    const acts = async () => (await stage.browser.js(`return [...document.querySelectorAll('section[aria-labelledby=h-actions] button')]
      .filter(item => !item.disabled).map(item => item.innerText)`)).join()
    await client.send('counter/s-11', 'increment')
    await client.send('counter/s-11', 'increment')
    await stage.go('counter/s-11?v=1')
    await stage.tabTo('Suspend')
    await stage.press('enter')
    await stage.see(/Suspend: done/)
    await client.resume({ to: 'counter/s-11' })
    await stage.until(async () => await acts() === 'Suspend,Stop,Delete', 'the acts of an instance that is free')
    assert.doesNotMatch(await stage.text(), /: done\./)
    await client.suspend({ to: 'counter/s-11' })
    await stage.until(async () => await acts() === 'Resume,Stop,Delete', 'the acts of a suspended instance')
    await stage.tabTo('Resume')
    await stage.press('enter')
    await stage.see(/Resume: done/)
    await stage.tabTo('Delete')
    await client.delete('counter/s-11')
    await stage.see(/doesn’t exist/)
    await stage.until(async () => await acts() === '', 'no acts')
    await stage.see(/There is no such instance\. An event creates it/)
    assert.doesNotMatch(await stage.text(), /: done\.|version 1 of/)
    assert.equal(await focused(stage), 'main')
    await client.send('counter/s-11', 'increment')
    await stage.until(async () => await acts() === 'Suspend,Stop,Delete', 'the acts of the new instance')
    await stage.see(/count: 1/, '.tree')
  },

  'attention: retry, cancel and answer': async stage => {
    const { client } = stage
    await client.send('periodic/broken', { type: 'start', every_ms: 3_000_000, to: 'nothing/x', event: 'tick' })
    await client.send('periodic/broken', 'tick')
    await client.send('periodic/broken', 'tick')
    await client.send('sign-in/dave', { type: 'request', user: 'dave' })
    await client.send('periodic/held', { type: 'start', every_ms: 50 })
    await client.suspend({ to: 'periodic/held' })
    const failed = async () => (await client.effects({ phase: 'failed', to: 'periodic/broken' })).items.length
    await stage.until(async () => await failed() === 2, 'failed effects')
    await stage.go('~attention')
    await stage.see(/periodic\/broken[^]*there is no machine nothing/)
    await stage.see(/periodic\/held[^]*suspended/)
    await stage.browser.js(`${FAILED}; table.isOld = true`)
    await stage.tabTo(/^Retry send/)
    await stage.press('enter')
    // The page reads the effects again after an act. A button of the former table would be gone before its key.
    await stage.until(() => stage.browser.js(`${FAILED}; return Boolean(table) && !table.isOld`),
      'the failed effects, read again')
    await stage.tabTo(/^Cancel send/)
    await stage.press('enter')
    await stage.until(async () => await failed() < 2, 'a cancelled effect')
    await stage.tabTo('Answer', { within: /sign-in\/dave/ })
    await stage.press('enter')
    await stage.see(/becomes the event confirmed/)
    await stage.tabTo('by', { within: /sign-in\/dave/ })
    await stage.type('mail')
    await stage.tabTo(/^Send the answer to code of sign-in/)
    await stage.press('enter')
    await stage.until(async () => (await client.get('sign-in/dave')).state.status === 'signed_in'
      && (await client.effects({ phase: 'asking', to: 'sign-in/dave' })).items.length === 0, 'the answer')
    await stage.until(async () => /periodic\/held[^]*ago/.test(await stage.text())
      || (await stage.go('~attention'), false), 'a late timer', 12_000)
  },

  'many at once: a preview, the name typed, progress, and the refusals': async stage => {
    const { client } = stage
    await Promise.all(Array.from({ length: 300 }, (_, n) => client.send(`turnstile/m-${n}`, n % 3 ? 'COIN' : 'PUSH').catch(() => {})))
    const { length } = (await client.list({ machine: 'turnstile', prefix: 'm-', limit: 1000 })).items
    await stage.go('turnstile')
    await stage.tabTo('Name begins with')
    await stage.press('m-')
    await stage.see(/m-1/)
    await stage.tabTo('Event, as JSON')
    await stage.press('"PUSH"', 'enter')
    await stage.see(new RegExp(`Send an event: ${length} instances`))
    await stage.tabTo(/^Send an event: /)
    await stage.press('enter', 'turnstile', 'enter')
    await stage.see(new RegExp(`${length} of ${length} done, 0 refused`))
    await stage.tabTo('Event, as JSON', { backwards: true })
    await stage.press('enter')
    await stage.see(new RegExp(`Send an event: ${length} instances`))
    await stage.tabTo(/^Send an event: /)
    await stage.press('enter', 'turnstile', 'enter')
    await stage.see(/EVENT_REJECTED/)
    await stage.see(new RegExp(`${length} refused`))
    await stage.tabTo('Download the refusals')
  },
}
