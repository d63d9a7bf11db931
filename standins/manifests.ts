import { people } from './people.ts'

export interface LocalProject {
  readonly project: string
  readonly repository: string
  readonly defaultBranch: string
  /** Absent: GitHub's. */
  readonly provider?: 'forge_a' | 'forge_b'
  /** Absent: the one of the stand-ins. */
  readonly owner?: string
  readonly forgeUrl: string
  readonly forgeApi: string
  readonly token: string
  readonly webhookSecret: string
  readonly triggerLabel: string
  /** Of the memory that it gets; absent: none. */
  readonly memory?: Readonly<Record<string, string>>
  /** Absent: the platform's own bounds. */
  readonly spending?: { readonly tokensPerTurn: number; readonly tokensPerTask: number }
}

export interface LocalManifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly url?: string
    readonly scm?: Readonly<Record<string, unknown>> & { readonly apiURL: string; readonly webURL: string }
  }
}

/** The resources of a Project on the local forge, as a user would write them into a file. */
export function localManifests(given: LocalProject): readonly LocalManifest[] {
  const metadata = { name: given.project }
  const { owner = people.owner } = given
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${given.project}-scm` },
      stringData: { token: given.token, webhookSecret: given.webhookSecret },
    },
    {
      apiVersion: 'platform.dev/v1alpha1',
      kind: 'Project',
      metadata,
      spec: {
        scmSecretRef: `${given.project}-scm`,
        triggerLabel: given.triggerLabel,
        ...(given.spending === undefined ? {} : { spending: given.spending }),
        ...(given.memory === undefined ? {} : { memory: given.memory }),
        scm: {
          provider: given.provider ?? 'forge_a',
          owner,
          botLogin: people.bot,
          botEmail: `${people.bot}@statewright.invalid`,
          apiURL: given.forgeApi,
          webURL: given.forgeUrl,
          maintainerLogins: [people.maintainer],
          reporterLogins: [people.reporter],
        },
      },
    },
    {
      apiVersion: 'platform.dev/v1alpha1',
      kind: 'Repository',
      metadata: { name: given.repository },
      spec: {
        projectRef: given.project,
        url: `${given.forgeUrl}/${owner}/${given.repository}.git`,
        defaultBranch: given.defaultBranch,
      },
    },
  ]
}
