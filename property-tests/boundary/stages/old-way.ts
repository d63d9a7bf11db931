/** How the wrapper worked on a clone before law B1: its own git, beside it, with the credential, in the agent's files. */
import { plainEnvironment, createGit, type Git } from '../../../wrapper/workspace/git.ts'
import type { CredentialHelper } from '../../../wrapper/workspace/outside/git.ts'

export interface OldWay {
  readonly path: string
  /** The agent's, whose configuration that git read too. */
  readonly home: string
  readonly credential: CredentialHelper
}

const identity = { login: 'bot', email: 'bot@example.invalid' }
/** A canary that says nothing to a waiting git may hold it up. */
const timeoutMs = 10_000

export function oldGit({ path, home, credential }: OldWay): Git {
  return createGit({
    timeoutMs,
    settings: () => ['-c', 'safe.directory=*'],
    env: (run) => {
      const {
        GIT_CONFIG_GLOBAL: _none,
        GIT_ATTR_NOSYSTEM: _system,
        ...env
      } = plainEnvironment(path, home, identity, run)
      return { ...env, GIT_ASKPASS: credential.program, STATEWRIGHT_CREDENTIAL_URL: credential.url }
    },
  })
}

/** The end of a turn; a step that fails keeps no other back. */
export async function oldTurnEnd(git: Git, clone: string, url: string, branch: string): Promise<void> {
  const steps = [
    ['status', '--porcelain'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'Commit the work left at the end of a turn'],
    ['fetch', '--quiet', url, branch],
    ['merge', '--quiet', '--no-edit', 'FETCH_HEAD'],
    ['checkout', '--quiet', '--force', 'HEAD', '--', '.'],
    ['gc', '--quiet', '--auto'],
    ['push', '--quiet', url, `HEAD:refs/heads/${branch}`],
  ]
  for (const step of steps) await git(step, { cwd: clone })
}
