/** What the prover explored, put together from a file for each machine and one for its laws and worlds. */
import type { ActorKind } from './definition.ts'
import { laws, worlds } from './generated/certificates/explored.ts'
import { hash as ingestJob } from './generated/certificates/ingest-job.ts'
import { hash as issue } from './generated/certificates/issue.ts'
import { hash as ledger } from './generated/certificates/ledger.ts'
import { hash as memory } from './generated/certificates/memory.ts'
import { hash as memoryStack } from './generated/certificates/memory-stack.ts'
import { hash as mergeRequest } from './generated/certificates/merge-request.ts'
import { hash as modelKey } from './generated/certificates/model-key.ts'
import { hash as pod } from './generated/certificates/pod.ts'
import { hash as project } from './generated/certificates/project.ts'
import { hash as queue } from './generated/certificates/queue.ts'
import { hash as task } from './generated/certificates/task.ts'
import { hash as turn } from './generated/certificates/turn.ts'

const machines: Readonly<Record<ActorKind, string>> = {
  project,
  queue,
  ledger,
  'model-key': modelKey,
  memory,
  'memory-stack': memoryStack,
  task,
  pod,
  turn,
  issue,
  'merge-request': mergeRequest,
  'ingest-job': ingestJob,
}

export const certificate = { machines, laws, worlds }
