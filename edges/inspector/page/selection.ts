/** What is looked at lives in the address bar, so that a link shows it to somebody else and Back goes back. */
export interface Selection {
  readonly address?: string
  /** The step whose outcome is shown; the newest one when absent. */
  readonly seq?: number
}

export function readSelection(hash: string): Selection {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const address = given.get('actor')
  const seq = Number(given.get('seq'))
  return { ...(address ? { address } : {}), ...(Number.isSafeInteger(seq) && seq > 0 ? { seq } : {}) }
}

export function writeSelection({ address, seq }: Selection): string {
  const parts = [
    ...(address === undefined
      ? []
      : [`actor=${encodeURIComponent(address).replaceAll('%2F', '/').replaceAll('%3A', ':')}`]),
    ...(seq === undefined ? [] : [`seq=${seq}`]),
  ]
  return `#${parts.join('&')}`
}
