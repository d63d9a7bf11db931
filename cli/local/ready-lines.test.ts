import { expect, it } from 'vitest'
import { makePeople } from './people-file.ts'
import { readyLines } from './ready-lines.ts'

it('ends with who may act where, and with the way to see it again', () => {
  const persons = makePeople(['maria', 'rita'])
  const endpoints = { inspector: 'http://127.0.0.1:1/inspector', forge: 'http://127.0.0.1:2', signInCode: 'c0de' }
  const lines = readyLines({ endpoints, persons, triggerLabel: 'platform', dir: '/tmp/x' })
  expect(lines).toContain(`  maria, maintainer http://127.0.0.1:2/as/${persons['maria']?.key}/`)
  expect(lines).toContain(`  rita, reporter    http://127.0.0.1:2/as/${persons['rita']?.key}/`)
  expect(lines).toContain('  sign-in code      c0de (the inspector and statewright login ask for it)')
  expect(lines.at(-1)).toContain('statewright open --dir /tmp/x')
  expect(readyLines({ endpoints, persons, triggerLabel: 'platform', dir: undefined }).at(-1)).not.toContain('--dir')
})
