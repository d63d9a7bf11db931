import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitSucceeds, gitText, type Git } from '../git.ts'
import { keptRef } from '../repository.ts'
import { RepositoryReader } from './reader.ts'

/** What a `.git` that git itself no longer reads still names: a ref, and the commits it may have had, newest first. */
interface Tip {
  readonly ref: string
  readonly candidates: readonly string[]
}

interface Salvaged {
  /** Refs that hold commits which no remote has. */
  readonly refs: readonly string[]
  /** Where HEAD of the broken repository stood: a ref or a commit; undefined when nothing says so. */
  readonly head: string | undefined
}

interface Target {
  readonly git: Git
  /** Root of the fresh clone. */
  readonly dir: string
  readonly objects: string
}

const objectName = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
/** A torn write loses the newest entries of a log, not its history. */
const maxLogEntries = 20

/** Commits that an operation in progress names outside of `refs/`; a resumed one can't be continued in another `.git`. */
const operationHeads = ['ORIG_HEAD', 'MERGE_HEAD', 'rebase-merge/orig-head', 'rebase-merge/autostash']

/**
 * Carries every commit that the broken `.git` still holds into a fresh clone: local branches under their names, the rest
 * as kept refs. Refs are read as files, and from their logs where the file is torn; what counts is that all objects are
 * there, so each tip is packed for itself and the next older entry is tried when that fails.
 */
export async function salvageInto(git: Git, dir: string, broken: string, stamp: string): Promise<Salvaged> {
  const target = { git, dir, objects: join(broken, 'objects') }
  if (!existsSync(target.objects)) return { refs: [], head: undefined }
  const refs: string[] = []
  for (const tip of await readTips(broken)) {
    const sha = await carry(target, tip.candidates)
    if (sha === undefined || (await isReachable(git, dir, sha))) continue
    const ref = /^refs\/(?:heads|statewright)\//.test(tip.ref)
      ? tip.ref
      : keptRef(`${stamp}-${tip.ref.replace(/[^A-Za-z0-9]+/g, '-')}`)
    await gitText(git, ['update-ref', ref, sha], { cwd: dir })
    refs.push(ref)
  }
  return { refs, head: await oldHead(target, broken) }
}

async function oldHead(target: Target, broken: string): Promise<string | undefined> {
  const text = await readText(join(broken, 'HEAD'))
  const ref = /^ref: (refs\/heads\/\S+)/.exec(text)?.[1]
  if (ref && (await new RepositoryReader(target.git, target.dir).sha(ref))) return ref
  return carry(target, [text, ...(await logEntries(broken, 'HEAD'))])
}

/** The first candidate whose whole history can be packed, now in the clone. */
async function carry({ git, dir, objects }: Target, candidates: readonly string[]): Promise<string | undefined> {
  const known = await gitText(git, ['for-each-ref', '--format=^%(objectname)'], { cwd: dir })
  for (const sha of candidates.map((text) => text.trim()).filter((text) => objectName.test(text))) {
    const packed = await gitSucceeds(
      git,
      ['pack-objects', '--revs', '--quiet', '--non-empty', join(dir, '.git', 'objects', 'pack', 'pack')],
      { cwd: dir, env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }, input: `${sha}\n${known}\n` },
    )
    if (packed && (await new RepositoryReader(git, dir).sha(sha))) return sha
  }
  return undefined
}

async function isReachable(git: Git, dir: string, sha: string): Promise<boolean> {
  return (await gitText(git, ['for-each-ref', '--count=1', '--contains', sha], { cwd: dir })) !== ''
}

/** Branches first, so that what they contain needs no ref of its own. */
async function readTips(broken: string): Promise<readonly Tip[]> {
  const tips: Tip[] = []
  for (const ref of await refNames(broken)) {
    const log = await logEntries(broken, ref)
    // Every entry of this log is a stash of its own.
    if (ref === 'refs/stash') tips.push(...log.map((sha, index) => ({ ref: `${ref}-${index}`, candidates: [sha] })))
    tips.push({ ref, candidates: [await readText(join(broken, ref)), ...(await packed(broken, ref)), ...log] })
  }
  tips.push({ ref: 'HEAD', candidates: [await readText(join(broken, 'HEAD')), ...(await logEntries(broken, 'HEAD'))] })
  for (const ref of operationHeads) tips.push({ ref, candidates: [await readText(join(broken, ref))] })
  return tips
}

async function refNames(broken: string): Promise<readonly string[]> {
  const loose = [...(await filesBelow(broken, 'refs')), ...(await filesBelow(join(broken, 'logs'), 'refs'))]
  const names = new Set([...loose, ...(await packedRefs(broken)).map(({ ref }) => ref)])
  return [...names].filter((ref) => /^refs\/(?:heads|stash|statewright)/.test(ref) && !ref.endsWith('.lock')).toSorted()
}

async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

async function packedRefs(broken: string): Promise<readonly { ref: string; sha: string }[]> {
  return (await readText(join(broken, 'packed-refs')))
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([sha = '', ref]) => (ref !== undefined && objectName.test(sha) ? [{ sha, ref }] : []))
}

async function packed(broken: string, ref: string): Promise<readonly string[]> {
  return (await packedRefs(broken)).filter((entry) => entry.ref === ref).map(({ sha }) => sha)
}

/** A line of a log: old sha, new sha, who, when, what. */
async function logEntries(broken: string, ref: string): Promise<readonly string[]> {
  const lines = (await readText(join(broken, 'logs', ref))).split('\n')
  return lines
    .map((line) => line.split(' ')[1] ?? '')
    .filter((sha) => objectName.test(sha))
    .toReversed()
    .slice(0, maxLogEntries)
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
