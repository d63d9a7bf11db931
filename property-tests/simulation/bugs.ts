/** Negative controls: each of these systems is wrong in one place, and the simulation has to find out. */
import { walls } from '../injection/hands/walls.ts'
import { edit, oneEdit, type Edit } from '../plant.ts'
import type { ObjectionPlace } from './plan.ts'

export interface PlantedBug {
  readonly name: string
  readonly does: string
  /** What must be broken, among other things. */
  readonly law: RegExp
  readonly edits: readonly Edit[]
}

/** One for each place of a merge request in which a maintainer can say no. */
const deafPlaces: readonly PlantedBug[] = (
  [
    ['comment', "row.comment.sort === 'comment'"],
    ['review', "row.comment.sort === 'review' && row.comment.verdict !== 'changesRequested'"],
    ['line', "row.comment.sort === 'inline'"],
    ['changes', "row.comment.verdict === 'changesRequested'"],
  ] satisfies readonly (readonly [ObjectionPlace, string])[]
).map(([place, isIt]) => ({
  name: `deaf-to-${place}`,
  does: `does not hear a no in a merge request: ${place}`,
  law: new RegExp(`^LAW-24: .* over the ${place} in`),
  edits: oneEdit(
    'edges/forge/mirror/facts/words.ts',
    /const \{ text, at \} = authorsWords\(row\)\n {2}const word/,
    `if (threadRef.kind === 'mr' && ${isIt}) return []\n  $&`,
  ),
}))

const neverLooksAgain = edit('machines/memory/decisions.ts', /const look = 30 \* minute/, 'const look = 3000 * minute')

/** What a run of the memory has to find (KNOWLEDGE-16). */
const memoryBugs: readonly PlantedBug[] = [
  {
    name: 'memory-deaf-to-pushes',
    does: 'does not hear that a default branch moved, and never looks again',
    law: /^memory: it (?:knows|has the code graph of)/,
    edits: [neverLooksAgain, edit('edges/forge/mirror/apply.ts', /isMoved\(scope, change\) \|\| mayHide/, 'mayHide')],
  },
  {
    name: 'memory-of-everybody',
    does: 'takes words into the memory that the gate keeps from agents',
    law: /^memory: words of/,
    edits: oneEdit(
      'orchestrator/wiring/compose-handlers.ts',
      /cache, defaultBranch, gatedThreads \}\)/,
      'cache, defaultBranch, gatedThreads: stores.threads })',
    ),
  },
  {
    name: 'memory-of-what-is-gone',
    does: 'lets agents read what the forge shows nobody any more',
    law: /^memory: words of/,
    edits: oneEdit('edges/forge/mirror/facts/gate.ts', /return notes\.deleted === true/, 'return false'),
  },
  {
    name: 'memory-filled-twice',
    does: 'asks for a step while another one is under way',
    law: /^memory: .* (?:before the last one was over|twice at a time)/,
    edits: oneEdit(
      'machines/memory/machine.ts',
      /\[stop, \{ actions: 'note' \}\]/,
      "[stop, { target: 'filling', reenter: true }]",
    ),
  },
  {
    name: 'memory-filled-while-paused',
    does: 'fills the memory of a paused Project',
    law: /^memory: .* though it is paused/,
    edits: oneEdit(
      'orchestrator/wiring/compose-handlers.ts',
      /return project\.isPaused \? 'the Project is paused' : ''/,
      "return ''",
    ),
  },
  {
    name: 'memory-asked-for-ever',
    does: 'asks a memory that does not answer every few seconds',
    law: /^memory: \d+ steps ask/,
    edits: oneEdit(
      'machines/memory/decisions.ts',
      /failures > 0 \? doubled\(minute, failures, longestBackoff\) : look/,
      'failures > 0 ? soon : look',
    ),
  },
  {
    name: 'memory-fails-in-silence',
    does: 'shows nobody that a memory cannot be filled',
    law: /^memory: it was never reached/,
    edits: oneEdit('edges/schedule/fill-memory.ts', /\{ \.\.\.known, trouble \}/, "{ ...known, trouble: '' }"),
  },
  {
    name: 'memory-holds-up-tasks',
    does: 'lets no Task begin while the memory cannot be filled',
    law: /^wish|^rest/,
    edits: oneEdit(
      'edges/schedule/fill-memory.ts',
      /return \[(\{ to: actor, key: `\$\{key\}\/filled`[^\n]*)\]\n/,
      "const closed = { type: 'queue.closed', at, reason: 'memory' }\n      const isFailing = Object.values(repositories).some((one) => one.trouble !== '')\n      return [$1, ...(isFailing ? [{ to: `queue:${id}`, key: `${key}/closed`, event: closed }] : [])]\n",
    ),
  },
]

