import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { programDir } from '../../program.ts'
import { releaseImage } from './images.ts'

const chart = (file: string): unknown => parse(readFileSync(join(programDir, 'deploy/chart', file), 'utf8'))

test.each([
  ['image', 'orchestrator'],
  ['wrapperImage', 'wrapper'],
])('the demo starts what the chart’s %s names without values', (value, program) => {
  const { repository } = (chart('values.yaml') as Record<string, { repository: string }>)[value]!
  const { appVersion } = chart('Chart.yaml') as { appVersion: string }
  expect(releaseImage(program)).toBe(`${repository}:${appVersion}`)
})
