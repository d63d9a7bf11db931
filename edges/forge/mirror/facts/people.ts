/** Who an account is to a repository: the pure rules with the Project's lists, ids bound to logins (PEOPLE-1, PEOPLE-3). */
import { isBot } from '../../../../machines/rules/accounts.ts'
import { passesIntakeGate } from '../../../../machines/rules/intake-gate.ts'
import { foldLogin, isListed, sameLogin } from '../../../../machines/rules/logins.ts'
import type { ForgeAccount, ForgeComment } from '../../port.ts'
import { maintainersOf, reportersOf, type ProjectSettings, type RepositorySettings } from '../../projects.ts'

export interface People {
  isOwn(account: ForgeAccount): boolean
  isBot(account: ForgeAccount): boolean
  isMaintainer(account: ForgeAccount): boolean
  /** Through the reporter intake gate (INTAKE, docs/contract/orchestrator.md). */
  isLetIn(account: ForgeAccount): boolean
  /** Whose words may reach an agent: who is let in, and the engines that the Project names (INTAKE-9). */
  isHeard(account: ForgeAccount): boolean
  /** Not our bot, not an engine, not of type bot, and let in (PEOPLE-5). */
  isGatedHuman(account: ForgeAccount): boolean
  /** Maintainers, reporters and the bot: whose ids are worth binding. */
  isNamed(account: ForgeAccount): boolean
  /** By its author alone: anybody can paste a marker of ours. Never answered (LAW-4). */
  isOwnComment(comment: ForgeComment): boolean
}

export function peopleOf(
  project: ProjectSettings,
  repository: RepositorySettings,
  bound: ReadonlyMap<string, string>,
): People {
  const { botLogin } = project.scm
  const maintainerLogins = maintainersOf(project, repository)
  const reporterLogins = reportersOf(project, repository)
  const named = [...maintainerLogins, ...reporterLogins]
  const settings = { botLogin, engineLogins: project.upgradeEngineLogins, humanBots: named }

  /** The same login under another id is another person. */
  const isSame = (account: ForgeAccount): boolean => {
    const id = bound.get(foldLogin(account.login))
    return id === undefined || account.id === '' || id === account.id
  }
  const people: People = {
    isOwn: (account) => sameLogin(account.login, botLogin),
    isBot: (account) => isBot({ login: account.login, ...(account.bot ? { type: 'Bot' } : {}) }, settings),
    isMaintainer: (account) => isListed(account.login, maintainerLogins) && isSame(account) && !people.isBot(account),
    isLetIn: (account) =>
      isSame(account)
        ? passesIntakeGate(account.login, { botLogin, maintainerLogins, reporterLogins })
        : reporterLogins.length === 0,
    isHeard: (account) => people.isLetIn(account) || isListed(account.login, project.upgradeEngineLogins),
    isGatedHuman: (account) => !people.isBot(account) && people.isLetIn(account),
    isNamed: (account) => isListed(account.login, [...named, botLogin]),
    isOwnComment: (comment) => people.isOwn(comment.author),
  }
  return people
}
