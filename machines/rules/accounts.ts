import { isListed, sameLogin } from './logins.ts'

interface Account {
  readonly login: string
  /** GitHub's `type`, or `Bot` for GitLab's `bot: true`. */
  readonly type?: string
}

interface AccountSettings {
  readonly botLogin: string
  /** Upgrade engines: neither human nor ours (PEOPLE-5). */
  readonly engineLogins?: readonly string[]
  /** Accounts of type bot that are people's own and count as human all the same. */
  readonly humanBots?: readonly string[]
}

/**
 * Who counts as a bot (PEOPLE-1): our own login; an upgrade engine; `type: Bot` or a login that ends in `[bot]`,
 * unless the account is listed as human. A listed account is still a bot when it is our own or an engine.
 */
export function isBot(account: Account, { botLogin, engineLogins = [], humanBots = [] }: AccountSettings): boolean {
  if (sameLogin(account.login, botLogin) || isListed(account.login, engineLogins)) return true
  const marked = account.type?.toLowerCase() === 'bot' || account.login.toLowerCase().endsWith('[bot]')
  return marked && !isListed(account.login, humanBots)
}
