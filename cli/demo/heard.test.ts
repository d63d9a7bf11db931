/** Whether each word was heard; and what the demo finds in the log of a forge against what the real edge makes of the same words. */
import { expect, test } from 'vitest'
import { ofGitlab, withForgeEdge } from '../../edges/forge/testing/fixture.ts'
import type { ProjectSettings } from '../../edges/forge/projects.ts'
import { people } from '../../standins/people.ts'
import { maintainerComments } from './maintainer-comments.ts'
import type { AuditEntry } from '../local/standins.ts'
import { unheard, type Heard, type HeardTurn, type JournalRow } from './heard.ts'

const text = 'Word 1 of seed 5: the names of the tests read well.'
const common = { at: '2026-01-02T03:04:05Z', actor: 'maria', repository: 'acme/a' }
const audit: readonly AuditEntry[] = [
  { ...common, action: 'comment.create', number: 1, detail: { comment: 7, body: text } },
  { ...common, at: '2026-01-02T03:05:05Z', actor: people.bot, action: 'pull.merge', number: 2 },
]

function row(seq: number, event: JournalRow['event'], more: Partial<JournalRow> = {}): JournalRow {
  return { seq, at: seq, key: `key-${seq}`, event, effects: [], ...more }
}

const passedOn = [{ type: 'deliver', params: { to: 'task:default/a', event: { type: 'human.commented' } } }]
const commented = row(4, { type: 'issue.commented', commentId: '7', text }, { key: 'comment/7', effects: passedOn })
const told = row(10, { type: 'human.commented', text })
const asks = row(
  11,
  { type: 'turn.result' },
  { effects: [{ type: 'deliver', params: { to: 'pod:a/1', event: { type: 'turn.requested', eventsUpTo: 1 } } }] },
)
const accepted = row(12, { type: 'turn.accepted' })
const turn = (more: Partial<HeardTurn> = {}): HeardTurn => ({ ended: true, events: [text], comments: [text], ...more })
const well: Heard = {
  subjects: [commented],
  task: [told, asks, accepted],
  turns: [turn({ events: [], comments: [] }), turn(), turn({ events: [] })],
}

const unseen = [turn({ events: [], comments: [] })]
const untold = { ...commented, effects: [] }
const last = (one: JournalRow): JournalRow => ({ ...one, seq: 13 })
const saidAt = (at: string): readonly AuditEntry[] => [{ ...audit[0]!, at }, audit[1]!]
const command = row(4, { type: 'mr.command', command: 'goAhead' }, { key: 'forge/command/7' })
const other = { ...commented, key: 'comment/17', event: { commentId: '17' } }

type Row = readonly [string, Partial<Heard> & { readonly audit?: readonly AuditEntry[] }, readonly string[]]

const heard: readonly Row[] = [
  ['that reached the agent once', {}, []],
  ['that is a command, of which the actor keeps the key alone', { subjects: [command], task: [], turns: [] }, []],
  ['that is new to a turn that was cut off and to the one after it', { turns: [turn({ ended: false }), turn()] }, []],
  ['known from comments alone: the turn that carried it was never played', { turns: [turn({ events: [] })] }, []],
  ['with no turn after it', { task: [asks, accepted, last(told)], turns: [] }, []],
  ['with no accepted turn after it', { task: [told, asks], turns: [] }, []],
  ['with a turn that was asked for after the accepted one', { task: [told, accepted, last(asks)], turns: [] }, []],
  [
    'from before the Task owned the issue',
    { subjects: [untold], task: [asks, accepted], turns: [turn({ events: [] })] },
    [],
  ],
  ['where no stand-in saw the turns', { turns: undefined }, []],
  ['of which no actor was told', { subjects: [] }, ['a word was lost']],
  ['in place of which an actor was told another', { subjects: [other] }, ['a word was lost']],
  ['of the very last moment before the merge', { subjects: [], audit: saidAt('2026-01-02T03:05:04Z') }, []],
  ['of the moment before that', { subjects: [], audit: saidAt('2026-01-02T03:05:02Z') }, ['a word was lost']],
  [
    'that an actor was told twice, under whatever key',
    { subjects: [commented, { ...commented, seq: 5, key: 'other' }] },
    ['a word was told 2 times'],
  ],
  ['that did not reach the Task', { task: [asks, accepted] }, ['a word did not reach the Task']],
  [
    'that did not reach it although it owned the issue',
    { subjects: [{ ...untold, at: asks.at + 30_000 }], task: [asks, accepted] },
    ['a word did not reach the Task'],
  ],
  ['that reached it twice', { task: [told, asks, last(told)] }, ['the Task was told a word 2 times']],
  ['that is new to two whole turns', { turns: [turn(), turn()] }, ['the agent was told a word 2 times as new']],
  [
    'in whose journal none of the turns is asked for that were played',
    { task: [told, accepted] },
    ['the model played turns for which no Task asked'],
  ],
  ['that no turn after it showed', { turns: unseen }, ['a word did not reach the agent']],
  [
    'from before the Task owned the issue, and no turn showed it',
    { subjects: [untold], turns: unseen, task: [asks, accepted] },
    ['a word did not reach the agent'],
  ],
  [
    'from before that, and the turn was asked for before it',
    { subjects: [untold], turns: unseen, task: [{ ...asks, at: 3 }, accepted] },
    [],
  ],
]

