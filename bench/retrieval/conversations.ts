/** Conversations of a team, each turn a note, and questions whose evidence is known: which turns say the answer. */
import { seeded } from '../../runtime/random.ts'

export interface Conversations {
  /** Turns by their names. */
  readonly notes: ReadonlyMap<string, string>
  readonly questions: readonly { readonly text: string; readonly files: readonly string[] }[]
}

const people = [
  'Ann Lee',
  'Boris Kade',
  'Chidi Obi',
  'Dora Lenz',
  'Emil Stark',
  'Fatma Aydin',
  'Goro Ito',
  'Hana Novak',
]
const subjects = [
  ['InvoicePrinter', 'the printing of invoices'],
  ['SessionStore', 'the place where sessions are kept'],
  ['LedgerSync', 'the nightly ledger run'],
  ['PhotoResizer', 'the resizing of pictures'],
  ['MailQueue', 'the queue of outgoing mail'],
  ['SearchIndex', 'the index of the search page'],
  ['TaxTable', 'the table of tax rates'],
  ['RateLimiter', 'the limit on calls'],
  ['ImportWorker', 'the import of partner data'],
  ['AuditTrail', 'the record of who did what'],
] as const
const symptoms = [
  'timed out',
  'lost rows',
  'ran twice',
  'answered with old data',
  'filled the disk',
  'stopped without a word',
]
const causes = [
  'the clock of the second machine was slow',
  'a certificate had expired',
  'two workers took the same lease',
  'the cache was never emptied',
  'the partner sent dates without a zone',
  'an index was missing after the migration',
]
const decisions = [
  'move it to its own machine',
  'retry three times and then give up',
  'keep the old format until spring',
  'pay for the larger plan',
  'write the result to a file first',
  'turn the feature off for guests',
]
const chatter = [
  'I am at lunch until one',
  'the coffee machine is broken again',
  'can we move the meeting to the afternoon',
  'the office is closed on the holiday',
  'please look at my change when you can',
  'the new colleague starts in spring',
]
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

export function conversationsOf(count: number): Conversations {
  const random = seeded(23)
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
  const notes = new Map<string, string>()
  const questions: { text: string; files: string[] }[] = []
  for (let at = 0; at < count; at += 1) {
    const [[name, gist], symptom, cause, decision, day] = [
      one(subjects),
      one(symptoms),
      one(causes),
      one(decisions),
      one(days),
    ]
    const [asker, answerer] = [one(people), one(people)]
    const week = `week ${at + 1}`
    const turns: [role: string, text: string][] = [
      ['symptom', `${asker}, ${day} of ${week}: the ${name} ${symptom} again.`],
      ['chat', `${answerer}: ${one(chatter)}, and ${one(chatter)}.`],
      ['cause', `${answerer}: I looked at ${gist} in ${week}: ${cause}.`],
      ['chat', `${asker}: ${one(chatter)}; the ${one(subjects)[0]} can wait.`],
      ['decision', `${asker}: so for the ${name} we ${decision}, from ${week} on.`],
      ['chat', `${answerer}: agreed. ${one(chatter)}.`],
    ]
    const named = (role: string): string[] =>
      turns.flatMap(([each], turn) => (each === role ? [`talk-${at}-${turn}`] : []))
    for (const [turn, [, text]] of turns.entries()) notes.set(`talk-${at}-${turn}`, text)
    questions.push(
      { text: `What did we decide about the ${name} in ${week}?`, files: named('decision') },
      {
        text: `What was the cause when the ${name} ${symptom} in ${week}?`,
        files: [...named('cause'), ...named('symptom')],
      },
      { text: `Who saw that the ${name} ${symptom} on ${day} of ${week}?`, files: named('symptom') },
    )
  }
  return { notes, questions }
}
