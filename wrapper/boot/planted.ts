import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** What the CLI would obey below `~/.claude` and the platform does not write anew at every boot; transcripts stay. */
const inHome = [
  'settings.local.json',
  'CLAUDE.local.md',
  'commands',
  'agents',
  'skills',
  'hooks',
  'rules',
  'plugins',
  'output-styles',
]
const inWorkspace = ['.claude', 'CLAUDE.local.md']

/**
 * Removes configuration that an agent of an earlier life left where the CLI looks for it: the volume is the Task's, so what
 * a stranger's text made one agent write would be obeyed by the next, the reviewer's among them (ARCHITECTURE, Trust).
 * Where home and workspace are one folder, its `.claude` is cleared name by name. Answers what was found.
 */
export function removePlanted(config: Pick<Config, 'home' | 'workspaceDir'>): readonly string[] {
  const own = join(config.home, '.claude')
  const found = [
    ...inHome.map((name) => join(own, name)),
    ...inWorkspace.map((name) => join(config.workspaceDir, name)),
  ].filter((path) => path !== own && existsSync(path))
  for (const path of found) rmSync(path, { recursive: true, force: true })
  return found
}
