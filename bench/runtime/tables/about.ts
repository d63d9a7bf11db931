/** What the runtime's section of BENCHMARKS.md says of its figures. */
import { mostWidth } from '../../kit/measure/interval.ts'
import { contenders } from '../contenders/contenders.ts'
import { fullPlan } from '../plan.ts'
import { mostAttempts, mostForeignCores } from '../undisturbed.ts'

export function aboutOf(): string {
  const { rounds, mostPairs, warmMs, measureMs, actors } = fullPlan
  return `PostgreSQL has fsync and synchronous_commit on, shared_buffers of 1 GB, max_wal_size of 4 GB, and is asked over loopback.
Every contender works in a process of its own for ${measureMs / 1000} s after ${warmMs / 1000} s of warming up, on a fresh copy of its database, in ${rounds}
rounds that visit all of them; figures are medians, ratios are medians of the ratios within a round. Both cells of a ratio are measured
again until its interval (95 %) is below ${mostWidth * 100} % of it, in ${mostPairs} rounds at most; what stayed wider is named above. Each client has one
operation under way. Those that step a machine step the same one, with a context of 2 KB, over ${actors.toLocaleString('en-US')} actors, of which each client
goes round 32 at most; the time runs until all
that was begun is settled. A cell during which other programs used more than ${mostForeignCores.postgres} cores (Restate's: ${mostForeignCores.restate}, since the kernel's work for it
counts as others') is measured again, ${mostAttempts} times in all; if that does not help, the run is invalid. One that fails is measured again as often, and named above. CPU is that of the contender's process and its server's processes. Log is write-ahead log on Postgres, with no checkpoint
in between (but in the cells over many actors, which so include full-page images), and what the process wrote on the embedded store. Stored is the growth of the database, dead rows included.

${contenders.map(({ name, about }) => `- **${name}**: ${about}`).join('\n')}`
}
