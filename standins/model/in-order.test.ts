/** Entries without conditions, played in order across pods: the README's own example, and its order rules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseScenario } from '../scenarios/load.ts'
import { chooseEntry } from './choose.ts'
import { readConversation } from './conversation.ts'
import type { Message } from './messages.ts'
import { startModel } from './server.ts'
import { aBundle, asPrompt, type BundleParts } from './testing/a-bundle.ts'
import { aPod, withCheckout, withNodeOnPath } from './testing/a-pod.ts'

const readme = readFileSync(join(import.meta.dirname, '../scenarios/README.md'), 'utf8')
const example = /## The main job, in its simplest form\n\n```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
const scenario = parseScenario(`name: readme\n${example}`, 'README.md')
const fixes = parseScenario(
  `
name: fixes
agents:
  implement:
    - [{tool: issue_write, args: {action: comment, body: "Shall I,\\n{{issue.author}}?"}}]
    - [{tool: submit_outcome, args: {action: approved}}]
    - [{tool: submit_outcome, args: {action: submitted, title: a}}]
    - [{tool: submit_outcome, args: {action: submitted, title: b}}]
    - [{tool: submit_outcome, args: {action: submitted, title: c}}]
  review:
    - [{tool: submit_outcome, args: {verdict: request_changes}}]
    - [{tool: submit_outcome, args: {verdict: approve}}]
`,
  'fixes.yaml',
)

function chosen(kind: 'implement' | 'review', ...messages: readonly Message[]): string {
  const conversation = readConversation({ model: 'm', messages: [...messages] })
  const choice = chooseEntry(conversation, conversation.turns.length - 1, fixes.agents[kind] ?? [])
  return 'entry' in choice ? choice.entry.name : choice.wait
}

const turn = (parts: BundleParts, token = 't'): Message => ({ role: 'user', content: asPrompt(token, aBundle(parts)) })
const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] })
const asked = { bot: true, body: '**Question**\n\nShall I, rob?' }
const approved = { author: 'ada', body: '/approve' }
const changes = { bot: true, body: 'Verdict: request changes' }

describe('a pod with an empty conversation', () => {
  test.each<[string, 'implement' | 'review', BundleParts, string]>([
    ['begins with the first entry', 'implement', {}, 'turn-1'],
    [
      'takes another comment of the bot for no question',
      'implement',
      { issue: { comments: [{ bot: true, body: 'The plan: ...' }] } },
      'turn-1',
    ],
    [
      'waits when the question is there and no approval',
      'implement',
      { issue: { comments: [asked] } },
      'a maintainer has not approved yet',
    ],
    [
      'waits again when the approval was withdrawn',
      'implement',
      { issue: { comments: [asked, approved, { body: '/hold' }] } },
      'a maintainer has not approved yet',
    ],
    ['claims the approval', 'implement', { issue: { comments: [asked, approved] } }, 'turn-2'],
    [
      'still claims when an approval was told of and not granted',
      'implement',
      { issue: { comments: [asked, approved] }, events: [{ kind: 'approval' }] },
      'turn-2',
    ],
    [
      'writes code when the assignment says that the plan is approved',
      'implement',
      { issue: { comments: [asked, approved] }, assignment: 'The plan is approved: write the code.' },
      'turn-3',
    ],
    [
      'takes the words about a later grant for none',
      'implement',
      {
        issue: { comments: [asked, approved] },
        assignment:
          'Pushes are refused until the plan is approved.\nThen end your turn. The platform notifies you when it grants the approval.',
      },
      'turn-2',
    ],
    [
      'writes it again when the merge request needs work that no review asked for',
      'implement',
      { mergeRequest: {} },
      'turn-3',
    ],
    ['fixes after the first review', 'implement', { mergeRequest: { comments: [changes] } }, 'turn-4'],
    ['fixes after the second', 'implement', { mergeRequest: { comments: [changes, changes] } }, 'turn-5'],
    [
      'repeats the last entry when all are done',
      'implement',
      { mergeRequest: { comments: [changes, changes, changes] } },
      'turn-5',
    ],
    ['asks for changes in the first review', 'review', { mergeRequest: {} }, 'turn-1'],
    [
      'approves in the second',
      'review',
      { mergeRequest: { comments: [changes, { bot: true, body: 'here', path: 'a.ts', line: 1 }] } },
      'turn-2',
    ],
  ])('%s', (_, kind, parts, expected) => {
    expect(chosen(kind, turn(parts))).toBe(expected)
  })
})

describe('a conversation', () => {
  test('goes on after an entry that ended well, before the forge shows it', () => {
    expect(chosen('implement', turn({}, 'a'), said('Done.'), turn({ issue: { comments: [approved] } }, 'b'))).toBe(
      'turn-2',
    )
  })

  test('plays an entry again whose turn failed or was cut off', () => {
    expect(chosen('implement', turn({}, 'a'), said('I stop here: step 1 failed: no'), turn({}, 'b'))).toBe('turn-1')
    expect(chosen('implement', turn({}, 'a'), turn({}, 'b'))).toBe('turn-1')
  })

  test('believes the newest assignment about the grant, not an earlier one', () => {
    const parts = { issue: { comments: [asked, approved] } }
    const granted = { ...parts, assignment: 'The approval is granted: write the code.' }
    expect(chosen('implement', turn(parts, 'a'), turn(granted, 'b'))).toBe('turn-3')
    expect(chosen('implement', turn(granted, 'a'), turn(parts, 'b'))).toBe('turn-2')
  })
})

test("the README's example plays from the question to the approving review", { timeout: 60_000 }, async () => {
  onTestFinished(withNodeOnPath())
  const model = await startModel({ scenario, apiKey: 'k' })
  const outcomes: Readonly<Record<string, unknown>>[] = []
  const tools = {
    task_note: () => ({ id: 'n-1' }),
    issue_write: () => ({ status: 'ok' }),
    submit_outcome: (input: Readonly<Record<string, unknown>>) => {
      outcomes.push(input)
      return { accepted: true }
    },
  }
  try {
    await withCheckout(join(import.meta.dirname, '../scenarios/repository'), 'spanlet', async (workspace, git) => {
      const pod = { url: model.url, apiKey: 'k', workspace, tools }
      const implement = aPod(pod)
      const question = { bot: true, body: 'Shall I?' }
      await implement.turn('a', aBundle())
      await implement.turn('b', aBundle({ issue: { comments: [question, approved] } }))
      const { text } = await implement.turn(
        'c',
        aBundle({ issue: { comments: [question, approved] }, assignment: 'The approval is granted: write the code.' }),
      )
      expect(text).toBe('Done.')
      expect(git('show', 'HEAD:src/slugify.js')).toContain('slugify')
      await aPod(pod).turn('d', aBundle({ agent: 'review', mergeRequest: {} }))
      expect(outcomes).toMatchObject([
        {
          action: 'approved',
          plan_note_id: 'n-1',
          approving_maintainer: 'ada',
          approval_citations: [{ id: 'c-2', quote: '/approve' }],
        },
        { action: 'submitted', body: 'Closes #7' },
        { verdict: 'approve', reviewed_shas: [{ repo: 'spanlet', number: 8, sha: git('rev-parse', 'HEAD') }] },
      ])
    })
  } finally {
    await model.close()
  }
})
