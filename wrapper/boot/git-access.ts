import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CredentialHelper } from '../workspace/outside/git.ts'
import { writeAtomically } from './atomic-file.ts'
import type { Config } from './config.ts'
import { shellWords } from './shell-words.ts'

/** The helper as one executable file: git takes no arguments with it, and `node` may not be on the path. */
export function writeCredentialHelper(
  config: Config,
  node: string,
  internalUrl: string,
  gitKey: string,
): CredentialHelper {
  const program = join(config.stateDir, 'git-askpass')
  const script = fileURLToPath(new URL('../hooks/askpass.mjs', import.meta.url))
  writeAtomically(program, `#!/bin/sh\nexec ${shellWords([node, script])} "$@"\n`, 0o700)
  return { program, url: `${internalUrl}/k/${gitKey}/internal/credential` }
}

/** A home without a configuration for the wrapper's git. */
export function gitHome(config: Config): string {
  const home = join(config.stateDir, 'git-home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return home
}

/**
 * Answers git's prompt for the hosts of the configured repositories and no other. Name and password are those of the
 * gateway (GIT-1).
 */
export function answerPrompt(config: Config, prompt: string): string | undefined {
  const asked = /'(https?:\/\/[^']+)'/.exec(prompt)?.[1]
  if (!asked || !URL.canParse(asked) || !config.secrets.podToken) return undefined
  const hosts = config.repositories.filter(({ url }) => URL.canParse(url)).map(({ url }) => new URL(url).origin)
  if (!hosts.includes(new URL(asked).origin)) return undefined
  return /^username/i.test(prompt) ? 'x-pod' : config.secrets.podToken
}
