import { existsSync } from 'node:fs'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnswerOf, RequestOf } from '../requests.ts'
import { obeyed } from './own-configuration.ts'
import { move } from './set-aside.ts'

/** The platform's own files are written anew at every boot; an earlier agent may have put a link in their place. */
const atRoot = [...obeyed, 'CLAUDE.md', 'CLAUDE.md.new', '.mcp.json.new']
const ownFolders = ['.broken', '.set-aside']

/**
 * The root of the workspace, above the clones. The CLI obeys what lies there, and tools look there for modules and
 * configuration: a review finds nothing that an earlier pod put there.
 */
export async function sweepRoot(
  workspaceDir: string,
  { stamp, isReview, known }: RequestOf<'sweep'>,
): Promise<AnswerOf<'sweep'>> {
  const aside = join(workspaceDir, '.set-aside')
  const kept = join(aside, '.workspace')
  const removed = atRoot.filter((name) => !known.includes(name) && existsSync(join(workspaceDir, name)))
  for (const name of removed) await move(join(workspaceDir, name), join(aside, '.planted', stamp, name))
  if (isReview)
    for (const name of await strangers(workspaceDir, known)) await move(join(workspaceDir, name), join(kept, name))
  else await bringBack(workspaceDir, kept)
  return { removed }
}

async function strangers(workspaceDir: string, known: readonly string[]): Promise<readonly string[]> {
  return (await readdir(workspaceDir)).filter((name) => !known.includes(name) && !ownFolders.includes(name))
}

async function bringBack(workspaceDir: string, kept: string): Promise<void> {
  for (const name of await readdir(kept).catch(() => []))
    if (!existsSync(join(workspaceDir, name))) await rename(join(kept, name), join(workspaceDir, name))
}
