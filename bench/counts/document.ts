/** The section of BENCHMARKS.md: the counts of now, how they were made, and those of earlier commits. */
import { markdownTable } from '../kit/markdown.ts'
import { countNames, labels } from './compare.ts'
import { transitions } from './count-cell.ts'
import type { Cells, CountTable } from './table.ts'

function countsTable({ cells, earlier }: CountTable): string {
  const columns: [string, Cells][] = [...Object.entries(earlier), ['now', cells]]
  const heads = [`for ${transitions.toLocaleString('en-US')} transitions`, 'clients', ...columns.map(([name]) => name)]
  const rows = countNames.flatMap((count) =>
    Object.keys(cells).map((clients) => [
      labels[count],
      clients,
      ...columns.map(([, of]) => of[clients]?.[count].toLocaleString('en-US') ?? '–'),
    ]),
  )
  return markdownTable(heads, rows)
}

export function documentOf(table: CountTable): string {
  return `## Counts

What a transition costs, in counts that no neighbour can change: of the machine of \`bench -- runtime\` over PostgreSQL ${table.postgres}, effects
performed and settled. \`bench/counts/counts.json\` holds them. \`npm run test:system\` counts again, and fails when a count grew or fell by
over 2 %. \`npm run bench -- counts --write\` writes the table anew, for a growth that is worth it too. The test takes about 40 s
of processor time.

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

**How much a count varies.** Eight runs on 2026-11-25, four of them beside a busy loop, had the same counts to the byte. Only the bytes
allocated differed, by 0.03 % at most. Another major version of PostgreSQL writes another log, so the bytes of log are not compared then.

**Earlier commits.** This code counted them over their own runtime. To repeat it in a folder DIR:

    git worktree add --detach DIR COMMIT && (cd DIR && npm ci)
    cp -r bench/counts DIR/bench/ && cp bench/kit/postgres-server.ts DIR/bench/kit/
    [ -e DIR/runtime/store/postgres ] || sed -i 's#store/postgres/pg-sql#store/pg-sql#' DIR/bench/counts/*.ts
    (cd DIR && node_modules/node/bin/node bench/counts/main.ts --json)
`
}