/** What a run of memory stacks has to find. */
const stackBugs: readonly PlantedBug[] = [
  {
    name: 'stack-password-anew',
    does: 'makes a new password at each look',
    law: /^stack: Secret .* was made anew/,
    edits: oneEdit(
      'edges/kubernetes/memory-stack/secrets.ts',
      /const known = await objects\.own\('Secret', name\)\n {2}if \(known !== undefined\) return known/,
      "if (name !== '') return (await objects.apply('Secret', name, fields())).object",
    ),
  },
  {
    name: 'stack-left-behind',
    does: 'leaves the stack of a deleted Project as it is',
    law: /^stack: .* is left behind/,
    edits: oneEdit(
      'orchestrator/resources/end-project.ts',
      /context !== undefined && context\.wanted !== null/,
      'context === undefined && stack !== stack',
    ),
  },
  {
    name: 'stack-pending-again',
    does: 'takes a stack that is away for one that never served',
    law: /^stack: .* is pending again/,
    edits: oneEdit(
      'machines/memory-stack/machine.ts',
      /const degraded = lookedAt\('degraded'\)/,
      "const degraded = lookedAt('pending')",
    ),
  },
  {
    name: 'stack-moves-to-the-operator',
    does: 'begins a new database when CloudNativePG is installed after it',
    law: /^stack: .* has two places/,
    edits: oneEdit('edges/kubernetes/memory-stack/postgres.ts', /if \(hasOperator && !hasOwn\)/, 'if (hasOperator)'),
  },
  {
    name: 'stack-filled-too-early',
    does: 'fills a memory that never served yet, after each start',
    law: /^stack: .* before its stack serves/,
    edits: oneEdit(
      'orchestrator/resources/resources.ts',
      /if \(fillsMemory && \(await memories\.isAwaited\(project\)\)\) return\n/,
      '',
    ),
  },
]

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'no-intake-gate',
    does: 'hears whoever opens an issue',
    law: /^stranger/,
    edits: oneEdit('machines/rules/intake-gate.ts', /return reporterLogins\.length === 0 \|\| [^\n]*/, 'return true'),
  },
  {
    name: 'deaf-to-the-key',
    does: 'admits Tasks while the provider withholds the model',
    law: /^LAW-1: .* while the model was withheld|^withheld/,
    edits: [
      edit(
        'machines/queue/admission.ts',
        /if \(hold === null \|\| entry === probe\) return null/,
        'if (hold === null || entry !== probe) return null',
      ),
      edit('machines/queue/key.ts', /if \(hold === null\) return \[\]/, 'if (hold !== undefined) return []'),
    ],
  },
  {
    name: 'deaf-to-a-pause',
    does: 'admits Tasks of a paused Project',
    law: /^paused/,
    edits: [
      edit('machines/queue/admission.ts', /return isPaused\(context\) \? 'paused' : null/, 'return null'),
      edit(
        'machines/queue/admission.ts',
        /Math\.min\(context\.capacity, context\.maxConcurrentAgents\)/,
        'Math.max(1, $&)',
      ),
    ],
  },
  {
    name: 'no-head-pin',
    does: 'merges whatever head there is',
    law: /^LAW-2|^reviewed/,
    edits: [
      edit('edges/forge/outbound/merge.ts', /if \(headSha !== sha\) return [^\n]*/, ''),
      edit(
        'edges/forge/github/merge-requests.ts',
        /pull_number: number, sha, merge_method/,
        'pull_number: number, merge_method',
      ),
      edit('edges/forge/gitlab/merge-requests.ts', /body: \{ sha, squash: /, 'body: { squash: '),
    ],
  },
  {
    name: 'foreign-never-told',
    does: 'never learns who pushed what into a merge request',
    law: /^foreign/,
    edits: oneEdit('edges/agents/outcome/heads.ts', /foreign: \(await [^\n]*/, 'foreign: [] }'),
  },
  {
    name: 'deaf-to-a-new-base',
    does: 'merges a head into whatever base it has by then',
    law: /^judged/,
    edits: [
      edit(
        'edges/forge/outbound/merge.ts',
        /return baseBranch === base \? undefined : [^\n]*/,
        'return baseBranch === base ? undefined : undefined',
      ),
      // The Task, which learns of the new base, would hide it.
      edit('machines/merge-request/news.ts', /sha, \.\.\.baseOf\(facts\), byOwnPod/, 'sha, byOwnPod'),
    ],
  },
  {
    name: 'no-comment-key',
    does: 'does not look for its own comment before it writes it again',
    law: /^twice/,
    edits: oneEdit(
      'edges/forge/outbound/issues.ts',
      /const isThere = \(mark: string\): boolean => [^\n]*/,
      'const isThere = (mark: string): boolean => false',
    ),
  },
  {
    name: 'old-pods-heard',
    does: 'hears a pod that another has replaced',
    law: /^LAW-15/,
    edits: [
      edit('machines/task/outcome/judge.ts', /if \(event\.pod !== context\.pod\.ordinal\) return [^\n]*/, ''),
      // The edge, which hears no pod that has ended, would hide it.
      edit('edges/agents/caller.ts', /if \(pod\?\.status !== 'active'\) throw [^\n]*/, ''),
    ],
  },
  {
    name: 'settled-first',
    does: 'settles an effect before it is performed',
    law: /^rest|^wish|^R6/,
    edits: oneEdit(
      'runtime/effects/relay.ts',
      /(const outcome = await this\.#ask\(entry\))/,
      "await this.#options.settle(entry.effect, { kind: 'performed', deliveries: [] }).catch(() => undefined)\n    $1",
    ),
  },
  {
    name: 'early-acknowledgement',
    does: 'acknowledges an event before it is written',
    law: /^R1|^rest|^wish/,
    edits: oneEdit(
      'runtime/commit/worker.ts',
      /(return this\.#write\(built\.batch\))/,
      'for (const item of built.items) complete(item, built.batch)\n    $1',
    ),
  },
  {
    name: 'every-hand-is-the-authors',
    does: 'takes what stands in a comment for its author’s, whoever edited it',
    law: /^LAW-24: .* grants on comment \d+, which no maintainer wrote/,
    edits: oneEdit(
      'edges/forge/mirror/facts/hands.ts',
      /if \(editedBy === undefined\) return 'author'/,
      "return 'author'",
    ),
  },
  {
    name: 'plan-not-read-back',
    does: 'grants a plan whatever others made of the comment that shows it',
    law: /^LAW-24: .* grants a plan that was not shown/,
    edits: walls['plan-shown'],
  },
  {
    name: 'own-voice-heard',
    does: 'takes its own comments for those of a maintainer',
    law: /^LAW-4/,
    edits: oneEdit('edges/forge/mirror/facts/notifications.ts', /if \(people\.isOwnComment\(comment\) \|\| [^\n]*/, ''),
  },
  {
    name: 'anybody-lifts-a-hold',
    does: 'takes whoever edits or deletes a withdrawal for its author',
    law: /^LAW-24/,
    edits: [
      edit(
        'edges/forge/mirror/facts/hands.ts',
        /if \(writerOf\(written\) === 'author'\) return written\n/,
        'if (isChanged) return written\n',
      ),
      edit(
        'edges/forge/mirror/facts/hands.ts',
        /return deletedBy !== undefined && sameLogin[^\n]*/,
        'return deletedBy !== undefined',
      ),
      // The Issue, which keeps what it was told, would hide it.
      edit('machines/issue/withdrawals.ts', /before\.filter\(\(one\) => !takenBack[^\n]*/, 'before.slice(0, 0)'),
    ],
  },
  ...deafPlaces,
  ...memoryBugs,
  ...stackBugs,
  {
    name: 'answers-a-review-again',
    does: 'works on a request for changes each time that it asks for the merge',
    law: /^LAW-22: mr.mergeRefused/,
    edits: oneEdit('machines/task/merging.ts', / && !context\.forge\.reviewsAnswered\.includes\(review\)/, ''),
  },
  {
    name: 'write-outlives-its-state',
    does: 'leaves the merge that it asked for when it stops merging',
    law: /^LAW-17/,
    edits: oneEdit('machines/task/merging.ts', /return \{ effects: \[effect\('withdrawEffects'[^\n]*/, 'return {}'),
  },
  {
    name: 'standing-written-once',
    does: 'leaves the comment that says how a Task stands as it was first',
    law: /^standing: the comment/,
    edits: oneEdit('edges/forge/standing/write.ts', /if \(body === text\) return true/, 'return true'),
  },
  {
    name: 'standing-posted-anew',
    does: 'says in a new comment how a Task stands by now',
    law: /^standing: (?:\d+ comments|how)/,
    edits: [
      edit(
        'edges/forge/standing/write.ts',
        /(if \(known\.length === 1) && [^\n]*/,
        '$1 && known[0].body === wanted.text) return',
      ),
      edit('edges/forge/standing/write.ts', /await ours\(target, thread, wanted\.mark\)/, '[]'),
    ],
  },
]
