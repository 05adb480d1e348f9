/** What the pages show, found with keys alone. */

import assert from 'node:assert/strict'

/** An order with five steps: it is placed, and paid in parts. */
async function placed({ client }, name) {
  await client.send(`order/${name}`, { type: 'place', total: 30 })
  for (const amount of [5, 5, 5, 5]) await client.send(`order/${name}`, { type: 'pay', amount })
}

/** Waits until the drawing has an active state whose label has the text. */
function lit(stage, label) {
  const texts = 'return [...document.querySelectorAll("svg [data-node].lit")].map(e => e.textContent).join()'
  return stage.until(async () => (await stage.browser.js(texts)).includes(label), `${label} is lit`)
}

const versionShown = stage => stage.browser.js('return document.querySelector(".travel input")?.value')

export const tests = {
  'the overview has machines, numbers and the newest records, and leads to all': async stage => {
    await placed(stage, 'seen')
    await stage.go()
    await stage.see(/counter[^]*increment, decrement, add, reset/)
    await stage.see(/order\/seen/)
    await stage.see(/Instances\s+[\d,]+[^]*Steps\/s\s+[\d.]+[^]*Failed effects/)
    assert.doesNotMatch(await stage.text('.figures'), /–\s*$/)
    assert.match(await stage.text('thead'), /Instances[^]*Failed[^]*Asking/)
    await stage.see(/order\s+1\.1\.0\s+[1-9][\d,]*\s+\d+\s+\d+/)
    await stage.client.send('counter/new', 'increment')
    await stage.see(/counter\/new/)
    await stage.tabTo('turnstile', { within: /COIN/ })
    await stage.press('enter')
    await stage.until(async () => await stage.hash() === '#/turnstile', 'the page of the machine')
    await stage.see(/locked/)
  },

  'a machine may have any name': async stage => {
    await stage.client.define({ id: 'constructor', version: '1', initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } })
    await stage.go('constructor')
    await stage.see(/version 1[^]*No instance matches/)
    await stage.client.undefine('constructor')
  },

  'search from anywhere opens an instance': async stage => {
    await placed(stage, 'found')
    await stage.go('~server')
    await stage.press('/', 'order/fou')
    await stage.until(() => stage.browser.js('return [...document.querySelectorAll("datalist option")].some(x => x.value === "order/found")'),
      'a suggestion')
    await stage.press('nd', 'enter')
    await stage.until(async () => await stage.hash() === '#/order/found', 'the page of the instance')
    await stage.see(/Version\s*5/)
  },

  'a machine: its instances by filters and pages, and a new one': async stage => {
    const { client } = stage
    await Promise.all(Array.from({ length: 130 }, (_, n) => client.send(`turnstile/t-${1000 + n}`, 'COIN')))
    await client.send('turnstile/x-1', 'COIN')
    await client.send('turnstile/x-1', 'PUSH')
    await stage.go('turnstile')
    await stage.see(/t-1000/)
    assert.equal(await stage.count('.scroll table tbody tr td:first-child a'), 100)
    await stage.tabTo('Next')
    await stage.press('enter')
    await stage.see(/Page 2/)
    await stage.see(/t-1129/)
    await stage.tabTo('Previous', { backwards: true })
    await stage.press('enter')
    await stage.see(/Page 1/)
    await stage.go('turnstile')
    await stage.tabTo('Name begins with')
    await stage.press('x-')
    await stage.until(async () => /x-1/.test(await stage.text()) && !/t-1000/.test(await stage.text()), 'the filter')
    await stage.tabTo('State')
    await stage.choose('unlocked')
    await stage.see(/No instance matches/)
    await stage.tabTo('Name')
    await stage.type('made-here')
    await stage.press('enter')
    await stage.until(async () => await stage.hash() === '#/turnstile/made-here', 'the new instance')
    await stage.see(/Version\s*0/)
    assert.equal((await client.get('turnstile/made-here')).v, 0)
  },

  'an instance: state, transitions with the active state, effects, children': async stage => {
    const { client } = stage
    await client.send('approval/a-1', { type: 'SUBMIT', by: 'ann', cents: 1250, why: 'a chair' })
    await stage.go('approval/a-1')
    await lit(stage, 'team')
    await stage.tabTo('Transitions as a table')
    await stage.press('enter')
    await stage.see(/● waiting\.team/)
    await stage.see(/cents: 1250/)
    await stage.see(/sleeping[^]*in \d+ d/, 'section:has(h2)')
    await placed(stage, 'parent')
    await client.send('order/parent', { type: 'pay', amount: 10 })
    await client.send('order/parent', { type: 'ship', track: 'T-1' })
    await stage.go('order/parent')
    await lit(stage, 'shipped')
    await stage.tabTo(/^shipment\/parent~/)
    await stage.press('enter')
    await stage.see(/Child of\s*order\/parent/)
    await stage.tabTo('order/parent', { backwards: true }).catch(() => stage.tabTo('order/parent'))
    await stage.press('enter')
    await stage.until(async () => await stage.hash() === '#/order/parent', 'the page of the parent')
    // A name of a family whose effect is over, or that a client has given, leads to the family.
    await client.send('counter/parent', 'increment')
    await client.send('counter/parent~x', 'increment')
    await stage.go('counter/parent~x')
    await stage.see(/Child of the family\s*counter\/parent order\/parent/)
    // The child of a child leads to that one, and to the family.
    const invoking = (id, src) => ({ id, version: '1', initial: 'a', states: { a: { invoke: { src: `machine:${src}` } } } })
    await client.define({ id: 'last', version: '1', initial: 'a', states: { a: {} } })
    await client.define(invoking('middle', 'last'))
    await client.define(invoking('root', 'middle'))
    await client.create('root/r')
    const first = async machine => (await client.list({ machine })).items[0]
    await stage.until(() => first('last'), 'the child of the child')
    const [middle, last] = [await first('middle'), await first('last')]
    await stage.go(last.to)
    await stage.see(new RegExp(`Child of\\s*${middle.to}\\s*Child of the family\\s*root/r`))
    await stage.tabTo(middle.to, { backwards: true }).catch(() => stage.tabTo(middle.to))
    await stage.press('enter')
    await stage.until(async () => await stage.hash() === `#/${middle.to}`, 'the page of the direct parent')
    await stage.see(/Child of\s*root\/r/)
    assert.doesNotMatch(await stage.text(), /Child of the family/)
    for (const { to } of [{ to: 'root/r' }, middle, last]) await client.delete(to)
    for (const machine of ['root', 'middle', 'last']) await client.undefine(machine)
    await client.send('counter/orphan~1', 'increment')
    await stage.go('counter/orphan~1')
    await stage.see(/Child of the family\s*orphan/)
    await stage.go('order/nobody')
    await stage.see(/doesn’t exist/)
    await stage.go('nothing')
    await stage.see(/NO_SUCH_MACHINE/)
    assert.match(await stage.text(), /Overview/)
  },

  'the timeline travels by keys, by address and by the slider': async stage => {
    await placed(stage, 'travels')
    await stage.go('order/travels')
    await stage.see(/v 5[^]*pay[^]*v 1[^]*place/, '.timeline')
    await stage.press('left')
    await stage.until(async () => await stage.hash() === '#/order/travels?v=4', 'version 4')
    await stage.see(/paid: 15/, '.tree')
    await stage.press('left')
    await stage.until(async () => await stage.hash() === '#/order/travels?v=3', 'version 3')
    await stage.see(/paid: 10/, '.tree')
    assert.match(await stage.text('.timeline .selected'), /v 3/)
    await stage.press('right')
    await stage.until(async () => await stage.hash() === '#/order/travels?v=4', 'version 4 again')
    await stage.tabTo('Live')
    await stage.press('enter')
    await stage.see(/version 5, live/, '.travel')
    await stage.go('order/travels?v=1')
    await stage.see(/status: "placed"[^]*paid: 0/, '.tree')
    await stage.tabTo('Version')
    await stage.press('right')
    await stage.until(async () => await stage.hash() === '#/order/travels?v=2', 'version 2 by the slider')
    assert.equal(await versionShown(stage), '2')
    // There is no such version: the present one is shown, and says so, until one goes elsewhere.
    await stage.go('order/travels?v=99')
    await stage.see(/There is no version 99\. This is the present one, 5\./)
    assert.equal(await stage.text('.travel output'), 'version 5, live')
    await stage.see(/paid: 20/, '.tree')
    await stage.press('left')
    await stage.see(/version 4 of 5/, '.travel')
    assert.doesNotMatch(await stage.text(), /There is no version/)
    await stage.go('order/travels?v=2')
    // The past stays while the instance moves on.
    await stage.client.send('order/travels', { type: 'pay', amount: 1 })
    await stage.see(/version 2 of 6/, '.travel')
    assert.equal(await stage.hash(), '#/order/travels?v=2')
  },

  'a long history is read in windows': async stage => {
    const { client } = stage
    await Promise.all(Array.from({ length: 1200 }, () => client.send('counter/long', 'increment')))
    await stage.go('counter/long')
    await stage.see(/Versions 1,101 to 1,200 of 1,200/)
    assert.equal(await stage.count('.timeline > li'), 100)
    await stage.tabTo('Older')
    await stage.press('enter')
    await stage.see(/Versions 1,001 to 1,100/)
    await stage.go('counter/long?v=600')
    await stage.see(/count: 600/, '.tree')
    // The list is a request of its own.
    await stage.until(async () => await stage.count('.timeline > li') === 100, 'the list')
    // What comes meanwhile is added to the newest window.
    await stage.go('counter/long')
    await stage.see(/Versions 1,101 to 1,200/)
    await stage.browser.js(`window.asked = []
      const send = WebSocket.prototype.send
      WebSocket.prototype.send = function (text) {
        if (text.includes('"op":"history"')) window.asked.push(JSON.parse(text).limit)
        return send.call(this, text)
      }`)
    await client.send('counter/long', { type: 'add', amount: 7 })
    await stage.see(/^v 1201[^]*add[^]*count 1200 → 1207/, '.timeline > li:first-child')
    await client.send('counter/long', { type: 'add', amount: 3 })
    await stage.see(/^v 1202[^]*count 1207 → 1210/, '.timeline > li:first-child')
    await stage.see(/Versions 1,103 to 1,202 of 1,202/)
    assert.equal(await stage.count('.timeline > li'), 100)
    assert.ok(Math.max(...await stage.browser.js('return window.asked')) <= 2)
  },

  'records: filters, where they begin, pause': async stage => {
    const { client } = stage
    await client.send('counter/r-1', 'increment')
    await client.send('order/r-1', { type: 'place', total: 3 })
    await stage.go('~records')
    await stage.see(/counter\/r-1/)
    await stage.see(/order\/r-1/)
    await stage.tabTo('Machine')
    await stage.press('order')
    await stage.until(async () => !/counter\/r-1/.test(await stage.text('tbody')), 'the filter')
    await stage.see(/order\/r-1/, 'tbody')
    await stage.tabTo('Pause', { backwards: true })
    await stage.press('space')
    await client.send('order/r-2', { type: 'place', total: 3 })
    await stage.see(/Continue/)
    assert.doesNotMatch(await stage.text('tbody'), /r-2/)
    await stage.press('space')
    await stage.see(/order\/r-2/, 'tbody')
    await stage.tabTo('From')
    await stage.choose('now')
    await stage.see(/Waiting for records/)
    await client.send('order/r-3', { type: 'place', total: 3 })
    await stage.see(/order\/r-3/, 'tbody')
    assert.doesNotMatch(await stage.text('tbody'), /r-2/)
    await stage.tabTo(/^1$/, { within: /r-3/ })
    await stage.press('enter')
    await stage.until(async () => await stage.hash() === '#/order/r-3?v=1', 'the version of the record')
  },

  'the server: health, times, limits, and a backup': async stage => {
    await stage.go('~server')
    await stage.see(/Ready[^]*up for/)
    await stage.see(/Ack, median · p99\s*≤/)
    await stage.see(/Bytes of a line[^]*1\.0 MiB/)
    await stage.see(/Connections\s+max-connections[^]*10,240/)
    await stage.see(/Steps\/s/, 'figcaption')
    // What was before the page: the events of the tests before this one.
    const { series } = await stage.client.stats({ series: '1s' })
    assert.ok(Math.max(...series.engine_steps) > 0)
    await stage.see(/Steps\/s \d[^]*at most [1-9]/, '.charts')
    assert.ok(await stage.browser.js('return document.querySelector(".chart polyline").points.length') > 1)
    await stage.tabTo('Time shown')
    await stage.press('down')
    await stage.until(() => stage.browser.js('return document.querySelectorAll(".charts svg").length === 8'), 'the charts of two hours')
    await stage.tabTo('Copy the flag for max-connections')
    await stage.press('enter')
    await stage.see(/Copied|Not allowed/)
    await stage.tabTo('Download a backup')
    await stage.press('enter')
    await stage.see(/saved/)
  },
}