test.each(heard)('a word %s: its faults are named', (_what, { audit: of = audit, ...more }, faults) => {
  const found = unheard(of, { ...well, ...more }).map((fault) => fault.replace(/: #1 Word 1.*$/, ''))
  expect(found).toEqual(faults)
})

const words = ['On the issue.', 'On the merge request.', 'In a review.', 'On a line.', 'With changes.']

test.each([
  ['github', 'acme/library', {}, (same: ProjectSettings) => same],
  ['gitlab', 'acme/tools/library', { dialect: 'gitlab', owner: 'acme/tools' }, ofGitlab],
] as const)(
  'on %s each word of a maintainer is found once, and so is its loss',
  async (_dialect, name, repository, of) => {
    const project = (one: ProjectSettings): ProjectSettings => {
      return { ...of(one), scm: { ...of(one).scm, maintainerLogins: [people.maintainer] } }
    }
    await withForgeEdge({ repository, project }, async ({ forge, edge, delivered, context, quiet, push, clone }) => {
      forge.createUser({ login: people.maintainer, token: 'token-of-maria' })
      await edge.handlers.checkProject.perform({ project: 'default/demo' }, context('check'))
      const issue = forge.openIssue('maintainer', name, { title: 'T', body: 'B', labels: ['platform'] })
      await push(await clone('bot'), 'feature', { 'a.js': '1\n' })
      const { number } = await forge.openPull('bot', name, { title: 'A', body: '', head: 'feature', base: 'main' })
      await quiet()
      forge.comment(people.maintainer, name, issue.number, 'On the issue.', 'issue')
      forge.comment(people.maintainer, name, number, 'On the merge request.', 'pull')
      for (const review of [
        { event: 'COMMENT', body: 'In a review.' },
        { event: 'COMMENT', comments: [{ path: 'a.js', line: 1, body: 'On a line.' }] },
        { event: 'REQUEST_CHANGES', body: 'With changes.' },
      ] as const)
        await forge.review(people.maintainer, name, number, review)
      await quiet()
      const said = maintainerComments(forge.audit()).map((word) => word.text)
      expect(said.filter((one) => one !== '').toSorted()).toEqual(words.toSorted())
      const rows = delivered.map(({ key, event }, seq): JournalRow => ({ seq, at: seq, key, event, effects: [] }))
      const faults = (subjects: readonly JournalRow[]): readonly string[] =>
        unheard(forge.audit(), { subjects, task: [], turns: [] })
      expect(faults(rows)).toEqual([])
      for (const word of words)
        expect(faults(rows.filter(({ event }) => !String(event['text']).includes(word)))).toEqual([
          expect.stringMatching(new RegExp(`^a word was lost: #\\d ${word}$`)),
        ])
    })
  },
)
