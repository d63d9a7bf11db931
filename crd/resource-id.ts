/** The id of a Task or a Project, by the name that a person gives: a bare one is of the namespace `default`. */
export function idOfName(name: string): string {
  return name.includes('/') ? name : `default/${name}`
}

/** The bare name of a namespaced id. */
export function bareName(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
