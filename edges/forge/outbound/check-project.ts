/**
 * Whether a Project can work: secret, account behind the token, repositories, webhooks, labels. Everything that is
 * wrong is said at once; `reason` is the first of it, as a condition shows it.
 */
import { isListed, sameLogin } from '../../../machines/rules/logins.ts'
import type { EffectParams } from '../../../machines/effect.ts'
import { messageOf, TerminalError } from '../../../runtime/errors.ts'
import type { Delivery, EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import {
  documentationOf,
  forgeOrigins,
  forgePath,
  isOnForge,
  maintainersOf,
  projectId,
  type ProjectSecret,
  type ProjectSettings,
  type RepositorySettings,
} from '../projects.ts'
import { ForgeUnavailableError } from '../errors.ts'
import type { Fence, ForgePort } from '../port.ts'
import { fenceOf, type OutboundDeps } from './deps.ts'
import { labelSpecsOf } from './label-specs.ts'

/** `blocks`: the Project is not ready while it stands. */
interface Fault {
  readonly reason: string
  readonly message: string
  readonly blocks: boolean
  /** Of this one alone. */
  readonly repository?: string
}

/** At most 16 seconds of retries: a forge may restart meanwhile, and people learn of a longer outage within a minute. */
const refusedAttempts = 6
/** One attempt that got no answer for so long stands for all of them. */
const silentMs = 20_000

export function checkProject(deps: OutboundDeps): EffectHandler<EffectParams<'checkProject'>> {
  return {
    // Two at once would each find no hook and no label, and the forge refuses the second of a name.
    ordered: true,
    async perform({ project: id }, context) {
      const found = await deps.directory.applied(id)
      if (found === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
      const { project, holder } = found
      if (holder !== id) return [checked(project, context, [nameConflict(holder)])]
      const faults = await faultsOf(deps, project, fenceOf(context)).catch((error: unknown) =>
        outage(error, context.attempt, deps.clock.now() - context.at),
      )
      return [checked(project, context, faults)]
    },
  }
}

/** A forge that is away for longer is a state of the Project, which the machine checks again; a shorter outage is retried. */
function outage(error: unknown, attempt: number, waitedMs: number): readonly Fault[] {
  const isLong = attempt >= refusedAttempts || waitedMs >= silentMs
  if (!(error instanceof ForgeUnavailableError) || !isLong) throw error
  return [{ reason: 'ForgeUnreachable', message: `the forge does not answer: ${messageOf(error)}`, blocks: true }]
}

function checked(project: ProjectSettings, { actor, key, at }: EffectContext, faults: readonly Fault[]): Delivery {
  const blocking = faults.find((fault) => fault.blocks)
  const event = {
    type: 'project.checked',
    at,
    generation: project.generation,
    ready: blocking === undefined,
    reason: blocking?.reason ?? 'Checked',
    message: faults.map((fault) => fault.message).join('; '),
    faults: [...faults],
  }
  return { to: actor, key: `${key}/checked`, event }
}

async function faultsOf(deps: OutboundDeps, project: ProjectSettings, fence: Fence): Promise<readonly Fault[]> {
  const secret = await deps.directory.secret(projectId(project))
  const missing = missingKeys(secret)
  if (missing.length > 0)
    return [{ reason: 'SecretMissingKeys', message: `the Secret lacks ${missing.join(' and ')}`, blocks: true }]
  const forge = await deps.openForge(projectId(project), fence)
  const faults = [...(await accountFaults(forge, project))]
  if (faults.some((fault) => fault.reason === 'TokenRefused')) return faults
  for (const repository of project.repositories)
    for (const fault of await repositoryFaults(deps, forge, project, repository, secret!))
      faults.push({ ...fault, repository: repository.name })
  return [...faults, ...documentationFaults(project), ...(await resyncFaults(deps, project))]
}

/** MIRROR-5. */
const troublingResyncs = 3

async function resyncFaults({ mirror }: OutboundDeps, project: ProjectSettings): Promise<readonly Fault[]> {
  const names = new Set(project.repositories.map(({ name }) => name))
  const trouble = (await mirror.resyncTrouble(projectId(project), troublingResyncs)).filter(({ repository }) =>
    names.has(repository),
  )
  return trouble.map(({ repository, failures, failure }) => ({
    reason: 'ResyncFailing',
    repository,
    message: `${repository} could not be read back ${failures} times in a row (${failure}): what a lost webhook told stays unknown until that works`,
    blocks: false,
  }))
}

/** Its webhooks, routes and mirror would be those of the other (RESOURCES-19): nothing of it is asked of any forge. */
function nameConflict(holder: string): Fault {
  const message = `the Project ${holder} has this name already: choose another one`
  return { reason: 'NameConflict', message, blocks: true }
}

function missingKeys(secret: ProjectSecret | undefined): readonly string[] {
  return (['token', 'webhookSecret'] as const).filter((key) => !secret?.[key])
}

async function accountFaults(forge: ForgePort, { scm }: ProjectSettings): Promise<readonly Fault[]> {
  try {
    const { login } = await forge.whoAmI()
    if (sameLogin(login, scm.botLogin)) return []
    return [
      {
        reason: 'BotLoginMismatch',
        message: `the token belongs to ${login}, but scm.botLogin is ${scm.botLogin}`,
        blocks: true,
      },
    ]
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error
    return [{ reason: 'TokenRefused', message: messageOf(error), blocks: true }]
  }
}

async function repositoryFaults(
  deps: OutboundDeps,
  forge: ForgePort,
  project: ProjectSettings,
  repository: RepositorySettings,
  secret: ProjectSecret,
): Promise<readonly Fault[]> {
  const path = forgePath(repository, project.scm)
  if (!isOnForge(repository, project.scm)) {
    const [forge] = forgeOrigins(project.scm)
    return [
      {
        reason: 'RepositoryOutsideOwner',
        message: `${repository.name} is at ${new URL(repository.url).origin}, but the Project's forge is ${forge}`,
        blocks: true,
      },
    ]
  }
  if (!path.toLowerCase().startsWith(`${project.scm.owner.toLowerCase()}/`)) {
    return [
      {
        reason: 'RepositoryOutsideOwner',
        message: `${repository.name} (${path}) is not under ${project.scm.owner}`,
        blocks: true,
      },
    ]
  }
  const reached = await attempt('RepositoryUnreachable', repository, true, async () => {
    const { id } = await forge.repository(path)
    await deps.mirror.identify(projectId(project), repository.name, id)
  })
  if (reached.length > 0) return reached
  const url = deps.webhookUrl(project)
  return [
    ...(await attempt('LabelsNotWritable', repository, true, () => forge.ensureLabels(path, labelSpecsOf(project)))),
    // Hooks need more rights than all the rest; people may set them by hand.
    ...(url === undefined
      ? []
      : await attempt('WebhookNotManaged', repository, false, () =>
          forge.ensureHook(path, { url, secret: secret.webhookSecret! }),
        )),
    ...maintainerFaults(project, repository),
  ]
}

/** PROJECT-SCM-8: an empty list means that nothing can be approved. Legal, and rarely meant. */
function maintainerFaults(project: ProjectSettings, repository: RepositorySettings): readonly Fault[] {
  const people = maintainersOf(project, repository).filter((login) => !isListed(login, [project.scm.botLogin]))
  return people.length > 0
    ? []
    : [
        {
          reason: 'NoMaintainers',
          message: `${repository.name}: maintainerLogins is empty, so nobody can approve`,
          blocks: false,
        },
      ]
}

/** PROJECT-DOCS-4: nothing can be written where nothing is enrolled. */
function documentationFaults(project: ProjectSettings): readonly Fault[] {
  const { documentationRepo = '' } = project.kinds
  if (documentationRepo === '' || documentationOf(project) !== undefined) return []
  const message = `documentation.repo ${documentationRepo} is not enrolled as a Repository`
  return [{ reason: 'DocumentationNotEnrolled', message, blocks: false }]
}

async function attempt(
  reason: string,
  { name }: RepositorySettings,
  blocks: boolean,
  run: () => Promise<unknown>,
): Promise<readonly Fault[]> {
  try {
    await run()
    return []
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error
    return [{ reason, message: `${name}: ${messageOf(error)}`, blocks }]
  }
}
