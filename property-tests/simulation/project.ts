/** The Project of a life as its operator applies it: with all that the plan asks for, and plain when calm comes. */
import { localManifests } from '../../standins/manifests.ts'
import type { World } from '../runtime/simulation/world.ts'
import { botToken, forgeUrl, fullName, repositoryNames, triggerLabel } from './forge.ts'
import { alertSecretName, hookSecret, operatorToken, type Orchestrators } from './orchestrators.ts'
import type { Plan, Scheduled, StackPlan } from './plan.ts'

interface Manifest {
  readonly kind: string
  readonly metadata: object
  readonly spec?: { readonly scm?: object }
}

/** Of the Project beside demo, which has a stack and nothing else. */
export const beside = 'other'

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

function troubledSpec({ schedule, alerts, budget, maxConcurrentAgents, stack }: Plan): object {
  const window = { enabled: true, tokenLimit: budget?.window, windowDuration: '10m' }
  return {
    ...projectSpec,
    ...memoryOfDemo(stack),
    maxConcurrentAgents,
    ...(alerts.length > 0 ? { alerting: { enabled: true, secretRef: alertSecretName } } : {}),
    ...(schedule.includes('documentation') ? { documentation: { enabled: true, repo: urlOf('library') } } : {}),
    ...(budget ? { tokenBudget: window } : {}),
    ...(budget && budget.day > 0 ? { spending: { tokensPerTurn, tokensPerDay: budget.day } } : {}),
  }
}

function memoryOfDemo(stack: StackPlan | undefined): object {
  return stack?.isOfDemo === true ? { memory: {} } : {}
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
  const { maxConcurrentAgents, stack } = plan
  return manifests(plan, { ...projectSpec, ...memoryOfDemo(stack), maxConcurrentAgents }, {}).filter(
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
  for (const one of wanted) {
    const body = JSON.stringify(one)
    await untilTaken(world, orchestrators, { method: 'PUT', path: '/resources', body })
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: string
}

async function untilTaken(world: World, orchestrators: Orchestrators, asked: Asked): Promise<void> {
  const authorization = `Bearer ${operatorToken}`
  const headers: Readonly<Record<string, string>> =
    asked.body === undefined ? { authorization } : { authorization, 'content-type': 'application/json' }
  for (;;) {
    const answer = await orchestrators.call({ kind: 'operator', headers, ...asked })
    // Whoever deleted it and was not heard finds nothing.
    if (answer && (answer.status < 300 || (answer.status === 404 && asked.method === 'DELETE'))) return
    if (answer && answer.status < 500) throw new Error(`not taken: ${answer.body}`)
    await new Promise<void>((resolve) => world.after(2000, resolve))
  }
}

/** The Project beside demo wants a stack, none, and one again, as planned. */
export async function besideAsPlanned(world: World, orchestrators: Orchestrators, plan: Plan): Promise<void> {
  const { stack } = plan
  if (stack === undefined) return
  const rest = (ms: number): Promise<void> => new Promise((resolve) => world.after(ms, resolve))
  const wants = (memory: object): Promise<void> => apply(world, orchestrators, [projectBeside(plan, memory)])
  await wants({ memory: {} })
  if (stack.ends === undefined) return
  const { atMs, how, backMs } = stack.ends
  await rest(atMs)
  world.tell(`the stack of ${beside} is wanted no more`)
  if (how === 'unwanted') await wants({})
  else await untilTaken(world, orchestrators, { method: 'DELETE', path: `/resources/projects/default/${beside}` })
  if (backMs === undefined) return
  await rest(backMs)
  await wants({ memory: {} })
}

function projectBeside(plan: Plan, memory: object): object {
  const [, project] = manifests(plan, { ...projectSpec, ...memory }, {})
  return { ...project!, metadata: { name: beside } }
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
