import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { people } from '../../standins/people.ts'
import { withForge } from '../../standins/forge/testing/fixture.ts'
import { parseScenario } from '../../standins/scenarios/load.ts'
import { startPeople } from './people.ts'

const scenario = parseScenario(
  `
name: asks
task: { issue: { title: Wish, body: '' } }
humans:
  - when: { comment: { matches: 'wanted\\?' } }
    do: { comment: "Yes.\\n\\n/approve\\n" }
agents:
  implement: [[{ say: Done }]]
`,
  'asks',
)

describe.each(['github', 'gitlab'] as const)('at %s', (dialect) => {
  test('a person says nothing again after a restart, and nothing on an issue of others', async () => {
    const fullName = 'acme/wishes'
    const permissions = { maria: 'admin', [people.bot]: 'admin' } as const
    await withForge({ git: 'memory' }, async ({ forge }) => {
      for (const login of ['maria', people.bot]) forge.createUser({ login })
      await forge.createRepository({ dialect, owner: 'acme', name: 'wishes', permissions })
      const stack = { forge, fullName, dialect }
      const wish = forge.openIssue('maria', fullName, { title: 'Wish', body: '' }).number
      const other = forge.openIssue('maria', fullName, { title: 'Another', body: '' }).number
      const words = (number: number): readonly string[] =>
        [...forge.issue(fullName, number, 'issue').comments.values()].map(
          ({ author, body }) => `${author.login}: ${body.trim()}`,
        )
      const first = startPeople(stack, scenario, () => undefined)
      forge.comment(people.bot, fullName, other, 'Is that wanted?', 'issue')
      await setImmediate()
      expect(words(other)).toHaveLength(1)
      first.close()
      // Asked while nobody listened: the next start answers, once.
      forge.comment(people.bot, fullName, wish, 'Is that wanted?', 'issue')
      const second = startPeople(stack, scenario, () => undefined)
      expect(second.idle()).toBe(false)
      await setImmediate()
      const said = [`${people.bot}: Is that wanted?`, `maria: Yes.\n\n${dialect === 'gitlab' ? '' : '/'}approve`]
      expect(words(wish)).toEqual(said)
      second.close()
      const third = startPeople(stack, scenario, () => undefined)
      expect(third.idle()).toBe(true)
      forge.comment(people.bot, fullName, wish, 'A remark.', 'issue')
      await setImmediate()
      expect(words(wish)).toEqual([...said, `${people.bot}: A remark.`])
      third.close()
    })
  })
})
