/** Holes of the numbered laws, each in the smallest world that shows it. */
import { assign } from 'xstate'
import { mutants } from '../../machines/mutants.ts'
import { alsoDo, dropRows, rowsOn, setRows, setsIn, state, type Part } from '../../machines/rewrite.ts'
import type { Changed } from '../../machines/world/world.ts'
import { said, table, unsaid, type Hole } from './hole.ts'

const active = 'stage.live.active'
const parked = 'stage.live.parked'

/** A mutant of the histories is one of the worlds as well. */
function asInHistories(wrong: string): Changed {
  return mutants.find((mutant) => mutant.wrong.startsWith(wrong))!.changed
}

function borrowed(wrong: string, finds: string, world: string, deviations: number): Hole {
  return { wrong, finds, world, deviations, changed: asInHistories(wrong) }
}

const unanswering = said('task', (effect) => (effect.type === 'answer' ? [] : [effect]))

export const holesOfLaws: readonly Hole[] = [
  borrowed('the slot is given back when the pod is asked to stop', 'a pod lives on a slot of its own', 'refine', 0),
  borrowed(
    'merging does not mind a new head',
    'no merge without an accepted `approve` on exactly the merged head',
    'upgrade',
    1,
  ),
  borrowed('opening goes on after a withdrawal', 'no opening while a live issue lacks its grant', 'forge', 1),
  borrowed('the edge takes its own comments', "the bot's own comment never moves a Task", 'own', 1),
  borrowed(
    'the volume of a settled Task is kept',
    'a final stage never changes; after `settled` no slot, timer, volume, pod',
    'refine',
    0,
  ),
  borrowed('a retiring pod is stopped without a look', 'every pod that ran has a note', 'refine', 0),
  borrowed('a busy pod that is stopped begins', 'one live pod per Task, one turn in flight per pod', 'refine', 1),
  borrowed('an issue forgets the Task that owns it', 'one owner per issue and merge request', 'forge', 1),
  borrowed(
    'the labels of an issue are wiped when they should be written',
    'labels are the projection of the Issue',
    'forge',
    0,
  ),
  {
    wrong: 'an outcome is left without an answer',
    world: 'refine',
    finds: 'every outcome is answered',
    deviations: 0,
    changed: unanswering,
  },
  {
    wrong: 'a stage has a deadline of its own',
    world: 'upgrade',
    finds: 'every deadline is the one that the tables give',
    deviations: 0,
    changed: table('task', (root) => {
      const merging = state(root, `${active}.merging`)
      merging['after'] = { 1000: Object.values(merging['after'] as Part)[0] }
    }),
  },
  {
    wrong: 'the outcome of a pod is forgotten, and another one taken',
    world: 'forge',
    finds: 'at most one stage-moving outcome per pod',
    deviations: 1,
    changed: table('task', (root) =>
      alsoDo(rowsOn(state(root, 'stage.live'), 'outcome'), setsIn('pod', { recordedOutcome: null })),
    ),
  },
  borrowed(
    'the merge is asked for while the review pod stops',
    'no pod of the Task lives when its merge is performed',
    'upgrade',
    0,
  ),
  borrowed('merging is left and its merge stays', "an outstanding forge write's state is active", 'upgrade', 1),
  borrowed(
    'nobody who merges hears of a withdrawal',
    'no merge while a grant is off, or when every issue was closed by a human',
    'forge',
    1,
  ),
  {
    wrong: 'a pod that drains begins another turn',
    world: 'refine',
    finds: 'no ordinary turn after `pod.stop`',
    deviations: 0,
    changed: table('pod', (root) =>
      setRows(state(root, 'alive.draining'), 'turn.ended', [{ target: 'busy', actions: 'sayEnded' }]),
    ),
  },
  borrowed(
    'whoever edits or deletes a withdrawal',
    'no grant and no merge of what a maintainer withdrew in any thread of its Task and no maintainer took back',
    'forge',
    1,
  ),
  {
    wrong: 'an issue whose new Task begins forgets which approvals are spent',
    world: 'back',
    finds: 'an issue that comes back after its delivery has no plan, approval or grant of before',
    deviations: 1,
    changed: table('issue', (root) =>
      alsoDo(rowsOn(state(root, 'live'), 'issue.owned'), assign({ boundPlans: {}, cameBackAt: undefined } as never)),
    ),
  },
  borrowed('a pod whose turn has ended says its prompt again', 'no prompt is accepted twice', 'refine', 1),
  borrowed('a pod that ends moves a parked Task on', 'nothing a pod says moves a park', 'review', 1),
  borrowed(
    'a comment on a change that is reviewed sends it back to work',
    'no pod of work but for conflict, red CI or request_changes on the current head, and once for each review by a maintainer that requests changes',
    'forge',
    1,
  ),
  borrowed(
    'a parked review does not look at a new head',
    'a new head of a reviewed merge request is reviewed, or the laps are spent, or an operator holds its Task',
    'review',
    1,
  ),
  {
    wrong: 'a park hears of no retry',
    world: 'review',
    finds: 'from every park a retry alone leads to an active stage',
    deviations: 1,
    changed: table('task', (root) => dropRows(state(root, `${parked}.awaiting-human`), 'task.retry')),
  },
  {
    wrong: 'a merge is waited for without an end',
    world: 'review',
    finds: 'with all silent, timers end every pod and turn, and lead every Task out of work',
    deviations: 1,
    changed: table('task', (root) => {
      delete state(root, `${active}.merging`)['after']
    }),
  },
  {
    wrong: 'a Task that needs another pod asks for no slot',
    world: 'upgrade',
    finds: 'a Task can end from wherever it is',
    deviations: 0,
    changed: unsaid('task', 'queue.enqueue'),
  },
]
