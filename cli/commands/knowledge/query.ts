import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { memoryKinds, type MemoryKind } from '../../../memory/engine/memory-kind.ts'
import { count, flag, readArgs, text, UsageError, type Parsed } from '../../args.ts'
import { connectMemory, memoryOptions, memoryUsage } from '../../server/connect-memory.ts'
import { print } from '../../output/terminal.ts'

const modes = ['hybrid', 'naive', 'local', 'global']

const usage = `usage: statewright query TEXT... [options]

Queries the knowledge service and prints the best results.

  --mode MODE       ${modes.join(', ')} (default hybrid)
  --top-k N         print N results (1 to 200, default 10)
  --repo NAME       search this repository only (default: all)
  --kinds KIND,...  search only these: ${memoryKinds.join(', ')} (default: files and notes, then changes)
  --describe        print a summary instead of the results
  --json            print the service's answer as JSON
${memoryUsage}

Example: statewright query how does the relay retry --repo my-library`

const options = {
  ...memoryOptions,
  mode: { type: 'string' },
  'top-k': { type: 'string' },
  repo: { type: 'string' },
  kinds: { type: 'string' },
  describe: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const Answer = Type.Object({
  results: Type.Array(
    Type.Object({
      content: Type.String(),
      score: Type.Number(),
      kind: Type.String(),
      metadata: Type.Record(Type.String(), Type.String()),
    }),
  ),
})
const Description = Type.Object({ summary: Type.String() })

export async function query(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const asked = parsed.positionals.join(' ').trim()
  if (asked === '') throw new UsageError(usage)
  const mode = text(parsed, 'mode') ?? 'hybrid'
  if (!modes.includes(mode)) throw new UsageError(`--mode takes ${modes.join(', ')}, not ${mode}`)
  const topK = count(parsed, 'top-k', 10)
  if (topK < 1 || topK > 200) throw new UsageError('--top-k takes 1 to 200')
  const repo = text(parsed, 'repo')
  const kinds = kindsOf(parsed)
  const client = await connectMemory(parsed, process.env)
  const path = flag(parsed, 'describe') ? '/queries:describe' : '/queries'
  const answer = await client.post(path, {
    mode,
    text: asked,
    top_k: topK,
    ...(repo === undefined ? {} : { filter: { repo } }),
    ...(kinds === undefined ? {} : { kinds }),
  })
  print(flag(parsed, 'json') ? JSON.stringify(answer) : answerLines(answer))
  return 0
}

/** Each once: the service refuses a kind that is named twice. */
function kindsOf(parsed: Parsed): readonly MemoryKind[] | undefined {
  const given = text(parsed, 'kinds')
  if (given === undefined) return undefined
  const words = new Set(given.split(',').map((word) => word.trim()))
  const refused = [...words].filter((word) => !memoryKinds.some((kind) => kind === word))
  if (refused.length > 0)
    throw new UsageError(
      `--kinds takes ${memoryKinds.join(', ')}, not ${refused.map((word) => word || '""').join(', ')}`,
    )
  return memoryKinds.filter((kind) => words.has(kind))
}

function answerLines(answer: unknown): readonly string[] {
  if (Value.Check(Description, answer)) return answer.summary.split('\n')
  if (!Value.Check(Answer, answer))
    throw new Error('the knowledge service sent an answer that breaks its schema: its version may differ')
  if (answer.results.length === 0) return ['no results']
  return answer.results.flatMap(({ content, score, kind, metadata }) => {
    const where = [metadata['repo'], metadata['file']].filter((part) => part !== undefined && part !== '').join(' ')
    return [`${score.toFixed(3)}  ${where === '' ? kind : where}`, `       ${excerpt(content, metadata['file'])}`]
  })
}

const excerptCharacters = 160

/** The first words behind the path, which stands before them already. */
function excerpt(content: string, file: string | undefined): string {
  const text = file !== undefined && content.startsWith(file) ? content.slice(file.length) : content
  const plain = text.replaceAll(/\s+/g, ' ').trim()
  return plain.length > excerptCharacters ? `${plain.slice(0, excerptCharacters)}…` : plain
}
