import { createGit, plainEnvironment, type Git, type GitIdentity } from '../git.ts'

interface InsideGitOptions {
  readonly path: string
  readonly identity: GitIdentity
  readonly timeoutMs?: number
}

/**
 * Runs in the command space, on a clone whose configuration the agent may write: it can start what the agent could start
 * anyhow. These settings keep the agent's hooks and prompts from holding up the work that is done for it.
 */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.sshCommand=false',
  'core.askPass=',
  'credential.helper=',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting])

/** `/dev/null`: no file below it can be read as a configuration. */
const home = '/dev/null'

export function createInsideGit({ path, identity, timeoutMs }: InsideGitOptions): Git {
  return createGit({
    settings: () => settings,
    env: (run) => plainEnvironment(path, home, identity, run),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}
