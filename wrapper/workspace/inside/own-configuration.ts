/** Law B2: no `.git` holds a configuration, hook or attribute but what is written here. */
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What the agent's CLI obeys or shows to the model, wherever in the tree it lies. A tracked one stays in the commits and
 * out of the work tree, by git's own sparse checkout, so that nobody takes it for deleted.
 */
export const obeyed = ['.claude', '.mcp.json', 'CLAUDE.local.md', 'AGENTS.md'] as const

const sparse = ['/*', ...obeyed.map((name) => `!${name}`), ''].join('\n')

/** The wrapper fetches and pushes; an address that nobody answers tells a curious agent so. */
const configuration = (name: string): string => `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
	sparseCheckout = true
	sparseCheckoutCone = false
[remote "origin"]
	url = https://the-platform-fetches-and-pushes.invalid/${name}.git
	fetch = +refs/heads/*:refs/remotes/origin/*
`

/** All by which a `.git` names programs, other repositories or other objects than its own. */
const steering = [
  'config',
  'config.worktree',
  'hooks',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'info/sparse-checkout',
  'commondir',
  'gitdir',
  'shallow',
  'refs/replace',
  'objects/info/http-alternates',
]

/** False when there is no folder to configure. */
export async function configure(gitDir: string, name: string): Promise<boolean> {
  const found = await lstat(gitDir).catch(() => undefined)
  if (!found?.isDirectory()) return false
  for (const path of steering) await rm(join(gitDir, path), { recursive: true, force: true })
  for (const folder of ['info', 'hooks']) await makeFolder(join(gitDir, folder))
  await writeFile(join(gitDir, 'info', 'sparse-checkout'), sparse)
  await writeFile(join(gitDir, 'config'), configuration(name))
  return true
}

/** A link or a file in its place would be written through. */
async function makeFolder(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => undefined))?.isDirectory()) await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
}
