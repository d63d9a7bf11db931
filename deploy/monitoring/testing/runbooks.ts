/** The commands of our own that runbooks name, run as a reader runs them: against the store and the folder of a demo. */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const commandLimitMs = 60_000

interface Command {
  readonly page: string
  readonly line: string
}

/** By the word that stands for it on the pages. */
type Values = Readonly<Record<string, string>>

/** Those of `statewright`, from blocks and from sentences, each once a page. */
export function runbookCommands(): readonly Command[] {
  return globSync('docs/runbooks/*.md', { cwd: root })
    .toSorted()
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const blocks = [...text.matchAll(/```\n([^]*?)```/g)].flatMap(([, block]) => block!.split('\n'))
      const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
      const own = [...blocks, ...inline].filter((line) => /^statewright [a-z]/.test(line))
      return [...new Set(own)].map((line) => ({ page: basename(path), line }))
    })
}

/** @param folder has the demo in `.statewright`, where the commands look. */
export async function runbookFaults(folder: string, databaseUrl: string): Promise<readonly string[]> {
  const values = await placeholders(databaseUrl)
  const programs = join(folder, 'programs')
  await mkdir(programs)
  await symlink(join(root, 'bin', 'statewright.mjs'), join(programs, 'statewright'))
  const faults: string[] = []
  for (const { page, line } of runbookCommands()) {
    const filled = Object.entries(values).reduce((text, [word, value]) => text.replaceAll(word, () => value), line)
    const { code, output } = await shell(filled, folder, { DATABASE_URL: databaseUrl, PATH: pathWith(programs) })
    console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${line}`)
    if (code !== 0) faults.push(`${page}: ${line}: exit code ${code}: ${output.trim()}`)
  }
  return faults
}

function pathWith(folder: string): string {
  return [folder, dirname(process.execPath), process.env['PATH'] ?? ''].join(':')
}

/** A demo that went well has nothing dead. One letter and one effect of it become so. */
async function placeholders(databaseUrl: string): Promise<Values> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const first = async (query: string): Promise<Readonly<Record<string, string>>> =>
      (await client.query<Record<string, string>>(query)).rows[0]!
    const task = await first(`select address from actor where kind = 'task'`)
    const [, team, name] = /^task:([^/]+)\/(.+)$/.exec(task['address']!)!
    const letter = await first(`insert into dead_letter (actor, key, body, reason, at)
      values ('task:default/nobody', 'k', '{"type":"any","at":1}', 'no such actor', 1) returning id`)
    const stop = await first(`select e.actor, e.seq, f.value ->> 'params' as params
      from event e, jsonb_array_elements(e.effects::jsonb) f where f.value ->> 'type' = 'stopPod' limit 1`)
    await client.query(
      `insert into effect (actor, seq, idx, shard, type, params, attempts, not_before, last_error, dead, at)
       select $1, $2, 999, shard, 'stopPod', $3, 3, 0, 'refused', true, 1 from actor where address = $1`,
      [stop['actor'], stop['seq'], stop['params']],
    )
    return {
      'task:TEAM/TASK': task['address']!,
      TEAM: team!,
      ACTOR: task['address']!,
      TASK: name!,
      KEY: `${stop['actor']}/${stop['seq']}/999`,
      ' ID': ` letter:${letter['id']}`,
      ' URL': ' "$DATABASE_URL"',
    }
  } finally {
    await client.end()
  }
}

function shell(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: commandLimitMs }
    execFile('bash', ['-c', line], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stderr || stdout })
    })
  })
}
