/** Logins are case-insensitive on both forges (PEOPLE-2); a leading `@` is how people write them. */
export function foldLogin(login: string): string {
  return login.trim().replace(/^@/, '').toLowerCase()
}

/** An empty login is nobody's. */
export function sameLogin(a: string, b: string): boolean {
  return foldLogin(a) !== '' && foldLogin(a) === foldLogin(b)
}

export function isListed(login: string, list: readonly string[]): boolean {
  return list.some((listed) => sameLogin(login, listed))
}
