/**
 * Negative controls: each of these runtimes is wrong in one place, and the simulation has to find out. Among them:
 * `no-fence` (drop the fence check), `mark-after-commit` (commit before the inbox mark), `early-acknowledgement` (ack
 * before the write) and `timer-twice` (timer fired twice).
 */
import { withJumps, withLostCommits } from './make-plan.ts'
import type { Plan } from './plan.ts'
import { edit, oneEdit, type Edit } from '../../plant.ts'

export interface PlantedBug {
  readonly name: string
  readonly does: string
  /** The schedule that found it when it was last looked for: tried first. Other sources may need another. */
  readonly schedule?: number
  /** The rule that must be broken first of all. */
  readonly law: RegExp
  readonly edits: readonly Edit[]
  /** What goes wrong beside it, where chance would seldom have it. */
  readonly change?: (plan: Plan) => Plan
  /** What of the schema would hold it back. */
  readonly schema?: { readonly plant: string; readonly heal: string }
}

const commitFile = 'runtime/store/journal/commit-steps.ts'
const commitHead = /export (async )?function commitSteps\(/

/** Puts something between the runtime and its one statement. `whole` is that statement, `part` a commit of some sections. */
function aroundCommit(body: string): Edit {
  const replace = `const part = (commit, ...names) => Object.fromEntries(Object.entries(commit).map(([name, rows]) =>
    [name, names.includes(name) || name === 'owner' || name === 'leases' ? rows : []]))
const but = (commit, ...names) => Object.fromEntries(Object.entries(commit).map(([name, rows]) =>
    [name, names.includes(name) ? [] : rows]))
export async function commitSteps(sql, commit) { ${body} }
$1function whole(`
  return edit(commitFile, commitHead, replace)
}

/** A timer that is not armed any more, or anew, is refused: without it the key alone holds off a second firing. */
const withoutVoidCheck: Edit = edit('runtime/commit/batch.ts', /if \(item\.timer && [^\n]*\n/, '\n')

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'no-fence',
    schedule: 15,
    does: 'lets a stale owner commit',
    law: /R5/,
    edits: oneEdit(commitFile, / and s\.epoch = r\.epoch and s\.owner = \$1/, ' and $$1::text is not null'),
  },
  {
    name: 'late-write',
    schedule: 168,
    does: 'lets an effect under way write although its lease has ended',
    law: /R5: .* wrote/,
    edits: oneEdit('runtime/effects/relay.ts', /!entry\.isForgotten && this\.#options\.isHeld\(effect\)/, 'true'),
  },
  {
    name: 'mark-after-commit',
    does: 'writes the inbox mark after the commit',
    law: /R[123]/,
    edits: [
      aroundCommit(`const numbers = await whole(sql, but(commit, 'events'))
        await whole(sql, part(commit, 'events'))
        return numbers`),
    ],
  },
  {
    name: 'children-after-commit',
    schedule: 18,
    does: 'sends events to other actors after the commit',
    law: /R9|R7/,
    edits: [
      aroundCommit(`await whole(sql, but(commit, 'inbox'))
        return whole(sql, part(commit, 'inbox'))`),
    ],
  },
  {
    name: 'timers-after-commit',
    does: 'arms and cancels timers after the commit',
    law: /R8/,
    edits: [
      aroundCommit(`const numbers = await whole(sql, but(commit, 'timersSet', 'timersCleared'))
        await whole(sql, part(commit, 'timersSet', 'timersCleared'))
        return numbers`),
    ],
    change: withLostCommits,
  },
  {
    name: 'lost-withdrawal',
    schedule: 48,
    does: 'does not write that effects were withdrawn',
    law: /R[67]/,
    edits: [aroundCommit(`return whole(sql, but(commit, 'withdrawn'))`)],
  },
  {
    name: 'unwritten-effects',
    schedule: 7,
    does: 'writes no effects',
    law: /R6/,
    edits: [
      aroundCommit(`const without = (rows) => rows.map((row) => ({ ...row, pending: null }))
        return whole(sql, { ...commit, created: without(commit.created), updated: without(commit.updated) })`),
    ],
  },
  {
    name: 'unwritten-children',
    does: 'writes no inbox rows for other actors',
    law: /R9|R6/,
    edits: [aroundCommit(`return whole(sql, but(commit, 'inbox'))`)],
  },
  {
    name: 'unwritten-events',
    does: 'acknowledges events that it does not write',
    law: /R1|R2/,
    edits: [aroundCommit(`return whole(sql, but(commit, 'events'))`)],
  },
  {
    name: 'no-sequence-check',
    does: 'does not check where the actor stands',
    law: /R\d/,
    edits: [
      edit(commitFile, / and a\.seq = r\.previous_seq/, ''),
      edit(commitFile, /seq = r\.seq, version/, 'seq = r.seq + 1, version'),
    ],
  },
  {
    name: 'early-acknowledgement',
    schedule: 7,
    does: 'acknowledges before it has written',
    law: /R1/,
    edits: oneEdit(
      'runtime/commit/worker.ts',
      /(return this\.#write\(built\.batch\))/,
      'for (const item of built.items) complete(item, built.batch)\n    $1',
    ),
  },
  {
    name: 'void-timer',
    schedule: 18,
    does: 'fires timers that were cancelled or set anew meanwhile',
    law: /R8/,
    edits: [withoutVoidCheck],
  },
  {
    name: 'timer-twice',
    does: 'fires a timer a second time, under another key',
    law: /R8: .* fired twice/,
    edits: [
      withoutVoidCheck,
      edit(
        'runtime/create-runtime.ts',
        /async #fire\(timer/,
        `async #fire(timer) {
    await this.#fireAs('', timer)
    return this.#fireAs('/again', timer)
  }

  async #fireAs(again, timer`,
      ),
      edit(
        'runtime/create-runtime.ts',
        /key: `timer:\$\{timer\.id\}:\$\{timer\.seq\}`/,
        'key: `timer:${timer.id}:${timer.seq}${again}`',
      ),
    ],
  },
  {
    name: 'late-timer',
    schedule: 6,
    does: 'does not look whether the clock was set forward',
    law: /R8: .* late/,
    edits: oneEdit('runtime/timers/timer-heap.ts', /longestSleepMs = 1000/, 'longestSleepMs = Infinity'),
    change: withJumps,
  },
  {
    name: 'early-timer',
    does: 'fires timers a second early',
    law: /R8/,
    edits: oneEdit('runtime/timers/timers.ts', /alarms\.at\(timer\.dueAt,/, 'alarms.at(timer.dueAt - 1000,'),
  },
  {
    name: 'settled-first',
    does: 'settles an effect before it performs it',
    law: /R[67]/,
    edits: oneEdit(
      'runtime/effects/relay.ts',
      /(const outcome = await this\.#ask\(entry\))/,
      "await this.#options.settle(entry.effect, { kind: 'performed', deliveries: [] }).catch(() => undefined)\n    $1",
    ),
  },
  {
    name: 'no-key-check',
    does: 'applies a key again',
    law: /R3/,
    edits: oneEdit('runtime/commit/batch.ts', /this\.#drafts\.get\(item\.to\)\?\.receiptOf\(item\.key\)/, 'undefined'),
    schema: {
      plant: 'alter table event drop constraint event_key',
      heal: 'truncate event; alter table event add constraint event_key unique (actor, key)',
    },
  },
  {
    name: 'batch-backwards',
    does: 'steps the events of a batch in another order',
    law: /R2/,
    edits: oneEdit(
      'runtime/commit/batch.ts',
      /for \(const item of items\) builder\.add/,
      'for (const item of [...items].reverse()) builder.add',
    ),
  },
  {
    name: 'another-key',
    schedule: 3,
    does: 'retries under another key',
    law: /R6/,
    edits: oneEdit(
      'runtime/effects/relay.ts',
      /const context = \{ key,/,
      'const context = { key: attempt > 1 ? `${key}+${attempt}` : key,',
    ),
  },
  {
    name: 'silent-failure',
    does: 'drops an effect that failed for good',
    law: /R7/,
    edits: oneEdit(
      'runtime/effects/failed-effects.ts',
      /if \(error instanceof TerminalError\) \{/,
      "if (error instanceof TerminalError) { return { kind: 'performed', deliveries: [] }",
    ),
  },
  {
    name: 'unheard-overtaken',
    schedule: 131,
    does: 'performs ordered effects while those of an earlier commit, whose answer never came, are in the store alone',
    law: /R6/,
    edits: [
      edit('runtime/create-runtime.ts', /this\.#relay\.fallBehind\(\), /, ''),
      // A process that is soon back, and reads everything again, would hide it.
      edit('runtime/shards/leases.ts', /options\.leaseMs \* longestPause/, '60_000'),
    ],
  },
  {
    name: 'no-lanes',
    does: 'performs ordered effects side by side',
    law: /R6/,
    edits: oneEdit(
      'runtime/effects/ordered-effects.ts',
      /(rest\.splice\(position, 0, entry\)\n\s*return \{ isFirst:) false/,
      '$1 true',
    ),
  },
]
