import { dirOf, grouped, join, type ModuleFinder, type Repository } from './modules.ts'

/** Where includes are looked for is in build files that nobody can read in general: the path's own end says it mostly. */
export function cModules({ files }: Repository): ModuleFinder {
  const byName = grouped(files.keys(), (path) => path.slice(path.lastIndexOf('/') + 1))

  return {
    find: (file, { source, system }) => {
      const beside = join(dirOf(file), source)
      if (system !== true && files.has(beside)) return { module: { files: [beside] } }
      const name = source.slice(source.lastIndexOf('/') + 1)
      const ending = join(source.replaceAll('../', ''))
      const found = (byName.get(name) ?? []).filter((each) => each === ending || each.endsWith(`/${ending}`))
      // A system header that the repository also has is its own copy only when the whole path says so.
      const [only] = found.toSorted((one, other) => near(file, other) - near(file, one) || one.length - other.length)
      if (only !== undefined && (system !== true || source.includes('/') || found.length === 1))
        return { module: { files: [only] } }
      return system === true ? { external: `c:${source}` } : undefined
    },
  }
}

/** How much of the way two paths go together. */
function near(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}
