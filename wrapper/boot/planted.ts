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

/**
 * Removes configuration that an agent of an earlier life left in the home where the CLI looks for it: what a stranger's
 * text made one agent write would be obeyed by the next, the reviewer's among them (ARCHITECTURE, Trust). The workspace
 * is cleared by the workspace worker. Answers what was found.
 */
export function removePlanted(config: Pick<Config, 'home'>): readonly string[] {
  const found = inHome.map((name) => join(config.home, '.claude', name)).filter((path) => existsSync(path))
  for (const path of found) rmSync(path, { recursive: true, force: true })
  return found
}
