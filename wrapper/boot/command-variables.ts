/**
 * Variables that a Project gives to the agent's commands and to the hooks (POD-ENV-19). The wrapper finds them in its own
 * environment. The CLI does not get them: one such as NODE_OPTIONS would change it.
 */
import { PodPlaces, PodSecrets, PodVariables } from '../../machines/turn/pod-environment.ts'
import type { Environment } from './environment.ts'
import { shellWords } from './shell-words.ts'

export type CommandVariables = Readonly<Record<string, string>>

/** Of the CLI's environment a command sees these and no others: the CLI puts the way to its own socket there. */
export const passedVariables: readonly string[] = [
  'AI_AGENT',
  'BUN_OPTIONS',
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'COREPACK_ENABLE_AUTO_PIN',
  'GIT_CEILING_DIRECTORIES',
  'GIT_EDITOR',
  'GIT_TERMINAL_PROMPT',
  'IS_SANDBOX',
  'LANG',
  'PLATFORM_CONTRACT_VERSION',
  'PLATFORM_POD',
  'PLATFORM_PROJECT',
  'PLATFORM_TASK',
  'PLATFORM_TOOL_PROFILE',
  'TERM',
]

const secrets = Object.keys(PodSecrets.properties)
const taken = new Set([
  ...[PodVariables, PodPlaces].flatMap(({ properties }) => Object.keys(properties)),
  ...secrets,
  ...secrets.map((name) => name.replace(/_FILE$/, '')),
  ...passedVariables,
  ...['POD_IP', 'HOSTNAME', 'SHELL', 'PWD', 'OLDPWD', 'SHLVL', '_'],
])

/** @param names of the variables, with commas between; `*` for every one that no other party sets. */
export function commandVariablesOf(env: Environment, names: string): CommandVariables {
  const wanted = names === '*' ? Object.keys(env) : names.split(',').map((name) => name.trim())
  const given = wanted.filter(isFree).flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

/** The others are the contract's, a container runtime's, or no name that a shell can have. */
function isFree(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !taken.has(name) && !/^(PLATFORM|KUBERNETES)_/.test(name)
}

/** Lines for a shell to read. */
export function exportLines(variables: CommandVariables): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellWords([value])}\n`)
    .join('')
}

/** The descriptor by which a shell that stands in the command space gets them: as arguments they would be in process lists. */
export const variablesDescriptor = 6

/** What that shell does first. Whoever carries it in must not have them: LD_PRELOAD would lead its way. */
export const readVariables = `. /dev/fd/${variablesDescriptor}; exec ${variablesDescriptor}<&-`
