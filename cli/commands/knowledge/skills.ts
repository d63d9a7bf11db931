import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { faultsOf } from '../../../http/problems/validation.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { toolManifest, ToolManifest } from '../../../edges/agents/mcp/manifest.ts'
import { checkSkillText, type SkillFault } from '../../skills/check.ts'
import { errorLines, print, printError } from '../../output/terminal.ts'
import { messageOf } from '../../../runtime/errors.ts'

const usage = `usage: statewright skills check PATH... [--manifest FILE|URL] [--json]

Compares every literal call of a tool, such as scm_read(kind=ci), in the *.md files below PATH with a manifest of the tools.
The command skips bare signatures, and calls that a sentence forbids.

Exit code 0: every call fits. 1: a call names a tool, a field or a value that does not exist.

  --manifest FILE|URL  the tool-manifest.json of the release that the skills use (default: this version's)
                       Without an answer the command prints a warning, checks nothing and ends with 0.
  --json               print {files, faults: [{file, line, column, call, message}]}`

const fetchTimeoutMs = 15_000

export async function skills(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { manifest: { type: 'string' }, json: { type: 'boolean' } }, usage)
  if (parsed === undefined) return 0
  const [verb, ...paths] = parsed.positionals
  if (verb !== 'check' || paths.length === 0) throw new UsageError(usage)
  const files = (await Promise.all(paths.map(skillFiles))).flat()
  if (files.length === 0) throw new UsageError(`no *.md below ${paths.join(', ')}`)
  const manifest = await readManifest(text(parsed, 'manifest'))
  if (manifest === undefined) return 0
  const found = await Promise.all(
    files.map(async (file) => checkSkillText(file, await readFile(file, 'utf8'), manifest)),
  )
  const faults = found.flat()
  print(flag(parsed, 'json') ? JSON.stringify({ files: files.length, faults }) : skillLines(files.length, faults))
  return faults.length === 0 ? 0 : 1
}

function skillLines(files: number, faults: readonly SkillFault[]): readonly string[] {
  const lines = faults.map(({ file, line, column, call, message }) => `${file}:${line}:${column}: ${call}: ${message}`)
  return [...lines, `${files} files, ${faults.length} faults`]
}

async function skillFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`there is no ${path}`)
  if (found.isFile()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const inside = entries
    .filter(({ name }) => !['.git', 'node_modules'].includes(name))
    .map(async (entry): Promise<readonly string[]> => {
      if (entry.isDirectory()) return skillFiles(join(path, entry.name))
      return entry.isFile() && entry.name.endsWith('.md') ? [join(path, entry.name)] : []
    })
  return (await Promise.all(inside)).flat().toSorted()
}

/** Skills are checked where there may be no network: what cannot be had is said, and is no fault of theirs (SKILLS-5). */
async function readManifest(from: string | undefined): Promise<ToolManifest | undefined> {
  if (from === undefined) return toolManifest()
  try {
    const manifest: unknown = JSON.parse(await load(from))
    const faults = faultsOf(ToolManifest, manifest)
    if (faults.length === 0) return manifest as ToolManifest
    throw new Error(faults.map(({ path, message }) => `${path} ${message}`).join('; '))
  } catch (error) {
    printError(errorLines(`WARN no manifest from ${from}, nothing was checked: ${messageOf(error)}`))
    return undefined
  }
}

async function load(from: string): Promise<string> {
  if (!/^https?:\/\//.test(from)) return readFile(from, 'utf8')
  const response = await fetch(from, { signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (!response.ok) throw new Error(`the server answered ${response.status}`)
  return response.text()
}
