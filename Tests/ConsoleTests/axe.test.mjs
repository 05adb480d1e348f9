/**
 * What axe-core finds on all pages, in both schemes. Its file isn't part of the tree; `.ci/axe` fetches it:
 *
 *     GROVE_BINARY=.build/debug/grove GROVE_AXE=$(.ci/axe) node --test Tests/ConsoleTests/axe.test.mjs
 *
 * The server is another one than that of the other tests, which leave much data.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { binary, needsServer } from '../../JavaScript/tests/servers.mjs'
import { furnish, PAGES } from './looks.mjs'
import { sleep, Stage } from './stage.mjs'
import { findBrowser } from './webdriver.mjs'

/** Rows far down are as those before them, and hundreds of them would take a slow machine a minute. */
const ALIKE = ['tr:nth-child(n + 60)', 'li:nth-child(n + 60)']

test('axe-core', { timeout: 280_000 }, async t => {
  const paths = findBrowser()
  assert.ok(paths, 'Chromium or chromedriver isn’t installed')
  assert.ok(!needsServer.skip, `there is no server: ${binary}`)
  assert.ok(process.env.GROVE_AXE, 'GROVE_AXE names no file of axe-core')
  const axe = readFileSync(process.env.GROVE_AXE, 'utf8')
  const stage = await Stage.open(paths)
  try {
    await furnish(stage)
    await t.test('a planted fault is found', () => stage.run(async () => {
      await stage.go()
      await stage.browser.js('document.querySelector("main").append(document.createElement("button"))')
      assert.match((await violations(stage, axe)).join(), /^button-name: <button>/)
    }))
    for (const scheme of ['light', 'dark']) {
      await t.test(`nothing on ${PAGES.length} pages, ${scheme}`, () => stage.run(() => look(stage, axe, scheme)))
    }
  } finally {
    await stage.close()
  }
})

/** Looks at all pages in a scheme. */
async function look(stage, axe, scheme) {
  await stage.browser.look({ dark: scheme === 'dark' })
  for (const hash of PAGES) {
    await stage.go(hash)
    await sleep(400)
    assert.deepEqual(await violations(stage, axe), [], `${hash}, ${scheme}`)
  }
}

/** What axe-core finds on the present page. */
async function violations(stage, axe) {
  await stage.browser.js(axe)
  return stage.browser.wait(`const { violations } = await axe.run({ exclude: ${JSON.stringify(ALIKE)} })
    return violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, any }) =>
      html.slice(0, 140) + ' | ' + (any[0]?.message ?? '')).join(' ;; '))`)
}
