import { access, appendFile, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { askGit, git } from './run.ts'

/**
 * Runs once per pushed ref. Which rules hold is told by the environment of the one push: the script knows no user.
 * `FORGE_CLOSED_REFS` may not be pushed at all, `FORGE_STEADY_REFS` neither deleted nor moved but forward.
 */
const UPDATE_HOOK = `#!/bin/sh
ref=$1 old=$2 new=$3
zero=0000000000000000000000000000000000000000
case "$ref" in
  refs/heads/*|refs/tags/*) ;;
  *) echo "deny updating a hidden ref" >&2; exit 1 ;;
esac
for closed in $FORGE_CLOSED_REFS; do
  [ "$ref" = "$closed" ] && { echo "GH006: Protected branch update failed for $ref." >&2; exit 1; }
done
for steady in $FORGE_STEADY_REFS; do
  [ "$ref" = "$steady" ] || continue
  [ "$old" = "$zero" ] && continue
  [ "$new" = "$zero" ] && { echo "refusing to delete the current branch: $ref" >&2; exit 1; }
  git merge-base --is-ancestor "$old" "$new" || { echo "non-fast-forward update of $ref refused" >&2; exit 1; }
done
exit 0
`

/** Tells the forge which refs this very push has moved: comparing refs before and after would credit a neighbour's push. */
const POST_RECEIVE_HOOK = `#!/bin/sh
cat > "$FORGE_RECEIPT"
`

export async function writeHooks(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (const [name, text] of [
    ['update', UPDATE_HOOK],
    ['post-receive', POST_RECEIVE_HOOK],
  ] as const) {
    await writeFile(join(dir, name), text)
    await chmod(join(dir, name), 0o755)
  }
}

/** `allowAnySHA1InWant`: a head that its branch has left, or that has been deleted, can still be fetched, as at the real forges. */
const SETTINGS = `[receive]
  autogc = false
  denyDeleteCurrent = ignore
[gc]
  auto = 0
[uploadpack]
  allowAnySHA1InWant = true
  allowFilter = true
[http]
  receivepack = true
`

export interface BareSource {
  /** A local repository whose branches and tags are taken over; without it the repository starts empty. */
  readonly fromPath?: string
  readonly defaultBranch?: string
}

/** Creates the bare repository and says which branch is its default. */
export async function createBare(path: string, hooksDir: string, source: BareSource): Promise<string> {
  // Without its entry in the forge's memory it has branches, and numbers of pull requests, that nobody knows anything of.
  if (await exists(path)) throw new Error(`${path} exists already: give each forge a folder of its own`)
  const head = source.defaultBranch ?? (source.fromPath ? await headBranch(source.fromPath) : 'main')
  await mkdir(path, { recursive: true })
  await git(path, ['init', '--quiet', '--bare', `--initial-branch=${head}`, '.'])
  // Escaped as JSON is, and by no process of its own: a forge of a test takes longer to set up than to ask.
  await appendFile(join(path, 'config'), `${SETTINGS}[core]\n  hooksPath = ${JSON.stringify(hooksDir)}\n`)
  if (!source.fromPath) return head
  await git(path, [
    'fetch',
    '--quiet',
    '--no-auto-maintenance',
    source.fromPath,
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
  ])
  return head
}

/** Takes over a repository of an earlier start, whose folder may have been moved meanwhile together with its hooks. */
export async function adoptBare(path: string, hooksDir: string): Promise<void> {
  if (!(await exists(join(path, 'HEAD'))))
    throw new Error(`${path} is gone: the forge remembers it and can't go on without it`)
  await git(path, ['config', 'core.hooksPath', hooksDir])
}

async function headBranch(path: string): Promise<string> {
  const { code, stdout } = await askGit(path, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { answers: [1] })
  if (code !== 0) throw new Error(`${path} is on no branch: check one out, or name the default branch`)
  return stdout.toString().trim()
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
