/** Who performs the effects of the machines: forge, pods, wrappers, schedules, and what the agents' side has to say. */
import { renderTurn } from '../../edges/agents/bundle/turn-text.ts'
import type { AgentApiDeps } from '../../edges/agents/deps.ts'
import { proposalsOf } from '../../edges/agents/outcome/proposals.ts'
import { requestFold } from '../../edges/agents/outcome/request-fold.ts'
import { createReadForeign } from '../../edges/forge/foreign-commits.ts'
import { createForgeEdge, type ForgeEdge } from '../../edges/forge/forge-edge.ts'
import { createReadBack } from '../../edges/forge/read-back.ts'
import { createCommitGraph } from '../../edges/git/store/commit-graph.ts'
import { createMergeJudge } from '../../edges/git/rules/merge-judge.ts'
import { createWrapperClient } from '../../edges/pods/client.ts'
import { wrapperHandlers } from '../../edges/pods/outbound.ts'
import type { PodPort } from '../../edges/ports/pods.ts'
import { fillMemory } from '../../edges/schedule/fill-memory.ts'
import { reconcileMemoryStack } from '../../edges/schedule/memory-stack.ts'
import { scheduleHandlers } from '../../edges/schedule/handlers.ts'
import { modelKeyDeliveries } from '../../edges/schedule/model-key.ts'
import { scheduleSettings } from '../../edges/schedule/settings.ts'
import { usageDeliveries } from '../../edges/schedule/usage.ts'
import type { OutboxEffect } from '../../machines/emit.ts'
import type { ProjectContext } from '../../machines/project/context.ts'
import type { BudgetSettings } from '../../machines/project/events.ts'
import type { Handlers } from '../../runtime/handlers.ts'
import type { Setup } from './setup.ts'
import type { Stores } from './compose-stores.ts'
import { forgeIdsOf, lifeIn, ownGit } from '../pods/gateway.ts'
import { memoryIntake } from '../memory/memory-intake.ts'
import { memorySources } from '../memory/memory-sources.ts'
import { podInputs, podUrls } from '../pods/pod-environment.ts'
import { readWhy } from '../operators/why.ts'

const wrapperTimeoutMs = 30_000

interface Handling {
  readonly forge: ForgeEdge
  readonly pods: PodPort
  readonly agents: AgentApiDeps
  readonly handlers: Handlers<OutboxEffect>
}

export function composeHandlers(setup: Setup, stores: Stores): Handling {
  const { parts } = setup
  const forge = forgeEdge(setup, stores)
  const pods = podsOf(setup, stores)
  const agents = agentSide(setup, stores)
  const handlers: Handlers<OutboxEffect> = {
    ...forge.handlers,
    requestFold: requestFold(agents),
    ...schedules(setup, stores, agents),
    fillMemory: memoryFilling(setup, stores),
    reconcileMemoryStack: reconcileMemoryStack({ stacks: parts.place.memoryStacks, clock: setup.ports.clock }),
    ...wrappers(setup, stores, { pods, agents }),
  }
  return { forge, pods, agents, handlers: parts.tracing ? parts.tracing.handlers(handlers) : handlers }
}

function podsOf({ settings, parts, addresses }: Setup, { core, memories }: Stores): PodPort {
  const { place, podTokens: tokens, callbackMaster, tracing } = parts
  const { directory } = core
  const inputs = podInputs({
    settings,
    memories,
    directory,
    tokens,
    callbackMaster,
    urls: () => podUrls(settings, addresses),
    traceparent: () => tracing?.traceparent(),
  })
  return place.pods({ directory, inputs })
}

