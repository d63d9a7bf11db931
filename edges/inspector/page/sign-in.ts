/** Sessions are short where people sign in at an identity provider. The page renews its own by a visit there and back. */
const kept = 'statewright.selection'
const visited = 'statewright.signIn'
/** A session that is over sooner was refused, so a further visit would lead in circles. */
const shortestSessionMs = 60_000

export function canSignIn(): boolean {
  return document.body.hasAttribute('data-sign-in')
}

/** The provider's own pages would lose what is looked at. */
export function signIn(): void {
  sessionStorage.setItem(kept, location.hash)
  sessionStorage.setItem(visited, String(Date.now()))
  location.assign('/inspector/login')
}

/** Whether this page is about to be left for it. */
export function renewSession(): boolean {
  if (!canSignIn() || Date.now() - Number(sessionStorage.getItem(visited)) < shortestSessionMs) return false
  signIn()
  return true
}

/** Whether this page is about to be left for the provider, which ends its own session. False: only this one ended. */
export async function signOut(): Promise<boolean> {
  const answer = await fetch('/inspector/logout', { method: 'POST' })
  if (!answer.ok) throw new Error(`the sign-out was answered ${answer.status}`)
  if (answer.status === 204) return false
  const { goTo } = (await answer.json()) as { readonly goTo: string }
  location.assign(goTo)
  return true
}

/** Ticket, code and state have done their work; a copied address shall not carry them. */
export function tidyAddress(): void {
  const hash = location.hash || (sessionStorage.getItem(kept) ?? '')
  sessionStorage.removeItem(kept)
  history.replaceState(null, '', `/inspector${hash}`)
}
