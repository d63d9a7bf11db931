import { createGit, plainEnvironment, type Git, type GitIdentity, type GitRun, type GitSide } from '../git.ts'

/** How git reaches the gateway: a helper program that asks the wrapper's memory over the loopback. */
export interface CredentialHelper {
  /** Executable given as GIT_ASKPASS. */
  readonly program: string
  /** Loopback URL with the secret that only the wrapper's own git children know. */
  readonly url: string
}

interface OutsideGitOptions {
  readonly path: string
  /** An empty folder. */
  readonly home: string
  readonly identity: GitIdentity
  readonly credential?: CredentialHelper
  readonly timeoutMs?: number
}

/** Repositories that the wrapper made itself have no configuration beyond this (law B1). */
const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.sshCommand=false',
  'core.askPass=',
  'credential.helper=',
  'http.proxy=',
  'http.followRedirects=false',
  'protocol.allow=never',
  'transfer.bundleURI=false',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting])

export function outsideSide({ path, home, identity, credential, timeoutMs }: OutsideGitOptions): GitSide {
  return {
    settings: ({ remote }) => [...settings, ...(remote === undefined ? [] : transportOf(remote))],
    env: (run) => ({
      ...plainEnvironment(path, home, identity, run),
      NO_PROXY: '*',
      no_proxy: '*',
      ...(run.remote !== undefined && credential ? credentialOf(credential) : {}),
    }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}

export function createOutsideGit(options: OutsideGitOptions): Git {
  return createGit(outsideSide(options))
}

/** One transport for one child. A path serves tests and one-machine use: only the operator's configuration names one. */
function transportOf(remote: string): readonly string[] {
  const scheme = /^(https?):\/\//.exec(remote)?.[1] ?? 'file'
  return ['-c', `protocol.${scheme}.allow=always`]
}

function credentialOf({ program, url }: CredentialHelper): NonNullable<GitRun['env']> {
  return { GIT_ASKPASS: program, STATEWRIGHT_CREDENTIAL_URL: url }
}
