import type { ActorKind } from './definition.ts'
import type { IngestJobContext } from './ingest-job/context.ts'
import type { IssueContext } from './issue/context.ts'
import type { LedgerContext } from './ledger/context.ts'
import type { MemoryContext } from './memory/context.ts'
import type { MemoryStackContext } from './memory-stack/context.ts'
import type { MergeRequestContext } from './merge-request/context.ts'
import type { ModelKeyContext } from './model-key/context.ts'
import type { PodContext } from './pod/context.ts'
import type { ProjectContext } from './project/context.ts'
import type { QueueContext } from './queue/context.ts'
import type { TaskContext } from './task/context.ts'
import type { TurnContext } from './turn/context.ts'

/** What an actor of each kind knows: the context of its machine. */
export interface Contexts extends Record<ActorKind, object> {
  readonly project: ProjectContext
  readonly queue: QueueContext
  readonly ledger: LedgerContext
  readonly 'model-key': ModelKeyContext
  readonly memory: MemoryContext
  readonly 'memory-stack': MemoryStackContext
  readonly task: TaskContext
  readonly pod: PodContext
  readonly turn: TurnContext
  readonly issue: IssueContext
  readonly 'merge-request': MergeRequestContext
  readonly 'ingest-job': IngestJobContext
}
