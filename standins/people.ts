/** The people and the bot of a forge that runs on this machine. */
export const people = {
  owner: 'acme',
  bot: 'statewright-bot',
  maintainer: 'maria',
  reporter: 'rita',
  stranger: 'sam',
} as const

/** A scenario names roles; everything else is a login. */
export function loginOf(role: string): string {
  return role === 'maintainer' || role === 'reporter' || role === 'stranger' ? people[role] : role
}
