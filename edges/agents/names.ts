/** The bare name of a namespaced id. */
export function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
