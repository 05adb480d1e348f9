/** Lost servers, floods, many tabs, and texts of strangers. */

import assert from 'node:assert/strict'
import { sleep } from './stage.mjs'

/** What a browser writes to its log while a server is away. */
const AWAY = /WebSocket connection to|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE/

/** The bytes of the heap after what is garbage is gone, in MB. */
async function heap({ browser }) {
  return browser.wait('gc(); await new Promise(end => setTimeout(end, 100)); gc(); return performance.memory.usedJSHeapSize / 1e6')
}

/** Sends as many increments as there is time for. */
async function flood(client, name, time) {
  const end = Date.now() + time
  let sent = 0
  while (Date.now() < end) {
    await Promise.all(Array.from({ length: 100 }, () => client.send(name, 'increment')))
    sent += 100
  }
  return sent
}

/** Opens pages in tabs of their own, works, and closes them again. */
async function inTabs(stage, hashes, work) {
  const { browser } = stage
  const [first] = await browser.tabs()
  const tabs = [first]
  try {
    for (const [place, hash] of hashes.entries()) {
      if (place) tabs.push(await browser.newTab())
      await stage.go(hash)
    }
    await work(tabs)
    for (const tab of tabs) {
      await browser.useTab(tab)
      await stage.check()
    }
  } finally {
    for (const tab of tabs.slice(1)) {
      await browser.useTab(tab)
      await browser.closeTab()
    }
    await browser.useTab(first)
  }
}

