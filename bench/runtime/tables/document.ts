/** The runtime's section of BENCHMARKS.md. */
import { mostWidth } from '../../kit/measure/interval.ts'
import { verdictLines } from '../../kit/report.ts'
import type { Report } from '../../kit/report.ts'
import { contenders } from '../contenders/contenders.ts'
import { fullPlan } from '../plan.ts'
import type { Results } from '../results.ts'
import { tablesOf } from './tables.ts'
import { mostAttempts, mostForeignCores } from '../undisturbed.ts'

export function documentOf(report: Report, results: Results): string {
  const { machine } = report
  return `## Runtime

\`npm run bench -- runtime --write\`, ${report.startedAt.slice(0, 10)}, ${report.minutes.toFixed(0)} minutes. ${machine.cores} cores of ${machine.cpu},
${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, PostgreSQL ${machine.postgres} (fsync on, synchronous_commit on,
shared_buffers 1 GB, max_wal_size 4 GB) over loopback; load ${machine.loadBefore} before the run.

${verdictLines(report).join('  \n')}

${explanation()}

${tablesOf(report, results)}`
}

function explanation(): string {
  const { rounds, mostPairs, warmMs, measureMs, actors } = fullPlan
  return `Every contender works in a process of its own for ${measureMs / 1000} s after ${warmMs / 1000} s of warming up, on a fresh copy of its database, in ${rounds}
rounds that visit all of them; figures are medians, ratios are medians of the ratios within a round. Both cells of a ratio are measured
again until its interval (95 %) is below ${mostWidth * 100} % of it, in ${mostPairs} rounds at most; what stayed wider is named above. Each client has one
operation under way. Those that step a machine step the same one, with a context of 2 KB, over ${actors.toLocaleString('en-US')} actors, of which each client
goes round 32 at most; the time runs until all
that was begun is settled. A cell during which other programs used more than ${mostForeignCores.postgres} cores (Restate's: ${mostForeignCores.restate}, since the kernel's work for it
counts as others') is measured again, ${mostAttempts} times in all; if that does not help, the run is invalid. One that fails is measured again as often, and named above. CPU is that of the contender's process and its server's processes. Log is write-ahead log on Postgres, with no checkpoint
in between (but in the cells over many actors, which so include full-page images), and what the process wrote on the embedded store. Stored is the growth of the database, dead rows included.

${contenders.map(({ name, about }) => `- **${name}**: ${about}`).join('\n')}`
}
