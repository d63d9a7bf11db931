/** Of more the oldest are forgotten. */
const mostRemembered = 10_000

export function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name)
  map.set(name, value)
  if (map.size > mostRemembered) map.delete(map.keys().next().value!)
}
