import { expect, test } from 'vitest'
import type { Runtime } from '../../runtime/runtime.ts'
import { actorReads } from './actor-reads.ts'

const readOf = (path: string | undefined, runsStacks = true) => {
  const read = async () => path && { path, context: { words: 'two claims' } }
  return actorReads({ read } as unknown as Runtime, { runsStacks }).stack('default/demo')
}

test('a memory stack holds its Project until it has ended, and then says what stays', async () => {
  expect(await readOf('ending')).toEqual({ runs: true, stays: '' })
  expect(await readOf('absent')).toEqual({ runs: false, stays: 'two claims' })
  expect(await readOf(undefined)).toEqual({ runs: false, stays: '' })
})

test('a stack that no orchestrator runs any more holds no Project for ever', async () => {
  expect(await readOf('ending', false)).toEqual({ runs: false, stays: '' })
  expect(await readOf('running', false)).toEqual({ runs: false, stays: '' })
})
