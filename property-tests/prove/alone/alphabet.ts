/** What an actor of a kind may be told at any moment, alone: every event of its vocabulary, in and out of turn. */
import type { ActorKind } from '../../../machines/definition.ts'
import { ingestJobBirths, ingestJobWords } from './alphabets/ingest-job.ts'
import { issueBirths, issueWords } from './alphabets/issue.ts'
import { ledgerBirths, ledgerWords } from './alphabets/ledger.ts'
import { memoryBirths, memoryWords } from './alphabets/memory.ts'
import { memoryStackBirths, memoryStackWords } from './alphabets/memory-stack.ts'
import { mergeRequestBirths, mergeRequestWords } from './alphabets/merge-request.ts'
import { modelKeyBirths, modelKeyWords } from './alphabets/model-key.ts'
import { podBirths, podWords } from './alphabets/pod.ts'
import { projectBirths, projectWords } from './alphabets/project.ts'
import { queueBirths, queueWords } from './alphabets/queue.ts'
import { mints, taskWords } from './alphabets/task.ts'
import { queueWalks } from './walks/queue.ts'
import type { TimelessEvent, Walk } from './walk.ts'
import { taskWalks } from './walks/task.ts'
import { turnBirths, turnWords } from './alphabets/turn.ts'

export interface Alphabet {
  readonly id: string
  /** How one comes into being. */
  readonly births: readonly TimelessEvent[]
  /** What it may be told, by what it knows. */
  readonly words: (context: object) => readonly TimelessEvent[]
  /** Ways to where it seldom comes by chance. */
  readonly walks?: readonly Walk[]
}

export const alphabets: Readonly<Record<ActorKind, Alphabet>> = {
  task: { id: 'default/alone', births: mints, words: taskWords, walks: taskWalks },
  pod: { id: 'default/alone/1', births: podBirths, words: podWords },
  turn: { id: 'default/alone/1/0', births: turnBirths, words: turnWords },
  queue: { id: 'default/demo', births: queueBirths, words: queueWords, walks: queueWalks },
  ledger: { id: 'default/demo', births: ledgerBirths, words: ledgerWords },
  'model-key': { id: 'print', births: modelKeyBirths, words: modelKeyWords },
  memory: { id: 'default/demo', births: memoryBirths, words: memoryWords },
  'memory-stack': { id: 'default/demo', births: memoryStackBirths, words: memoryStackWords },
  issue: { id: 'default/lib-1', births: issueBirths, words: issueWords },
  'merge-request': { id: 'default/lib-mr-7', births: mergeRequestBirths, words: mergeRequestWords },
  project: { id: 'default/demo', births: projectBirths, words: projectWords },
  'ingest-job': { id: 'default/job-1', births: ingestJobBirths, words: ingestJobWords },
}
