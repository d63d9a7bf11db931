/** The section of BENCHMARKS.md: the counts of now, how they were made, and those of earlier commits. */
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { countNames, labels } from './compare.ts'
import { transitions } from './count-cell.ts'
import type { Cells, CountTable } from './table.ts'

export function countsTable({ cells, earlier }: CountTable): string {
  const columns: [string, Cells][] = [...Object.entries(earlier), ['now', cells]]
  const heads = ['for a transition', 'clients', ...columns.map(([name]) => name)]
  const rows = countNames.flatMap((count) =>
    Object.keys(cells).map((clients) => [
      labels[count],
      clients,
      ...columns.map(([, of]) => numberText(perTransition(of[clients]?.[count]))),
    ]),
  )
  return markdownTable(heads, rows)
}

function perTransition(count: number | undefined): number | undefined {
  return count === undefined ? undefined : count / transitions
}

export function documentOf(table: CountTable): string {
  return `## Counts

What a transition costs where no neighbour can change it: ${transitions.toLocaleString('en-US')} transitions of the machine of \`bench -- runtime\` over
PostgreSQL ${table.postgres}, effects performed and settled. \`bench/counts/counts.json\` holds the counts. \`npm test\` counts again, and fails
when a count grew or fell by over 2 %. \`npm run bench -- counts --write\` writes the table anew.

${countsTable(table)}

- **Statements, round trips, bytes sent**: read from the messages that the driver writes to its socket.
- **Rows written**: inserted, updated and deleted, by PostgreSQL's own counters.
- **Bytes of log**: write-ahead log without whole pages. Checkpoints, vacuums and the standby's snapshots are off.
- **Bytes of JSON**: all that \`JSON.stringify\` returned. Text that the runtime joins by hand counts in the bytes sent.
- **Bytes allocated**: on V8's heap, with its optimising compilers off. How much they save depends on when they finish.

**Lockstep.** The clients deliver at once. The next round begins when each event is committed and each effect performed. The clock
stands still. So each commit takes one event of each client, whatever the machine does. This leaves out how batches form from
arrivals that are not even, commits in halves, heartbeats, polls, snapshots of resting actors, and loads of cold actors. \`bench -- runtime\`
measures them. Instructions are left out: the virtual machine counts none.
`
}
