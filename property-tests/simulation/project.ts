/** The Project of a life as its operator applies it: with all that the plan asks for, and plain when calm comes. */
import { localManifests } from '../../standins/manifests.ts'
import type { World } from '../runtime/simulation/world.ts'
import { botToken, forgeUrl, fullName, repositoryNames, triggerLabel } from './forge.ts'
import { alertSecretName, hookSecret, operatorToken, type Orchestrators } from './orchestrators.ts'
import type { Plan, Scheduled } from './plan.ts'

interface Manifest {
  readonly kind: string
  readonly metadata: object
  readonly spec?: { readonly scm?: object }
}

const projectSpec = {
  agentPodTTLSeconds: 900,
  agent: { turnTimeoutSeconds: 300, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 1 },
}

const ticks: Readonly<Record<Scheduled, object>> = {
  issueScan: { schedule: '*/5 * * * *', maxPerRepo: 2 },
  brainstorm: { enabled: true, schedule: '2-59/5 * * * *', targetOpenProposals: 1, minSessionIntervalMinutes: -1 },
  documentation: { schedule: '3-59/6 * * * *' },
  upgrade: { schedule: '4-59/8 * * * *' },
}

/** Twice what a turn of these agents takes. */
const tokensPerTurn = 4000

function troubledSpec({ schedule, alerts, budget, maxConcurrentAgents }: Plan): object {
  const window = { enabled: true, tokenLimit: budget?.window, windowDuration: '10m' }
  return {
    ...projectSpec,
    maxConcurrentAgents,
    ...(alerts.length > 0 ? { alerting: { enabled: true, secretRef: alertSecretName } } : {}),
    ...(schedule.includes('documentation') ? { documentation: { enabled: true, repo: urlOf('library') } } : {}),
    ...(budget ? { tokenBudget: window } : {}),
    ...(budget && budget.day > 0 ? { spending: { tokensPerTurn, tokensPerDay: budget.day } } : {}),
  }
}

const forges = {
  github: { provider: 'forge_a', forgeApi: `${forgeUrl}/api/v3` },
  gitlab: { provider: 'forge_b', forgeApi: `${forgeUrl}/api/v4` },
} as const

function urlOf(repository: string): string {
  return `${forgeUrl}/${fullName(repository)}`
}

/** Without anything that the Project would do by itself for ever, and without limits that only the next day lifts. */
export function calmManifests(plan: Plan): readonly object[] {
  return manifests(plan, { ...projectSpec, maxConcurrentAgents: plan.maxConcurrentAgents }, {}).filter(
    ({ kind }) => kind === 'Project',
  )
}

export function troubledManifests(plan: Plan): readonly object[] {
  return manifests(plan, troubledSpec(plan), Object.fromEntries(plan.schedule.map((name) => [name, ticks[name]])))
}

function manifests(plan: Plan, spec: object, cron: object): readonly Manifest[] {
  const [secret, project, ...repositories] = repositoryNames.slice(0, plan.repositories).flatMap((repository, index) =>
    localManifests({
      project: 'demo',
      repository,
      defaultBranch: 'main',
      ...forges[plan.forge],
      forgeUrl,
      token: botToken,
      webhookSecret: hookSecret,
      triggerLabel,
    }).filter((one) => index === 0 || (one as Manifest).kind === 'Repository'),
  ) as readonly Manifest[]
  const scm = { ...project!.spec?.scm, cron }
  return [secret!, { ...project!, spec: { ...project!.spec, ...spec, scm } }, ...repositories]
}

/** Until somebody has taken each of them. */
export async function apply(world: World, orchestrators: Orchestrators, wanted: readonly object[]): Promise<void> {
  const left = [...wanted]
  for (let [next] = left; next !== undefined; [next] = left) {
    const body = JSON.stringify(next)
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const answer = await orchestrators.call({ kind: 'operator', method: 'PUT', path: '/resources', headers, body })
    if (answer?.status === 200) left.shift()
    else if (answer && answer.status < 500) throw new Error(`not applied: ${answer.body}`)
    else await new Promise<void>((resolve) => world.after(2000, resolve))
  }
}

/** The operator pauses the Project and goes on with it, as planned; resolves when it goes on. */
export async function pauseAsPlanned(world: World, orchestrators: Orchestrators, plan: Plan): Promise<void> {
  if (plan.paused === undefined) return
  const { atMs, forMs } = plan.paused
  const projectOf = (one: Plan): readonly object[] =>
    troubledManifests(one).filter((manifest) => (manifest as Manifest).kind === 'Project')
  await new Promise<void>((resolve) => world.after(atMs, resolve))
  world.tell('the operator pauses the Project')
  await apply(world, orchestrators, projectOf({ ...plan, maxConcurrentAgents: 0 }))
  await new Promise<void>((resolve) => world.after(forMs, resolve))
  world.tell('the operator lets the Project go on')
  await apply(world, orchestrators, projectOf(plan))
}

/** Applies all of it, and looks until the Project is ready. */
export function watchReady(world: World, orchestrators: Orchestrators, plan: Plan): { isReady: boolean } {
  const state = { isReady: false }
  let isApplied = false
  const look = (): void => {
    if (state.isReady) return
    world.after(5000, look)
    world.onStore(async () => {
      const { rows } = await world.store.query<{ path: string }>("select path from actor where kind = 'project'")
      state.isReady = isApplied && /\bready\b/.test(rows[0]?.path ?? '')
    })
  }
  world.after(1000, () => {
    void apply(world, orchestrators, troubledManifests(plan)).then(() => (isApplied = true))
  })
  look()
  return state
}
