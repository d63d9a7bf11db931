/** Negative controls of the memory's filling: each takes one wall down, here and in the processes that the intake starts. */
import { edit, oneEdit, type Edit } from '../plant.ts'

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
    edits: oneEdit(
      'edges/forge/mirror/facts/gate.ts',
      /!isGone\(row\) && isHeardSubject\(row, people\)/,
      '!isGone(row)',
    ),
  },
  {
    name: 'memory-of-strangers-comments',
    law: /^gate: .*comment/,
    edits: oneEdit('edges/forge/mirror/facts/gate.ts', /isHeardComment\(row, people\)/, 'true'),
  },
  {
    name: 'memory-of-the-gone',
    law: /^gone/,
    edits: oneEdit('edges/forge/mirror/facts/gate.ts', /return notes\.deleted === true/, 'return notes === undefined'),
  },
  {
    name: 'memory-of-internal-notes',
    law: /^internal/,
    edits: oneEdit(
      'edges/forge/gitlab/records.ts',
      /if \(includeConfidential \|\| !\(note\.internal/,
      'if (true || !(note.internal',
    ),
  },
  {
    name: 'memory-follows-links',
    law: /^outside/,
    edits: [
      edit('orchestrator/memory/memory-intake.ts', /core\.symlinks=false/, 'core.symlinks=true'),
      edit('memory/extract/source-files.ts', /constants\.O_NOFOLLOW/, '0'),
    ],
  },
  {
    name: 'memory-forged-commits',
    law: /^option/,
    edits: [
      edit('memory/client/ingest/git-log.ts', /%x00/, '%x01'),
      edit('memory/client/ingest/git-log.ts', /log\.split\('\\0'\)/, "log.split('\\u0001')"),
      edit('memory/client/ingest/items.ts', /\.\.\.parameters, '--end-of-options', sha/, '...parameters, sha'),
    ],
  },
  {
    name: 'memory-of-borrowed-names',
    law: /^author/,
    edits: [
      edit('memory/client/ingest/issue.ts', /\.replaceAll\(ownMark, '&lt;'\)/, ''),
      edit('memory/client/ingest/issue.ts', /`  \$\{line\}`/, 'line'),
    ],
  },
  {
    name: 'memory-of-borrowed-places',
    law: /^author: nobody wrote @issue/,
    edits: oneEdit('memory/client/ingest/items.ts', /\(\?:issue\|commit\)/, '(?:nothing)'),
  },
  {
    name: 'memory-with-the-environment',
    law: /^secret/,
    edits: oneEdit(
      'orchestrator/memory/memory-intake.ts',
      /PATH: process\.env\['PATH'\]/,
      "...process.env, PATH: process.env['PATH']",
    ),
  },
  {
    name: 'memory-without-a-frame',
    law: /^frame/,
    edits: oneEdit(
      'edges/agents/mcp/server.ts',
      /const readable = JSON\.stringify\(less, null, 2\)/,
      "const readable = JSON.stringify(less, null, 2).replaceAll('\\\\n', '\\n')",
    ),
  },
]
