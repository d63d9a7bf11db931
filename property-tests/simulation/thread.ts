/** A thread of the forge. GitLab counts its kinds apart: there an issue and a merge request may have one number. */
export interface Thread {
  readonly repository: string
  readonly kind: 'issue' | 'pull'
  readonly number: number
}

/** `library#3`, and `library!3` of a merge request. */
export function nameOf({ repository, kind, number }: Thread): string {
  return `${repository}${kind === 'pull' ? '!' : '#'}${number}`
}
