import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import type { Chart } from './chart.ts'
import { mermaidOf } from './mermaid.ts'

/** The largest chart takes a second. */
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

describeRequiring('mermaid', 'the text of a chart, drawn by Mermaid', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
    page = await browser.newPage()
    await page.addScriptTag({ path: join(process.env['MERMAID_UNDER_TEST'] ?? '', 'mermaid.min.js') })
  })
  afterAll(() => browser?.close())

  test.each(allMachines)('names each state of $kind in a picture', async ({ kind }) => {
    const chart = JSON.parse(
      readFileSync(new URL(`../generated/charts/${kind}.json`, import.meta.url), 'utf8'),
    ) as Chart
    const text = mermaidOf(chart, new Set([chart.states[0]?.id ?? '']))
    // The browser's names are none of this file's: the script is text.
    const drawn = await page.evaluate<readonly string[]>(`(async () => {
      const { svg } = await mermaid.render('chart', ${JSON.stringify(text)})
      document.body.innerHTML = svg
      return [...document.querySelectorAll('svg .nodeLabel')].map(({ textContent }) => textContent.trim())
    })()`)
    const count = (names: readonly string[], name: string): number => names.filter((each) => each === name).length
    const labels = chart.states.map(({ label }) => label)
    expect(labels.filter((label) => count(drawn, label) < count(labels, label))).toEqual([])
  })
})
