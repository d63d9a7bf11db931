/**
 * `npm run long -- secrets`: reads three public packages and our made-up secrets as an ingest does, and lets detect-secrets read them
 * too, which other people keep. Prints which files either finds alone. Fails where more than 1 % of a package is left out for
 * secrets, or a made-up secret is taken in.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownSamples, presetSamples } from '../../../secrets/testing/samples.ts'
import { gatherFiles } from '../items.ts'

const run = promisify(execFile)
const pip = 'python3 -m pip --quiet --disable-pip-version-check'

/** Each command leaves files in the folder that it runs in. */
const packages: Readonly<Record<string, string>> = {
  zod: 'tar xzf "$(npm pack --silent zod@4.6.7)"',
  click: `${pip} download --no-deps click==8.5.1 && python3 -m zipfile -e click-*.whl . && rm click-*.whl`,
  cobra:
    'GOMODCACHE=$PWD/m GOFLAGS="-mod=mod -modcacherw" go mod download github.com/spf13/cobra@v1.10.2 && rm -r m/cache',
}
const mostLeftOut = 0.01
const samples = new Map([...ownSamples, ...presetSamples].map((sample, index) => [`made-up/${index}.txt`, sample]))

/** What was found, by file. */
type Findings = ReadonlyMap<string, string>

async function judge(folder: string): Promise<boolean> {
  const [tools, tree] = [join(folder, 'tools'), join(folder, 'tree')]
  for (const [name, command] of [...Object.entries(packages), ['made-up', 'true'] as const]) {
    await mkdir(join(tree, name), { recursive: true })
    await run('sh', ['-c', command], { cwd: join(tree, name) })
  }
  for (const [file, { text }] of samples) await writeFile(join(tree, file), `${text}\n`)
  await run('sh', ['-c', `${pip} install --target ${tools} detect-secrets==1.5.0`])

  const { sources, leftOut } = await gatherFiles(tree, 'judged', { commit: undefined, largestBytes: 512 * 1024 })
  const secrets = leftOut.filter(({ reason }) => reason.startsWith('holds a secret'))
  const ours = new Map(secrets.map(({ file, reason }): [string, string] => [file, reason]))
  const theirs = await detected(tree, tools)
  showAlone('detect-secrets', theirs, ours)
  showAlone('ours', ours, theirs)
  const shares = Object.keys(packages).map((name) => {
    const [left, taken] = [[...ours.keys()], sources.map(({ file }) => file)].map(
      (files) => files.filter((file) => file.startsWith(`${name}/`)).length,
    )
    console.log(`${name}: ${left} of ${(left ?? 0) + (taken ?? 0)} files are left out for secrets`)
    return (left ?? 0) / ((left ?? 0) + (taken ?? 0))
  })
  const missed = [...samples].filter(([file]) => !ours.has(file))
  for (const [, { rule }] of missed) console.log(`taken in: a made-up secret of ${rule}`)
  return missed.length === 0 && shares.every((share) => share <= mostLeftOut)
}

async function detected(tree: string, tools: string): Promise<Findings> {
  const [cwd, env, maxBuffer] = [tree, { ...process.env, PYTHONPATH: tools }, 64 * 1024 * 1024]
  const { stdout } = await run('python3', ['-m', 'detect_secrets', 'scan', '--all-files', '.'], { cwd, env, maxBuffer })
  const { results } = JSON.parse(stdout) as {
    readonly results: Readonly<Record<string, readonly { readonly type: string; readonly line_number: number }[]>>
  }
  return new Map(
    Object.entries(results).map(([file, found]): [string, string] => [
      file,
      found.map(({ type, line_number: line }) => `${type}, line ${line}`).join('; '),
    ]),
  )
}

function showAlone(by: string, these: Findings, those: Findings): void {
  const alone = [...these].filter(([file]) => !those.has(file))
  console.log(`\nfound by ${by} alone: ${alone.length} of ${these.size} files`)
  for (const [file, what] of alone) console.log(`  ${file} (${samples.get(file)?.rule ?? 'a package'}): ${what}`)
}

const folder = await mkdtemp(join(tmpdir(), 'judge-secrets-'))
process.exitCode = (await judge(folder).finally(() => rm(folder, { recursive: true }))) ? 0 : 1
