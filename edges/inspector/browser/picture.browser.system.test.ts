/** Draws README's picture: `npm run picture` writes it, any other run only sees that it can be drawn. */
import { writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { playStory, withFixture } from '../testing/fixture.ts'

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']

describeRequiring('chromium', 'the picture of the inspector', () => {
  test('shows a Task with every state that its chart has open, and names them', async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    try {
      await withFixture(async (fixture) => {
        const task = await playStory(fixture)
        const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
        await page.goto(`${fixture.link()}#actor=${task}`)
        await page.locator('.state.active[data-state="stage.live.active.implementing.clocked"]').waitFor()
        await page.getByRole('button', { name: 'Fit', exact: true }).click()
        const drawn = await Promise.all(
          (await page.locator('.chart .state[data-state]').all()).map((state) => state.getAttribute('data-state')),
        )
        expect(drawn).toContain('stage.live.active.implementing.clocked')
        const picture = named(await page.screenshot(), { kind: 'task', states: drawn })
        const path = process.env['PICTURE']
        if (path !== undefined) writeFileSync(path, picture)
      })
    } finally {
      await browser.close()
    }
  }, 120_000)
})

/** With a text of its own in the file (PNG, section 11.3.4.3), before its end, which has 12 bytes. */
function named(png: Buffer, shown: object): Buffer {
  const text = Buffer.from(`tEXtshown\0${JSON.stringify(shown)}`, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(text.length - 4)
  sum.writeUInt32BE(crc32(text))
  return Buffer.concat([png.subarray(0, -12), length, text, sum, png.subarray(-12)])
}
