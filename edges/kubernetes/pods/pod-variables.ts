/** The variables of a wrapper's container. */
import type { ProjectSpec } from '../../../crd/project.ts'
import { PodPlaces, PodSecrets, PodVariables } from '../../../machines/turn/pod-environment.ts'
import type { PodInputs } from '../../ports/pods.ts'
import { podFolders, secretPaths } from './pod-mounts.ts'

interface ContainerVariable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: object
}

interface PodVariablesMade {
  readonly env: readonly ContainerVariable[]
  /** Names of extras that are variables of the contract, and so are left out. */
  readonly dropped: readonly string[]
}

export const servingPort = 8080

/** What a Secret may set in place of the file that `<NAME>_FILE` names. */
const plainSecrets = Object.keys(PodSecrets.properties).map((name) => name.replace(/_FILE$/, ''))
/** Every variable of the contract. Each is set, empty if need be: a variable of `env` wins over one of `envFrom`. */
const contractNames: readonly string[] = [
  ...[PodVariables, PodPlaces, PodSecrets].flatMap(({ properties }) => Object.keys(properties)),
  ...plainSecrets,
  'POD_IP',
]

type Extras = Pick<NonNullable<ProjectSpec['agent']>, 'extraEnvs' | 'extraEnvsFrom'>

/** Those of the extras that Kubernetes would let win come to nothing: it takes a name twice, and the last one counts. */
export function containerVariables(
  inputs: PodInputs,
  { extraEnvs: extras = [], extraEnvsFrom: sources = [] }: Extras,
): PodVariablesMade {
  const names = new Set(contractNames)
  const isOwn = (extra: object): boolean => names.has((extra as Partial<ContainerVariable>).name ?? '')
  const kept = extras.filter((extra) => !isOwn(extra)) as readonly ContainerVariable[]
  // Nobody here knows the keys of a source.
  const ofCommands = sources.length > 0 ? '*' : kept.map(({ name }) => name).join()
  return {
    env: [...ownVariables(inputs, ofCommands), ...kept],
    dropped: extras.filter(isOwn).map((extra) => (extra as ContainerVariable).name),
  }
}

function ownVariables(inputs: PodInputs, ofCommands: string): readonly ContainerVariable[] {
  const literals: Readonly<Record<string, string>> = {
    ...Object.fromEntries(contractNames.map((name) => [name, ''])),
    ...inputs.env,
    ...secretPaths(inputs),
    INTERNAL_ADDR: '127.0.0.1:0',
    HOME: podFolders.home,
    STATE_DIR: podFolders.state,
    WORKSPACE_DIR: podFolders.workspace,
    CONFIG_DIR: podFolders.config,
    COMMAND_VARIABLES: ofCommands,
    // Where it were empty, a runtime would not find the program to start.
    PATH: String((PodPlaces.properties.PATH as { readonly default?: unknown }).default),
  }
  const { HTTP_ADDR: _, POD_IP: __, ...rest } = literals
  return [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'HTTP_ADDR', value: `$(POD_IP):${servingPort}` },
    ...Object.entries(rest).map(([name, value]) => ({ name, value: literal(value) })),
  ]
}

/** A kubelet replaces `$(NAME)` in a value, and makes one `$` of two (https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/). */
function literal(value: string): string {
  return value.replaceAll('$', '$$$$')
}
