/** Negative controls: each of these systems is wrong in one place, and the simulation has to find out. */
import { walls } from '../injection/hands/walls.ts'
import type { Edit } from '../plant.ts'
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
  edits: [
    {
      file: 'edges/forge/mirror/facts/words.ts',
      find: /const \{ text, at \} = authorsWords\(row\)\n {2}const word/,
      replace: `if (place.kind === 'mr' && ${isIt}) return []\n  $&`,
    },
  ],
}))

const neverLooksAgain = {
  file: 'machines/memory/decisions.ts',
  find: /const look = 30 \* minute/,
  replace: 'const look = 3000 * minute',
}

/** What a run of the memory has to find (KNOWLEDGE-16). */
const memoryBugs: readonly PlantedBug[] = [
  {
    name: 'memory-deaf-to-pushes',
    does: 'does not hear that a default branch moved, and never looks again',
    law: /^memory: it (?:knows|has the code graph of)/,
    edits: [
      neverLooksAgain,
      { file: 'edges/forge/mirror/apply.ts', find: /isMoved\(scope, change\) \|\| mayHide/, replace: 'mayHide' },
    ],
  },
  {
    name: 'memory-of-everybody',
    does: 'takes words into the memory that the gate keeps from agents',
    law: /^memory: words of/,
    edits: [
      {
        file: 'orchestrator/wiring/compose-handlers.ts',
        find: /cache, defaultBranch, gatedThreads \}\)/,
        replace: 'cache, defaultBranch, gatedThreads: stores.threads })',
      },
    ],
  },
  {
    name: 'memory-of-what-is-gone',
    does: 'lets agents read what the forge shows nobody any more',
    law: /^memory: words of/,
    edits: [
      { file: 'edges/forge/mirror/facts/gate.ts', find: /return notes\.deleted === true/, replace: 'return false' },
    ],
  },
  {
    name: 'memory-filled-twice',
    does: 'asks for a step while another one is under way',
    law: /^memory: .* (?:before the last one was over|twice at a time)/,
    edits: [
      {
        file: 'machines/memory/machine.ts',
        find: /\[stop, \{ actions: 'note' \}\]/,
        replace: "[stop, { target: 'filling', reenter: true }]",
      },
    ],
  },
  {
    name: 'memory-filled-while-paused',
    does: 'fills the memory of a paused Project',
    law: /^memory: .* though it is paused/,
    edits: [
      {
        file: 'orchestrator/wiring/compose-handlers.ts',
        find: /return project\.isPaused \? 'the Project is paused' : ''/,
        replace: "return ''",
      },
    ],
  },
  {
    name: 'memory-asked-for-ever',
    does: 'asks a memory that does not answer every few seconds',
    law: /^memory: \d+ steps ask/,
    edits: [
      {
        file: 'machines/memory/decisions.ts',
        find: /failures > 0 \? doubled\(minute, failures, longestBackoff\) : look/,
        replace: 'failures > 0 ? soon : look',
      },
    ],
  },
  {
    name: 'memory-fails-in-silence',
    does: 'shows nobody that a memory cannot be filled',
    law: /^memory: it was never reached/,
    edits: [
      {
        file: 'edges/schedule/fill-memory.ts',
        find: /\{ \.\.\.known, trouble \}/,
        replace: "{ ...known, trouble: '' }",
      },
    ],
  },
  {
    name: 'memory-holds-up-tasks',
    does: 'lets no Task begin while the memory cannot be filled',
    law: /^wish|^rest/,
    edits: [
      {
        file: 'edges/schedule/fill-memory.ts',
        find: /return \[(\{ to: actor, key: `\$\{key\}\/filled`[^\n]*)\]\n/,
        replace:
          "const closed = { type: 'queue.closed', at, reason: 'memory' }\n      const isFailing = Object.values(repositories).some((one) => one.trouble !== '')\n      return [$1, ...(isFailing ? [{ to: `queue:${id}`, key: `${key}/closed`, event: closed }] : [])]\n",
      },
    ],
  },
]

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'no-intake-gate',
    does: 'hears whoever opens an issue',
    law: /^stranger/,
    edits: [
      {
        file: 'machines/rules/intake-gate.ts',
        find: /return reporterLogins\.length === 0 \|\| [^\n]*/,
        replace: 'return true',
      },
    ],
  },
  {
    name: 'deaf-to-the-key',
    does: 'admits Tasks while the provider withholds the model',
    law: /^LAW-1: .* while the model was withheld|^withheld/,
    edits: [
      {
        file: 'machines/queue/admission.ts',
        find: /if \(hold === null \|\| entry === probe\) return null/,
        replace: 'if (hold === null || entry !== probe) return null',
      },
      {
        file: 'machines/queue/key.ts',
        find: /if \(hold === null\) return \[\]/,
        replace: 'if (hold !== undefined) return []',
      },
    ],
  },
  {
    name: 'deaf-to-a-pause',
    does: 'admits Tasks of a paused Project',
    law: /^paused/,
    edits: [
      {
        file: 'machines/queue/admission.ts',
        find: /return isPaused\(context\) \? 'paused' : null/,
        replace: 'return null',
      },
      {
        file: 'machines/queue/admission.ts',
        find: /Math\.min\(context\.capacity, context\.maxConcurrentAgents\)/,
        replace: 'Math.max(1, $&)',
      },
    ],
  },
  {
    name: 'no-head-pin',
    does: 'merges whatever head there is',
    law: /^LAW-2|^reviewed/,
    edits: [
      {
        file: 'edges/forge/outbound/merge.ts',
        find: /if \(headSha !== sha\) return [^\n]*/,
        replace: '',
      },
      {
        file: 'edges/forge/github/merge-requests.ts',
        find: /pull_number: number, sha, merge_method/,
        replace: 'pull_number: number, merge_method',
      },
      {
        file: 'edges/forge/gitlab/merge-requests.ts',
        find: /body: \{ sha, squash: /,
        replace: 'body: { squash: ',
      },
    ],
  },
  {
    name: 'foreign-never-told',
    does: 'never learns who pushed what into a merge request',
    law: /^foreign/,
    edits: [
      {
        file: 'edges/agents/outcome/heads.ts',
        find: /foreign: \(await [^\n]*/,
        replace: 'foreign: [] }',
      },
    ],
  },
  {
    name: 'deaf-to-a-new-base',
    does: 'merges a head into whatever base it has by then',
    law: /^judged/,
    edits: [
      {
        file: 'edges/forge/outbound/merge.ts',
        find: /return baseBranch === base \? undefined : [^\n]*/,
        replace: 'return baseBranch === base ? undefined : undefined',
      },
      // The Task, which learns of the new base, would hide it.
      {
        file: 'machines/merge-request/news.ts',
        find: /sha, \.\.\.baseOf\(facts\), byOwnPod/,
        replace: 'sha, byOwnPod',
      },
    ],
  },
  {
    name: 'no-comment-key',
    does: 'does not look for its own comment before it writes it again',
    law: /^twice/,
    edits: [
      {
        file: 'edges/forge/outbound/issues.ts',
        find: /const isThere = \(mark: string\): boolean => [^\n]*/,
        replace: 'const isThere = (mark: string): boolean => false',
      },
    ],
  },
  {
    name: 'old-pods-heard',
    does: 'hears a pod that another has replaced',
    law: /^LAW-15/,
    edits: [
      {
        file: 'machines/task/outcome/judge.ts',
        find: /if \(event\.pod !== context\.pod\.ordinal\) return [^\n]*/,
        replace: '',
      },
      // The edge, which hears no pod that has ended, would hide it.
      { file: 'edges/agents/caller.ts', find: /if \(pod\?\.status !== 'active'\) throw [^\n]*/, replace: '' },
    ],
  },
  {
    name: 'settled-first',
    does: 'settles an effect before it is performed',
    law: /^rest|^wish|^R6/,
    edits: [
      {
        file: 'runtime/effects/relay.ts',
        find: /(const outcome = await this\.#ask\(entry\))/,
        replace:
          "await this.#options.settle(entry.effect, { kind: 'performed', deliveries: [] }).catch(() => undefined)\n    $1",
      },
    ],
  },
  {
    name: 'early-acknowledgement',
    does: 'acknowledges an event before it is written',
    law: /^R1|^rest|^wish/,
    edits: [
      {
        file: 'runtime/commit/worker.ts',
        find: /(return this\.#write\(built\.batch\))/,
        replace: 'for (const item of built.items) complete(item, built.batch)\n    $1',
      },
    ],
  },
  {
    name: 'every-hand-is-the-authors',
    does: 'takes what stands in a comment for its author’s, whoever edited it',
    law: /^LAW-24: .* grants on comment \d+, which no maintainer wrote/,
    edits: [
      {
        file: 'edges/forge/mirror/facts/hands.ts',
        find: /if \(editedBy === undefined\) return 'author'/,
        replace: "return 'author'",
      },
    ],
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
    edits: [
      {
        file: 'edges/forge/mirror/facts/notifications.ts',
        find: /if \(people\.isOwnComment\(comment\) \|\| [^\n]*/,
        replace: '',
      },
    ],
  },
  {
    name: 'anybody-lifts-a-hold',
    does: 'takes whoever edits or deletes a withdrawal for its author',
    law: /^LAW-24/,
    edits: [
      {
        file: 'edges/forge/mirror/facts/hands.ts',
        find: /if \(writerOf\(written\) === 'author'\) return written\n/,
        replace: 'if (isChanged) return written\n',
      },
      {
        file: 'edges/forge/mirror/facts/hands.ts',
        find: /return deletedBy !== undefined && sameLogin[^\n]*/,
        replace: 'return deletedBy !== undefined',
      },
      // The Issue, which keeps what it was told, would hide it.
      {
        file: 'machines/issue/withdrawals.ts',
        find: /before\.filter\(\(one\) => !takenBack[^\n]*/,
        replace: 'before.slice(0, 0)',
      },
    ],
  },
  ...deafPlaces,
  ...memoryBugs,
  {
    name: 'answers-a-review-again',
    does: 'works on a request for changes each time that it asks for the merge',
    law: /^LAW-22: mr.mergeRefused/,
    edits: [
      {
        file: 'machines/task/merging.ts',
        find: / && !context\.forge\.reviewsAnswered\.includes\(review\)/,
        replace: '',
      },
    ],
  },
  {
    name: 'write-outlives-its-state',
    does: 'leaves the merge that it asked for when it stops merging',
    law: /^LAW-17/,
    edits: [
      {
        file: 'machines/task/merging.ts',
        find: /return \{ effects: \[effect\('withdrawEffects'[^\n]*/,
        replace: 'return {}',
      },
    ],
  },
  {
    name: 'standing-written-once',
    does: 'leaves the comment that says how a Task stands as it was first',
    law: /^standing: the comment/,
    edits: [
      { file: 'edges/forge/standing/write.ts', find: /if \(body === text\) return true/, replace: 'return true' },
    ],
  },
  {
    name: 'standing-posted-anew',
    does: 'says in a new comment how a Task stands by now',
    law: /^standing: (?:\d+ comments|how)/,
    edits: [
      {
        file: 'edges/forge/standing/write.ts',
        find: /(if \(known\.length === 1) && [^\n]*/,
        replace: '$1 && known[0].body === wanted.text) return',
      },
      {
        file: 'edges/forge/standing/write.ts',
        find: /await ours\(target, thread, wanted\.mark\)/,
        replace: '[]',
      },
    ],
  },
]
