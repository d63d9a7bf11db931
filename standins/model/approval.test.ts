import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadScenario } from '../scenarios/load.ts'
import { approvalOf, citesAnew, refused as refusal } from './approval.ts'
import type { BundleComment, BundleThread } from './bundle.ts'
import { chooseEntry } from './choose.ts'
import { readConversation } from './conversation.ts'
import { play } from './play.ts'
import { aBundle, asPrompt } from './testing/a-bundle.ts'

/** As bundles have it: the time in whole minutes. */
function comment(id: string, body: string, more: Partial<BundleComment> = {}): BundleComment {
  return { author: 'maria', at: '2026-01-02T03:04Z', bot: false, external_id: id, body, ...more }
}

function thread(...comments: readonly BundleComment[]): BundleThread {
  return { ...{ repo: 'a', number: 1, state: 'open', status: '', url: '', title: '', author: '', body: '' }, comments }
}

const yes = comment('10', 'Yes.\n\n/approve')

test('the newest word of a person decides', () => {
  expect(approvalOf(thread(yes))).toMatchObject({ external_id: '10', quote: '/approve' })
  expect(approvalOf(thread(yes, comment('11', '/hold')))).toBeUndefined()
  expect(approvalOf(thread(yes, comment('11', '/hold', { bot: true })))).toMatchObject({ external_id: '10' })
})

test('a withdrawal on a merge request takes back what stood before it, and nothing that came after in the same minute', () => {
  const held = thread(comment('11', '/hold'))
  expect(approvalOf(thread(yes), [held])).toBeUndefined()
  expect(approvalOf(thread(yes, comment('12', 'approve')), [held])?.quote).toBe('approve')
  expect(approvalOf(thread(yes), [thread(comment('9', '/hold', { at: '2026-01-02T03:05Z' }))])).toBeUndefined()
})

test('an approval that the platform has refused is cited no more, and a newer one is', () => {
  const refused = [yes, comment('11', `${refusal}: …`, { bot: true }), comment('12', 'Please say more.')]
  expect(approvalOf(thread(...refused))).toBeUndefined()
  expect(approvalOf(thread(...refused, comment('13', '/approve')))).toMatchObject({ external_id: '13' })
  const wrongly = comment('11', `${refusal}: … A maintainer can ${citesAnew}`, { bot: true })
  expect(approvalOf(thread(yes, wrongly)), 'only its citation was wrong').toMatchObject({ external_id: '10' })
})

test('an approval from before the newest plan is of an earlier one, to the minute of the bundle', () => {
  expect(approvalOf(thread(yes), [], '2026-01-02T03:05Z')).toBeUndefined()
  expect(approvalOf(thread(yes, comment('12', '/approve')), [], '2026-01-02T03:04Z')).toMatchObject({
    external_id: '12',
  })
})

test('the reporter and a stranger of the local forge approve and withdraw nothing: the words of others stand', () => {
  const by = (author: string, id: string, body: string): BundleComment => comment(id, body, { author })
  expect(approvalOf(thread(by('rita', '11', '/approve'), by('sam', '12', '/approve')))).toBeUndefined()
  for (const word of ['/approve', '/hold'])
    expect(approvalOf(thread(yes, by('rita', '11', word)))).toMatchObject({ external_id: '10' })
  expect(approvalOf(thread(by('ada', '11', '/approve')))).toMatchObject({ author: 'ada' })
})

test('whoever comments while the plan waits, and whatever pod hears it: the agent asks again, so that no turn is silent', async () => {
  const scenario = await loadScenario(join(import.meta.dirname, '../scenarios/any.yaml'))
  const notes = [{ kind: 'plan', body: 'x' }]
  const asked = { bot: true, body: 'A script plays the agent. Shall it?' }
  const tools = ['issue_write', 'task_note'].map((name) => ({ name: `mcp__platform__${name}` }))
  for (const more of [[], [{ author: 'rita', body: 'Thanks.' }]]) {
    const content = asPrompt('t', aBundle({ issue: { comments: [asked, ...more] }, notes }))
    const move = play({ model: 'm', messages: [{ role: 'user', content }], tools }, scenario, () => 0)
    expect(JSON.stringify(move)).toMatch(/issue_write.*still waits until a maintainer replies/)
  }
})

test('who is no maintainer and approves is referred to one, once', async () => {
  const { agents } = await loadScenario(join(import.meta.dirname, '../scenarios/any.yaml'))
  const chosen = (...comments: readonly Partial<BundleComment>[]): string => {
    const notes = [{ kind: 'plan', body: 'x' }]
    const content = asPrompt('t', aBundle({ issue: { comments }, notes }))
    const choice = chooseEntry(
      readConversation({ model: 'm', messages: [{ role: 'user', content }] }),
      0,
      agents.implement ?? [],
    )
    return 'entry' in choice ? choice.entry.name : choice.wait
  }
  const asked = { bot: true, body: 'A script plays the agent. Shall it?' }
  const rita = { author: 'rita', body: 'Yes.\n\n/approve' }
  expect(chosen(asked, rita)).toBe('any-refer')
  expect(chosen(asked, rita, { bot: true, body: 'rita is no maintainer here.' })).toBe('any-plan')
  expect(chosen(asked, { author: 'rita', body: 'Thanks.' })).toBe('any-plan')
})
