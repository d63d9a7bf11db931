/** Negative controls of the memory's filling: each takes one wall down, here and in the processes that the intake starts. */
import type { Edit } from '../plant.ts'

export interface MemoryHole {
  readonly name: string
  /** What must be broken, among other things. */
  readonly law: RegExp
  readonly edits: readonly Edit[]
}

export const memoryHoles: readonly MemoryHole[] = [
  {
    name: 'memory-of-strangers',
    law: /^gate: .*issue/,
    edits: [
      {
        file: 'edges/forge/mirror/facts/gate.ts',
        find: /!isGone\(row\) && isHeardSubject\(row, people\)/,
        replace: '!isGone(row)',
      },
    ],
  },
  {
    name: 'memory-of-strangers-comments',
    law: /^gate: .*comment/,
    edits: [{ file: 'edges/forge/mirror/facts/gate.ts', find: /isHeardComment\(row, people\)/, replace: 'true' }],
  },
  {
    name: 'memory-of-the-gone',
    law: /^gone/,
    edits: [
      {
        file: 'edges/forge/mirror/facts/gate.ts',
        find: /return notes\.deleted === true/,
        replace: 'return notes === undefined',
      },
    ],
  },
  {
    name: 'memory-of-internal-notes',
    law: /^internal/,
    edits: [
      {
        file: 'edges/forge/gitlab/records.ts',
        find: /if \(includeConfidential \|\| !\(note\.internal/,
        replace: 'if (true || !(note.internal',
      },
    ],
  },
  {
    name: 'memory-follows-links',
    law: /^outside/,
    edits: [
      { file: 'orchestrator/memory/memory-intake.ts', find: /core\.symlinks=false/, replace: 'core.symlinks=true' },
      { file: 'memory/extract/source-files.ts', find: /constants\.O_NOFOLLOW/, replace: '0' },
    ],
  },
  {
    name: 'memory-forged-commits',
    law: /^option/,
    edits: [
      { file: 'memory/client/ingest/git-log.ts', find: /%x00/, replace: '%x01' },
      { file: 'memory/client/ingest/git-log.ts', find: /log\.split\('\\0'\)/, replace: "log.split('\\u0001')" },
      {
        file: 'memory/client/ingest/items.ts',
        find: /\.\.\.parameters, '--end-of-options', sha/,
        replace: '...parameters, sha',
      },
    ],
  },
  {
    name: 'memory-of-borrowed-names',
    law: /^author/,
    edits: [
      { file: 'memory/client/ingest/issue.ts', find: /\.replaceAll\(ownMark, '&lt;'\)/, replace: '' },
      { file: 'memory/client/ingest/issue.ts', find: /`  \$\{line\}`/, replace: 'line' },
    ],
  },
  {
    name: 'memory-of-borrowed-places',
    law: /^author: nobody wrote @issue/,
    edits: [{ file: 'memory/client/ingest/items.ts', find: /\(\?:issue\|commit\)/, replace: '(?:nothing)' }],
  },
  {
    name: 'memory-with-the-environment',
    law: /^secret/,
    edits: [
      {
        file: 'orchestrator/memory/memory-intake.ts',
        find: /PATH: process\.env\['PATH'\]/,
        replace: "...process.env, PATH: process.env['PATH']",
      },
    ],
  },
  {
    name: 'memory-without-a-frame',
    law: /^frame/,
    edits: [
      {
        file: 'edges/agents/mcp/server.ts',
        find: /const readable = JSON\.stringify\(less, null, 2\)/,
        replace: "const readable = JSON.stringify(less, null, 2).replaceAll('\\\\n', '\\n')",
      },
    ],
  },
]