export const tests = {
  'a server that is killed under an open page: the page comes back and misses nothing': async stage => {
    const { client, server } = stage
    stage.expected = AWAY
    await client.send('counter/lost', 'increment')
    await stage.go('counter/lost')
    await stage.see(/version 1, live/)
    for (let round = 1; round <= 3; round += 1) {
      const sends = Array.from({ length: 20 }, () => client.send('counter/lost', 'increment'))
      await server.kill()
      await stage.see(/No connection to the server/, '#bar')
      await stage.see(/Timeline/)
      await server.start()
      await Promise.all(sends)
      await stage.see(new RegExp(`version ${1 + round * 20}, live`))
      await stage.until(async () => await stage.text('#bar') === '', 'no bar')
    }
    // The connection is another one, and nobody is anybody without accounts.
    assert.match(await stage.text('#foot'), /^grove \d/)
    assert.doesNotMatch(await stage.text('#foot'), /anonymous/)
    // The version is read, and the timeline gets its steps right after that.
    await stage.until(async () => await stage.count('.timeline > li') >= 61, 'all steps')
    const versions = await stage.browser.js('return [...document.querySelectorAll(".timeline > li")].map(item => Number(item.dataset.v))')
    assert.deepEqual(versions, Array.from({ length: 61 }, (_, place) => 61 - place))
    // The list of records continues where it was: each record once.
    await stage.go('~records?machine=counter&instance=lost')
    await stage.see(/61 records|100 steps/)
    await stage.tabTo('From')
    await stage.choose('now')
    await stage.see(/Waiting for records/)
    const sends = Array.from({ length: 40 }, () => client.send('counter/lost', 'increment'))
    await server.kill()
    await stage.see(/No connection/, '#bar')
    await server.start()
    await Promise.all(sends)
    await stage.until(async () => await stage.count('tbody tr') >= 80, 'all records', 20_000)
    const shown = await stage.browser.js(`return [...document.querySelectorAll('tbody tr')]
      .filter(row => row.cells[3].innerText === 'output').map(row => Number(row.cells[2].innerText))`)
    assert.deepEqual(shown, Array.from({ length: 40 }, (_, place) => 101 - place))
  },

  'a server that is too busy for a subscription: the bar says why, until it isn’t': async stage => {
    await stage.client.send('counter/busy', 'increment')
    await stage.go('order')
    await stage.browser.js(`window.isBusy = true
      const send = WebSocket.prototype.send
      WebSocket.prototype.send = function (text) {
        if (!window.isBusy || !text.includes('"op":"subscribe"')) return send.call(this, text)
        const error = { code: 'OVERLOADED', message: 'there is no room for subscriptions', retry: true, retry_after_ms: 50 }
        const data = JSON.stringify({ id: JSON.parse(text).id, error })
        setTimeout(() => this.dispatchEvent(new MessageEvent('message', { data })))
      }
      location.hash = '#/~records?machine=counter&instance=busy'`)
    await stage.see(/sends no news for now \(OVERLOADED: there is no room for subscriptions\)/, '#bar')
    await stage.browser.js('window.isBusy = false')
    await stage.see(/counter\/busy/, 'tbody')
    await stage.until(async () => await stage.text('#bar') === '', 'no bar')
  },

  'a flood: the page stays small and answers': async stage => {
    const { client } = stage
    await stage.go('~records?machine=counter')
    const before = await heap(stage)
    const sent = await flood(client, 'counter/flood', 3000)
    await stage.until(async () => new RegExp(`v ?${sent}|\\b${sent}\\b`).test(await stage.text('tbody tr:first-child')), 'the last record', 20_000)
    assert.ok(await stage.count('tbody tr') <= 300)
    assert.ok(sent > 1000, `${sent} events`)
    const after = await heap(stage)
    assert.ok(after < before + 20, `the heap grew from ${before} to ${after} MB`)
    // The page of the instance reads the present state now and then, not each.
    await stage.go('counter/flood')
    const more = await flood(client, 'counter/flood', 1000)
    await stage.see(new RegExp(`version ${(sent + more).toLocaleString('en')}, live`), 'main', 20_000)
    assert.ok(await stage.count('.timeline > li') <= 100)
    assert.ok(await stage.count('*') < 3000)
  },

  'seven tabs at once': async stage => {
    const { client, browser } = stage
    const hashes = ['', 'order', 'counter/tabs', '~attention', '~records', '~server', 'counter/tabs?v=1']
    await client.send('counter/tabs', 'increment')
    await inTabs(stage, hashes, async tabs => {
      await client.send('counter/tabs', { type: 'add', amount: 7 })
      for (const [place, pattern] of [[0, /counter\/tabs/], [2, /count: 8/], [4, /counter\/tabs/], [6, /version 1 of 2/]]) {
        await browser.useTab(tabs[place])
        await stage.see(pattern)
      }
    })
  },

  'two tabs send to one instance': async stage => {
    const { client, browser } = stage
    await client.send('counter/two', 'increment')
    await inTabs(stage, ['counter/two', 'counter/two'], async tabs => {
      for (let round = 0; round < 4; round += 1) {
        await browser.useTab(tabs[round % 2])
        await stage.see(new RegExp(`version ${round + 1}, live`))
        await stage.tabTo('Send')
        await stage.press('enter')
        await stage.see(new RegExp(`stored as version ${round + 2}`))
        await sleep(500)
      }
    })
    assert.equal((await client.get('counter/two')).v, 5)
  },

  'a large state is cut, and can be saved': async stage => {
    const { client } = stage
    // As much as the server takes in one line.
    await client.send('sign-in/large', { type: 'request', user: 'x'.repeat(1_000_000) })
    await stage.go('sign-in/large')
    await stage.see(/977 KiB in all/)
    assert.ok((await stage.text()).length < 50_000)
    await stage.see(/Download/)
    await stage.go('sign-in')
    await stage.see(/large/)
    await stage.go('')
    await stage.see(/sign-in\/large/)
  },

  'names of 200 bytes, and script in every text': async stage => {
    const { client } = stage
    const script = '"><script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'"><svg onload=alert(1)>'
    const long = `${'n'.repeat(190)}~+=,@:._-`
    await client.send(`order/${long}`, { type: 'place', total: 3 })
    await client.send('approval/script', { type: 'SUBMIT', by: script, cents: 5, why: script })
    await client.send('sign-in/script', { type: 'request', user: `${script}\u202e\u2066turned\u0000` })
    await client.send('order/script', { type: 'place', total: 3 })
    await client.send('order/script', { type: 'cancel', reason: script })
    await client.stop('approval/script', { reason: script })
    const elements = 'script:not([type=module]), main img, [onload], [onerror]'
    for (const hash of ['', 'order', `order/${encodeURIComponent(long)}`, 'approval/script', 'order/script', 'order/script?v=1',
      'sign-in/script', '~attention', '~records', `order/${encodeURIComponent(script)}`, encodeURIComponent(script)]) {
      await stage.go(hash)
      await sleep(150)
      assert.equal(await stage.count(elements), 0, hash)
      assert.notEqual(await stage.browser.js('return document.title'), 'taken')
      const wide = await stage.browser.js('return document.documentElement.scrollWidth - innerWidth')
      assert.ok(wide <= 0, `${hash} is ${wide} px too wide`)
      // No text turns another one, nor hides.
      assert.doesNotMatch(await stage.text('body'), /[\u202e\u2066\0]/, hash)
    }
    await stage.go('approval/script')
    await stage.see(/<script>document\.title/)
    await stage.go('sign-in/script')
    await stage.see(/⟨U\+202E⟩⟨U\+2066⟩turned/, '.tree')
    // One fails before it asks, the other is refused: neither leads elsewhere.
    stage.expected = /BAD_REQUEST/
  },
}
