import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import type { Chart } from './chart.ts'
import { svgOf } from './svg.ts'
import { aroundLines, labelSize } from './text-size.ts'

const charts = allMachines.map(
  ({ kind }) => JSON.parse(readFileSync(new URL(`../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart,
)

describeRequiring('chromium', 'the words of the charts', () => {
  test('have the place that they take', async () => {
    const words = charts.flatMap(({ states, lines }) => [
      ...states.flatMap(({ fromAround }) => aroundLines(fromAround)),
      ...lines.flatMap(({ label }) => label?.lines ?? []),
    ])
    const texts = [...new Set(words)]
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox'] })
    try {
      const page = await browser.newPage()
      await page.setContent(charts.map(svgOf).join(''))
      const taken = await page.evaluate<readonly number[]>(`(() => {
        const text = document.querySelector('.line text')
        return ${JSON.stringify(texts)}.map((words) => {
          text.textContent = words
          return text.getComputedTextLength()
        })
      })()`)
      expect(texts.filter((text, index) => labelSize([text]).width < (taken[index] ?? Infinity))).toEqual([])
    } finally {
      await browser.close()
    }
  }, 60_000)
})
