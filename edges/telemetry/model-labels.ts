/** A pod reports which models it used. A pod that is not to be trusted could name thousands. */
const mostModels = 32
const plainName = /^[\w.:@/[\]-]{1,64}$/

/** The label of a model: its name, or `other` of one that is no name or comes after 32 others. */
export function modelLabels(): (name: string) => string {
  const known = new Set<string>()
  return (name) => {
    if (known.has(name)) return name
    if (known.size >= mostModels || !plainName.test(name)) return 'other'
    known.add(name)
    return name
  }
}
