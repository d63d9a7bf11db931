import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { until } from './measure/closed-loop.ts'

const bench = fileURLToPath(new URL('./testing/bench-with-child.ts', import.meta.url))

function childrenOf({ pid }: ChildProcess): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a bench that is ended', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s, even twice, leaves none of its programs',
    async (signal) => {
      const running = spawn(process.execPath, [bench], { stdio: 'ignore' })
      let children: readonly number[] = []
      try {
        await until(() => (children = childrenOf(running)).length === 2, 'both programs are started')
        running.kill(signal)
        running.kill(signal)
        expect(await once(running, 'exit')).toEqual([130, null])
        await until(() => !children.some(isThere), 'they are gone')
      } finally {
        running.kill('SIGKILL')
        for (const pid of children.filter(isThere)) process.kill(pid, 'SIGKILL')
      }
    },
  )
})