function forgeEdge({ settings, ports, parts, webhookUrl }: Setup, stores: Stores): ForgeEdge {
  const { core, openForge, mirror, threadsOf, grantHolds, rights, cache, pushRefusal } = stores
  const { runtime, clock, directory } = core
  return createForgeEdge({
    ...core,
    random: ports.random,
    openForge,
    mirror,
    grantHolds,
    threadsOf,
    mergeJudge: parts.mergeJudge ?? createMergeJudge({ directory, cache, forgeIdOf: forgeIdsOf(mirror) }),
    ciChangesAllowed: (task, repository) => rights.ciChangesAllowed(task, repository),
    webhookUrl: ({ name }) => webhookUrl(name),
    forgotten: (place) => cache.forget(place),
    standings: settings.standingComments
      ? { runtime, why: (task) => readWhy({ runtime, clock, pushRefusal }, task) }
      : undefined,
  })
}

function agentSide({ parts }: Setup, stores: Stores): AgentApiDeps {
  const { core, threads, gatedThreads, openForge, pushRefusal, mirror, cache } = stores
  const { directory } = core
  return {
    ...core,
    projects: directory,
    threads,
    gatedThreads,
    openForge,
    readBack: createReadBack(mirror),
    podTokens: parts.podTokens,
    pushedBy: (project, repositories, task) => mirror.pushedBy(project, repositories, task),
    foreignCommits: createReadForeign({
      mirror,
      graph: parts.commitGraph ?? createCommitGraph({ directory, cache, forgeIdOf: forgeIdsOf(mirror) }),
    }),
    verifyOidc: parts.verifyOidc,
    pushRefusal,
    lifeOf: (project) => lifeIn(directory, project),
    maxBundleBytes: async (project) => (await directory.spec(project))?.spec.maxBundleBytes ?? 400_000,
  }
}

function schedules({ settings }: Setup, { core, threads }: Stores, agents: AgentApiDeps) {
  return scheduleHandlers({
    ...core,
    openProposals: async (project) => {
      const { issues, isOpenProposal } = await proposalsOf(agents, { config: { project } })
      return issues.filter(isOpenProposal).length
    },
    labelsOf: async (project, repository, number) => (await threads.issue(project, repository, number))?.labels ?? [],
    cronTimeZone: settings.cronTimeZone,
  })
}

function memoryFilling({ settings, ports, parts }: Setup, stores: Stores): Handlers<OutboxEffect>['fillMemory'] {
  const { core, mirror, cache, defaultBranch, gatedThreads, memories } = stores
  const { runtime, directory } = core
  return fillMemory({
    ...core,
    intake:
      parts.memoryIntake ??
      memoryIntake({
        settings,
        memories,
        programDir: ports.programDir,
        git: ownGit(settings.git, ports.clock),
      }),
    sourceOf: memorySources({ directory, forgeIdOf: forgeIdsOf(mirror), cache, defaultBranch, gatedThreads }),
    heldBy: async (project) => heldBy((await runtime.read(`project:${project}`))?.context),
    known: async (project) => {
      const actor = await runtime.read(`memory:${project}`)
      return actor?.context.repositories ?? {}
    },
  })
}

function heldBy(project: ProjectContext | undefined): string {
  if (project === undefined) return 'the Project was not checked yet'
  if (project.reason !== '') return `the Project is not ready: ${project.reason}`
  return project.isPaused ? 'the Project is paused' : ''
}

function wrappers(
  { parts, fetch, platform }: Setup,
  { core }: Stores,
  { pods, agents }: Pick<Handling, 'pods' | 'agents'>,
) {
  const { runtime, clock, directory } = core
  const budget = async (project: string): Promise<BudgetSettings | undefined> => {
    const found = await directory.spec(project)
    return found && scheduleSettings(found.spec)?.budget
  }
  return wrapperHandlers({
    ...core,
    pods,
    client: createWrapperClient({ fetch, clock, token: parts.wrapperToken, timeoutMs: wrapperTimeoutMs }),
    hindered: platform.turnHindered,
    readActor: (address) => runtime.read(address),
    renderTurn: (turn, ordinal) => renderTurn(agents, turn, ordinal),
    alsoDeliver: async (turn, result) => {
      const [deps, at] = [{ runtime, directory, budget, modelKey: parts.modelKey }, clock.now()]
      const usage = await usageDeliveries(deps, turn, result, at)
      return [...usage, ...(await modelKeyDeliveries(deps, turn, result, at))]
    },
  })
}
