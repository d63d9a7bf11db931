/** Who is who in the worlds: the Project's lists, and what the real edge makes of them. */
import type { ForgeAccount } from '../../../edges/forge/port.ts'
import { peopleOf, type People } from '../../../edges/forge/mirror/facts/people.ts'
import type { ProjectSettings } from '../../../edges/forge/projects.ts'
import type { SpendingLimits } from '../../../machines/ledger/events.ts'
import type { Ceiling } from '../../../machines/rules/significance.ts'

/**
 * `maya` and `mona` maintain, `adam` is admin on the forge and maintains nothing, `rita` may report, `sam` is a stranger; the
 * last two are machines.
 */
export type Login = 'maya' | 'mona' | 'adam' | 'rita' | 'sam' | 'platform-bot' | 'ci[bot]'

/** Who edits or deletes; `nobody`: its event is lost, and a read shows what became of it. */
export type Hand = Exclude<Login, 'ci[bot]'> | 'nobody'
export const hands: readonly Hand[] = ['maya', 'mona', 'adam', 'rita', 'sam', 'platform-bot', 'nobody']

const maintainers: readonly string[] = ['maya', 'mona']

export function isMaintainer(login: string): boolean {
  return maintainers.includes(login)
}

export const botLogin = 'platform-bot'
export const triggerLabel = 'agent'
const repositories = ['lib', 'app'] as const

export interface Lists {
  readonly ceiling: Ceiling
  /** An operator's mistake that must not give the bot a voice. */
  readonly isBotListed: boolean
  readonly isGateOpen: boolean
  /** `trio`: of a third repository too. */
  readonly issues?: string
  readonly spending?: SpendingLimits
}

export function account(login: Login): ForgeAccount {
  return { login, id: `id-${login}`, bot: login === 'ci[bot]' }
}

export function projectOf({ ceiling, isBotListed, isGateOpen, issues, spending }: Lists): ProjectSettings {
  const enrolled = issues === 'trio' ? [...repositories, 'docs'] : repositories
  const maintainerLogins = isBotListed ? [...maintainers, botLogin] : maintainers
  return {
    uid: 'uid',
    name: 'demo',
    namespace: 'default',
    generation: 1,
    scm: {
      provider: 'forge_a',
      owner: 'acme',
      botLogin,
      maintainerLogins,
      reporterLogins: isGateOpen ? [] : ['rita'],
      prReactionScope: 'all',
      labels: {
        brainstorming: 'planning',
        approved: 'approved',
        implementation: 'in-work',
        declined: 'declined',
        incident: 'incident',
      },
    },
    triggerLabel,
    autoApproveMaxSignificance: ceiling,
    upgradeEngineLogins: [],
    kinds: {
      targetOpenProposals: 3,
      historyWindow: 20,
      proposalSources: [],
      closedLookbackDays: 30,
      adoptBranchPrefix: '',
    },
    repositories: enrolled.map((name) => ({
      name,
      url: `https://forge.test/acme/${name}.git`,
      defaultBranch: 'main',
    })),
    taskConfig: {
      project: 'default/demo',
      agentPodTTLSeconds: 3600,
      turnTimeoutSeconds: 1800,
      stallProbeGraceSeconds: 60,
      stallProbeMaxAttempts: 3,
      autoApproveMaxSignificance: ceiling,
      model: {},
      effort: {},
      permissionMode: 'bypassPermissions',
      repositories: enrolled.map((name) => ({ name, base: 'main' })),
      ...(spending ? { tokensPerTurn: spending.tokensPerTurn } : {}),
    },
  }
}

export type Judging = (people: People) => People

export function peopleIn(project: ProjectSettings, judging: Judging): People {
  return judging(peopleOf(project, project.repositories[0]!, new Map()))
}
