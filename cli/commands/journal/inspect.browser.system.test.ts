/** What a person sees of a file that `statewright inspect` opens. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { bundleOf, playStory, withFixture } from '../../../edges/inspector/testing/fixture.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { openBundle } from './inspect.ts'

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
const dayMs = 86_400_000

describeRequiring('chromium', 'a file in a browser', () => {
  test('a story says what the file does not hold, and how long ago all was at the export, before the line is open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspect-'))
    const path = join(folder, 'story.json')
    let task = ''
    await withFixture(async (fixture) => {
      task = await playStory(fixture)
      await fixture.runtime.stop()
      const file = await bundleOf(fixture)
      const actors = file.actors.filter(({ kind }) => kind === 'task')
      writeFileSync(path, JSON.stringify({ ...file, actors, exportedAt: file.exportedAt + 400 * dayMs }))
    })
    const { server, link } = await openBundle(path, 0)
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.routeWebSocket('**/inspector/live**', () => undefined)
      await page.goto(`${link}#actor=${task}&seq=2&view=story`)
      const lane = page.locator('.lane', { hasText: 'Pods' })
      await lane.locator('summary').click()
      expect(await lane.locator('li').allInnerTexts()).toEqual([expect.stringMatching(/^… not in this file 400 d/)])
      expect(await page.locator('h2 .since').innerText()).toContain('step 2, 400 d ago')
      await page.getByText('As it was after step 2.').waitFor()
      // When it was asked for stands in the journal of its issue.
      await page.locator('.times', { hasText: 'since its first step' }).waitFor()
      await page.goto(`${link}#actor=${task}&seq=777&view=story`)
      await page.getByText('There is no step 777').waitFor()
    } finally {
      await browser.close()
      await server.close({ graceMs: 0 })
      rmSync(folder, { recursive: true })
    }
  }, 120_000)

  test('a history says which steps are not in the file, and an empty one says that it has none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspect-'))
    const path = join(folder, 'story.json')
    await withFixture(async (fixture) => {
      await playStory(fixture)
      await fixture.runtime.stop()
      const file = await bundleOf(fixture)
      const actors = file.actors.map((actor) => {
        const kept = { 'issue:default/lib-7': actor.events.slice(1), 'issue:default/lib-8': [] }
        return {
          ...actor,
          events: Object.entries(kept).find(([address]) => address === actor.address)?.[1] ?? actor.events,
        }
      })
      writeFileSync(path, JSON.stringify({ ...file, actors }))
    })
    const { server, link } = await openBundle(path, 0)
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(`${link}#actor=issue:default/lib-7&seq=1`)
      await page.getByText('Step 1 is not in this file: the history begins with step 2.').waitFor()
      const history = page.getByRole('region', { name: 'History' })
      await history.getByText('Earlier steps are not in this file.').waitFor()
      await page.goto(`${new URL(link).origin}/inspector#actor=issue:default/lib-8`)
      await history.getByText('Its steps are not in this file.').waitFor()
      expect(await history.locator('table').count()).toBe(0)
    } finally {
      await browser.close()
      await server.close({ graceMs: 0 })
      rmSync(folder, { recursive: true })
    }
  }, 120_000)
})
