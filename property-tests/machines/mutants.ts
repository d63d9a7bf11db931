/**
 * Negative controls: each is the real world with one thing wrong, and must be caught by the law that it is written for.
 * A law that lets its mutants live proves nothing. H numbers name the hole of the first exploration that a mutant reopens.
 */
import { assign } from 'xstate'
import { bodyHash } from '../../edges/forge/hash.ts'
import { notesAfter } from '../../edges/forge/mirror/facts/subject-text.ts'
import type { IssueFacts } from '../../machines/issue/events.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { sameLogin } from '../../machines/rules/logins.ts'
import type { Effect } from '../../runtime/runtime.ts'
import { alsoDo, dropRows, rowsOn, setRows, setsIn, state, withTable, type Part } from './rewrite.ts'
import type { Tamper } from './world/actors.ts'
import { botLogin } from './world/people.ts'
import { podIn } from './world/trace.ts'
import type { Changed, Setting } from './world/world.ts'

export interface Mutant {
  readonly law: number
  readonly wrong: string
  readonly changed: Changed
  /** What the worlds must have for the mutant to show: the search is short only where it looks at the right ones. */
  readonly where?: Partial<Setting>
  /** The history of the seed that showed it when it was last looked for: lived first. Others are searched where it no longer does. */
  readonly history?: number
}

const live = 'stage.live'
const active = `${live}.active`
const merging = `${active}.merging`
const opening = `${active}.reviewing.opening`

function task(change: (table: Part) => void): Changed {
  return { definitions: withTable('task', change) }
}

function pod(change: (table: Part) => void): Changed {
  return { definitions: withTable('pod', change) }
}

function queue(change: (table: Part) => void): Changed {
  return { definitions: withTable('queue', change) }
}

function drops(isDropped: (effect: Effect) => boolean): Changed {
  return { tamper: (_actor, effects) => effects.filter((effect) => !isDropped(effect)) }
}

interface Slots {
  readonly context: { readonly maxConcurrentAgents: number; readonly capacity: number }
}

const admission: readonly Mutant[] = [
  {
    law: 1,
    wrong: 'the slot is given back when the pod is asked to stop, not when it is gone [POD-1]',
    changed: {
      tamper: (_actor, effects, after) => {
        if (!effects.some(({ type }) => type === 'stopPod')) return effects
        const { queue: to, entry } = podIn(after)
        return [...effects, { type: 'deliver', params: { to: `queue:${to}`, event: { type: 'queue.release', entry } } }]
      },
    },
  },
  {
    law: 1,
    wrong: 'a pause is read as one slot',
    changed: queue((table) =>
      alsoDo(
        rowsOn(table, 'queue.configured'),
        assign({ maxConcurrentAgents: ({ context }: Slots) => Math.max(1, context.maxConcurrentAgents) }),
      ),
    ),
  },
  { law: 1, wrong: 'the queue hears of no budget', changed: queue((table) => dropRows(table, 'queue.budgeted')) },
  {
    law: 1,
    wrong: 'one slot too many is counted',
    changed: queue((table) =>
      alsoDo(
        rowsOn(table, 'queue.configured'),
        assign({
          capacity: ({ context }: Slots) => context.capacity + 1,
          maxConcurrentAgents: ({ context }: Slots) =>
            context.maxConcurrentAgents === 0 ? 0 : context.maxConcurrentAgents + 1,
        }),
      ),
    ),
  },
]

function dropFirst(rows: readonly Part[]): readonly Part[] {
  return rows.slice(1)
}

const verdicts: readonly Mutant[] = [
  {
    law: 2,
    wrong: 'merging does not mind a new head, and asks for the head as it stands [HEAD-2]',
    history: 333,
    changed: task((table) => {
      setRows(state(table, merging), 'mr.headMoved', dropFirst(rowsOn(state(table, merging), 'mr.headMoved')))
      const settling = state(table, `${merging}.settling`)
      settling['always'] = (settling['always'] as Part[]).filter(({ target }) => target !== '#reviewing.fresh')
    }),
  },
  {
    law: 2,
    wrong: 'a review approves against a base that its turn was not told of [HEAD-1]',
    history: 479,
    changed: task((table) =>
      alsoDo(
        rowsOn(state(table, live), 'mr.headMoved'),
        assign({
          forge: ({ context: { forge } }: { readonly context: TaskContext }) => ({
            ...forge,
            mergeRequests: forge.mergeRequests.map(({ baseUntold: _untold, ...mr }) => mr),
          }),
        }),
      ),
    ),
  },
  {
    law: 2,
    wrong: 'a park that a comment releases goes on to merging, whatever was judged [PARK-1]',
    history: 762,
    where: { issues: 'none', hasAlert: true, hasMergeRequest: false },
    changed: task((table) => {
      const park = state(table, `${live}.parked.awaiting-human`)
      for (const row of rowsOn(park, 'human.commented'))
        if (row['target'] === '#reviewing.fresh') row['target'] = '#merging'
      const settling = state(table, `${merging}.settling`)
      settling['always'] = (settling['always'] as Part[]).filter(({ target }) => target !== '#reviewing.fresh')
    }),
  },
]

