import { join } from 'node:path'
import { noModelDefaults } from '../../crd/models.ts'
import { mostPackBytes } from '../../edges/git/wire/receive.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { longestRunMs } from '../../edges/git/store/run-git.ts'
import { defaultAlgorithms } from '../../http/auth/claims.ts'
import { everyTokenIsAdmin } from '../../http/auth/roles.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { noCluster } from './no-cluster.ts'

/** Groups that a test changes in part. */
type Merged = Pick<OrchestratorSettings, 'oidc' | 'memory'>

export type SettingsOver = Omit<Partial<OrchestratorSettings>, keyof Merged> & {
  readonly [Group in keyof Merged]?: Partial<Merged[Group]>
}

/** Of an orchestrator on this machine that keeps nothing, with its state below `dir`. */
export function settingsForTests(dir: string, { oidc, memory, ...over }: SettingsOver = {}): OrchestratorSettings {
  const anyPort = { host: '127.0.0.1', port: 0 }
  return {
    stateDir: join(dir, 'state'),
    coveredDir: dir,
    databaseUrl: '',
    databaseAnswerMs: 15_000,
    http: anyPort,
    internal: anyPort,
    keysDir: '',
    place: 'machine',
    kubernetes: noCluster,
    operatorUrl: '',
    internalUrl: '',
    publicUrl: '',
    cronTimeZone: 'UTC',
    oidc: {
      issuer: 'http://issuer.test',
      audience: 'o',
      algorithms: defaultAlgorithms,
      wrapperAudience: 'w',
      clientId: 'c',
      clientSecret: 's',
      cliClientId: 'statewright-cli',
      ...oidc,
    },
    memory: {
      urls: {},
      publicUrls: {},
      audience: '',
      clientId: '',
      clientSecret: '',
      fills: false,
      profile: 'full',
      localPort: 0,
      ...memory,
    },
    modelBaseUrl: '',
    modelKey: 'no model is asked',
    oauthToken: '',
    models: noModelDefaults,
    skillsRepoUrl: '',
    owner: '',
    git: { mostPackBytes, mostCheckoutBytes, longestRunMs },
    agentCli: ['false'],
    isolation: 'none',
    seclusion: 'none',
    logLevel: 'silent',
    retention: { days: 0, events: 0, finalDays: 0 },
    retentionEveryMs: 3_600_000,
    mostWaitingAlerts: 100,
    inspector: { clientId: '', clientSecret: '', scope: 'openid', loginClaim: '' },
    roles: everyTokenIsAdmin,
    otlpEndpoint: '',
    standingComments: false,
    userHome: dir,
    ...over,
  }
}
