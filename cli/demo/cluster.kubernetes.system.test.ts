/** The whole demo with its agents in pods of a real API server, as a person starts it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { programDir } from '../program.ts'
import type { Report } from './report.ts'

/** Ten times what it takes alone. */
const limitMs = 800_000

async function demo(...parameters: readonly string[]): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'demo-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const program = join(programDir, 'bin', 'statewright.mjs')
  const running = promisify(execFile)(
    process.execPath,
    [program, 'demo', '--kubernetes', '--json', '--dir', join(dir, 'demo'), '--timeout', '600', ...parameters],
    { cwd: dir, timeout: limitMs, maxBuffer: 64 * 1024 * 1024 },
  )
  const { stdout } = await running.catch((error: { readonly stdout: string; readonly stderr: string }) => {
    if (error.stdout === '') throw new Error(error.stderr, { cause: error })
    return error
  })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Report
}

describeRequiring('kubernetes', 'the demo in a cluster', () => {
  test(
    'an issue becomes a merged change by agents in pods, and nothing is left at the API server',
    async () => {
      const { ok, faults, mergeRequest, task, pods, kubernetes } = await demo()
      expect({ ok, faults, stage: task.stage }).toEqual({ ok: true, faults: [], stage: 'delivered' })
      expect(mergeRequest?.mergeCommit).toMatch(/^[0-9a-f]{40}$/)
      expect(new Set(pods.map(({ agent }) => agent))).toEqual(new Set(['implement', 'review']))
      const names = pods.map(({ name }) => name.replace('/', '-'))
      expect(kubernetes?.pods).toEqual(names.map((name) => ({ name, phase: 'Succeeded' })))
      expect(kubernetes).toMatchObject({ tasks: { [task.name]: 'delivered' }, left: [] })
      expect(kubernetes?.claims.toSorted()).toEqual(['cache-demo', `ws-${task.name}`])
      expect(kubernetes?.events.toSorted()).toEqual(['Admitted', 'Merged'])
    },
    limitMs,
  )
})
