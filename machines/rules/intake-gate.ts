import { isListed, sameLogin } from './logins.ts'

/** The lists that hold for the repository: its own where it has them, else the Project's (PROJECT-SCM-10). */
interface IntakeSettings {
  readonly botLogin: string
  readonly maintainerLogins: readonly string[]
  readonly reporterLogins: readonly string[]
}

/**
 * Reporter intake gate (INTAKE-1 to INTAKE-6), before a Task is created or woken (PEOPLE-4):
 *
 * | rule | actor | answer |
 * |---|---|---|
 * | 1 | the bot | accepted |
 * | 2 | a maintainer | accepted |
 * | 3 | listed, the list is not empty | accepted |
 * | 4 | anybody, the list is empty | accepted |
 * | 5 | no login, the list is not empty | refused |
 */
export function passesIntakeGate(
  actor: string,
  { botLogin, maintainerLogins, reporterLogins }: IntakeSettings,
): boolean {
  if (sameLogin(actor, botLogin) || isListed(actor, maintainerLogins)) return true
  return reporterLogins.length === 0 || isListed(actor, reporterLogins)
}
