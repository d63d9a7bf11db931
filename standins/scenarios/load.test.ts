import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dueActs } from './humans.ts'
import { loadScenario, parseScenario, ScenarioInvalid } from './load.ts'

const shipped = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.yaml'))

test.each(shipped)('%s is a scenario', async (file) => {
  const scenario = await loadScenario(join(import.meta.dirname, file))
  expect(scenario.name).toBe(file.replace('.yaml', ''))
})

test('JSON is taken as well, and a bare list of steps is an entry', () => {
  const scenario = parseScenario('{"name": "j", "agents": {"review": [[{"say": "hello"}]]}}', 'j.json')
  expect(scenario.agents.review).toEqual([{ name: 'turn-1', steps: [{ say: 'hello' }] }])
})

test('every fault is listed with its place and a hint', () => {
  const source = `
name: Bad Name
agents:
  implement:
    - name: a
      when: { stage: { like: x } }
      steps:
        - bsh: ls
        - say: hi
          bash: ls
        - write: { path: a }
        - fault: earthquake
        - bash: ls
          as: not a name
          extra: 1
    - name: a
      steps: []
  tester: []
humans:
  - when: { comment: { matches: '(' } }
    do: { comment: hi }
`
  const faults = faultsOf(source)
  const at = (path: string): string | undefined => faults.find((fault) => fault.path === path)?.message
  expect(at('/name')).toMatch(/pattern/)
  expect(at('/agents/tester')).toMatch(/unknown member "tester".*implement/)
  expect(at('/agents/implement/0/when/stage/like')).toMatch(/operator is one of/)
  expect(at('/agents/implement/0/steps/0')).toMatch(/one of say, tool, bash.*meant/)
  expect(at('/agents/implement/0/steps/1')).toMatch(/one thing/)
  expect(at('/agents/implement/0/steps/2/write/content')).toMatch(/required/)
  expect(
    faults.some((fault) => fault.path === '/agents/implement/0/steps/3/fault' && fault.message.includes('overloaded')),
  ).toBe(true)
  expect(at('/agents/implement/0/steps/4/as')).toMatch(/pattern/)
  expect(at('/agents/implement/0/steps/4/extra')).toMatch(/unknown member/)
  expect(at('/agents/implement/1/name')).toMatch(/taken/)
  expect(at('/agents/implement/1/steps')).toBeDefined()
  expect(at('/humans/0/when/comment/matches')).toMatch(/regular expression/)
})

test('a fault of the YAML itself is told with its line', () => {
  expect(faultsOf('name: x\nagents: [')[0]?.path).toMatch(/^line \d/)
})

test('a person acts once, when the comment waited for is there', () => {
  const { humans } = parseScenario(
    `
name: h
humans:
  - when: { comment: { by: bot, matches: 'shall i' } }
    do: { comment: /approve }
  - when: { comment: { by: human, on: mergeRequest, matches: '.' } }
    do: { comment: thanks, as: reporter, on: issue }
agents: { review: [[{ say: x }]] }`,
    'h',
  )
  const seen = [
    { on: 'issue' as const, bot: true, body: 'Shall I?' },
    { on: 'issue' as const, bot: false, body: 'hm' },
  ]
  expect(dueActs(humans, seen, new Set())).toEqual([{ index: 0, on: 'issue', as: 'maintainer', comment: '/approve' }])
  expect(dueActs(humans, seen, new Set([0]))).toEqual([])
  expect(dueActs(humans, [{ on: 'mergeRequest', bot: false, body: 'ok' }], new Set())).toEqual([
    { index: 1, on: 'issue', as: 'reporter', comment: 'thanks' },
  ])
})

function faultsOf(source: string): ScenarioInvalid['faults'] {
  try {
    parseScenario(source, 'bad.yaml')
    return []
  } catch (error) {
    if (error instanceof ScenarioInvalid) return error.faults
    throw error
  }
}