/** Every state that hears of a withdrawal. */
const withdrawals = [live, `${active}.reviewing`, merging, `${live}.parked.awaiting-human`]

const askNobody: Tamper = (_actor, effects) =>
  effects.map((effect) =>
    effect.type === 'mergeMergeRequest' ? { ...effect, params: { ...effect.params, grants: [] } } : effect,
  )

const gates: readonly Mutant[] = [
  {
    law: 3,
    wrong: 'opening goes on after a withdrawal, and its gate is not read again [APPROVAL-7]',
    changed: task((table) => {
      dropRows(state(table, `${active}.reviewing`), 'approval.revoked')
      const settling = state(table, `${opening}.settling`)
      settling['always'] = (settling['always'] as Part[]).slice(-1)
    }),
  },
  {
    law: 3,
    wrong: 'the Task hears of no withdrawal [APPROVAL-7]',
    changed: task((table) => {
      for (const path of withdrawals) dropRows(state(table, path), 'approval.revoked')
    }),
  },
  {
    law: 18,
    wrong: 'nobody who merges hears of a withdrawal: neither the Task, nor the merge itself [APPROVAL-7]',
    changed: {
      ...task((table) => {
        for (const path of withdrawals) dropRows(state(table, path), 'approval.revoked')
      }),
      tamper: askNobody,
    },
  },
  {
    law: 18,
    wrong: "the merge reads the Task's copy of its grants, not the Issue's own",
    changed: { tamper: askNobody },
  },
]

/** What the edge made of hands before decisions/0023: a comment is whatever was last told of it. */
export const newestText: NonNullable<Changed['hands']> = (_row, comment, { action, news }, now) => ({
  comment,
  bodyHash: bodyHash(comment.body),
  notified: !news,
  heard: true,
  ...(action === 'deleted' ? { deletedAt: now, deletedBy: comment.author.login } : { editedBy: comment.author.login }),
})

/** An Issue as before decisions/0023: it knows the withdrawals that the newest view of the mirror names. */
export const forgetfulIssue = withTable('issue', (table) =>
  alsoDo(
    rowsOn(state(table, 'live'), 'issue.observed'),
    assign({ withdrawals: ({ event }) => (event as { readonly facts?: IssueFacts }).facts?.withdrawals ?? [] }),
  ),
)

const withdrawn: readonly Mutant[] = [
  {
    law: 24,
    wrong: 'whoever edits or deletes a withdrawal is taken for its author',
    changed: { hands: newestText },
    where: { issues: 'wish' },
  },
  {
    law: 24,
    wrong: 'an edit of an issue that nobody signed is taken for a maintainer’s',
    history: 160,
    changed: {
      texts: (known, now, edit) =>
        edit === undefined && known !== undefined ? known.notes : notesAfter(known, now, edit),
    },
    where: { issues: 'wish' },
  },
  {
    law: 24,
    wrong: 'an approval outlives an edit by others',
    changed: { texts: () => ({ editedByOther: false }) },
    where: { issues: 'wish' },
  },
  {
    law: 24,
    wrong: 'the Issue forgets what its newest view of the mirror does not name',
    history: 1854,
    changed: { definitions: forgetfulIssue },
    where: { issues: 'wish' },
  },
]

const ownVoice: readonly Mutant[] = [
  {
    law: 4,
    wrong: 'the edge takes its own comments for those of a listed person',
    changed: {
      judging: (people) => ({
        ...people,
        isOwnComment: () => false,
        isBot: (account) => account.bot,
        isGatedHuman: (account) => sameLogin(account.login, botLogin) || people.isGatedHuman(account),
      }),
    },
  },
]

const endings: readonly Mutant[] = [
  {
    law: 5,
    wrong: 'the end of the last pod revives a rejected Task',
    changed: task((table) => setRows(state(table, 'stage.rejected'), 'pod.final', [{ target: '#implementing' }])),
  },
  {
    law: 5,
    wrong: 'an entry that is wanted no more is not withdrawn [POD-6]',
    changed: task((table) => delete (state(table, 'pod.awaitingSlot')['always'] as Part)['actions']),
  },
  { law: 5, wrong: 'the volume of a settled Task is kept', changed: drops(({ type }) => type === 'deleteWorkspace') },
]

const notes: readonly Mutant[] = [
  {
    law: 6,
    wrong: 'a retiring pod is stopped without a look for its note [NOTE-1]',
    changed: pod((table) => {
      state(table, 'alive.retiring')['always'] = { target: 'stopping' }
    }),
  },
  {
    law: 6,
    wrong: 'a pod that vanishes is lost at once [NOTE-1]',
    changed: pod((table) => setRows(state(table, 'alive'), 'pod.vanished', [{ target: 'lost' }])),
  },
]

const single: readonly Mutant[] = [
  {
    law: 7,
    wrong: 'a stage that wants another pod forgets the one that still stops, and takes any slot [POD-1, POD-6]',
    changed: task((table) => {
      state(table, 'pod.working')['always'] = {
        ...(state(table, 'pod.working')['always'] as Part),
        target: '#pod.none',
      }
      setRows(state(table, 'pod.awaitingSlot'), 'slot.granted', [{ target: 'starting' }])
    }),
  },
  {
    law: 7,
    wrong: 'a busy pod that is stopped begins its hand-off beside its turn [TURN-15]',
    changed: pod((table) =>
      setRows(state(table, 'alive.busy'), 'pod.stop', [{ target: 'handingOff', actions: 'keepStop' }]),
    ),
  },
  {
    law: 7,
    wrong: 'an issue forgets the Task that owns it, and asks for another',
    changed: {
      definitions: withTable('issue', (table) =>
        setRows(state(table, 'live'), 'issue.owned', [{ actions: assign({ mint: null }) }]),
      ),
    },
  },
]

interface Heard {
  readonly context: { readonly pod: { readonly ordinal: number } }
  readonly event: object
}

type Guard = (heard: Heard) => boolean

const outcomes: readonly Mutant[] = [
  {
    law: 15,
    wrong: 'the outcome of a pod is not kept [OUTCOME-RULE-2]',
    history: 67,
    changed: task((table) => alsoDo(rowsOn(state(table, live), 'outcome'), setsIn('pod', { recordedOutcome: null }))),
  },
  {
    law: 15,
    wrong: 'an outcome is taken whichever pod of the Task it is from [OUTCOME-RULE-1]',
    where: { issues: 'none', hasAlert: true },
    changed: task((table) => {
      for (const row of rowsOn(state(table, live), 'outcome')) {
        const guard = row['guard'] as Guard | undefined
        if (guard)
          row['guard'] = (heard: Heard) =>
            guard({ ...heard, event: { ...heard.event, pod: heard.context.pod.ordinal } })
      }
    }),
  },
]

const forgeWrites: readonly Mutant[] = [
  {
    law: 16,
    wrong: 'the merge is asked for while the review pod stops [MERGE-1]',
    changed: task((table) => {
      state(table, merging)['initial'] = 'asked'
    }),
  },
  {
    law: 17,
    wrong: 'merging is left and its merge stays asked for [FORGE-WRITES-1]',
    changed: task((table) => delete state(table, `${merging}.asked`)['exit']),
  },
  {
    law: 17,
    wrong: 'opening is left and its merge request stays asked for [FORGE-WRITES-1]',
    changed: task((table) => delete state(table, `${opening}.asked`)['exit']),
  },
]

const stops: readonly Mutant[] = [
  {
    law: 19,
    wrong: 'an idle pod that is told to stop takes the turn that it was asked for',
    changed: pod((table) => {
      setRows(state(table, 'alive.idle'), 'pod.stop', [{ target: 'busy', actions: 'keepStop' }])
    }),
  },
  {
    law: 20,
    wrong: 'a pod whose turn has ended says its prompt again, by another turn',
    changed: pod((table) => {
      setRows(state(table, 'alive.busy'), 'turn.ended', [{ target: 'busy', reenter: true, actions: 'sayEnded' }])
    }),
  },
  {
    law: 10,
    wrong: 'the labels of an issue are wiped when they should be written',
    changed: {
      tamper: (_actor, effects) =>
        effects.map((effect) =>
          effect.type === 'writeLabels' ? { ...effect, params: { ...effect.params, labels: [] } } : effect,
        ),
    },
  },
  {
    law: 22,
    wrong: 'a comment on a change that is reviewed sends it back to work',
    changed: task((table) =>
      setRows(state(table, `${active}.reviewing`), 'human.commented', [{ target: '#implementing' }]),
    ),
  },
  {
    law: 22,
    wrong: 'a parked review does not look at a new head',
    where: { issues: 'none', hasMergeRequest: true },
    changed: task((table) => dropRows(state(table, `${live}.parked.awaiting-human`), 'mr.headMoved')),
  },
  {
    law: 21,
    wrong: 'a pod that ends moves a parked Task on [POD-7]',
    changed: task((table) => setRows(state(table, `${live}.parked`), 'pod.final', [{ target: '#operator-error' }])),
  },
]

const handOvers: readonly Mutant[] = [
  {
    law: 23,
    wrong: 'a takeover ends the review and mints nobody',
    changed: drops(({ type, params }) => type === 'deliver' && isHeirEntry(params)),
    where: { hasMergeRequest: true },
  },
  {
    law: 23,
    wrong: "a refine Task forgets its members' answers",
    changed: task((table) => alsoDo(rowsOn(state(table, live), 'fold.accepted'), setsIn('forge', { folds: [] }))),
    where: { other: 'refine' },
  },
]

function isHeirEntry(params: Effect['params']): boolean {
  const { event } = params as unknown as {
    readonly event: { readonly seed?: { readonly origin: { readonly kind: string } } }
  }
  return event.seed?.origin.kind === 'takeover'
}

export const mutants: readonly Mutant[] = [
  ...admission,
  ...verdicts,
  ...gates,
  ...withdrawn,
  ...ownVoice,
  ...endings,
  ...notes,
  ...single,
  ...outcomes,
  ...forgeWrites,
  ...stops,
  ...handOvers,
]
