import { dirOf, grouped, join, type ModuleFinder, type Repository } from './modules.ts'

/** The standard library's paths have no dot in their first part, everybody else's have. */
const standard = /^[^./]+(?:\/|$)/

export function goModules({ files, manifests }: Repository): ModuleFinder {
  const byFolder = grouped(files.keys(), dirOf)
  const modules = [...manifests]
    .filter(([path]) => /(?:^|\/)go\.mod$/.test(path))
    .map(([path, text]) => ({ dir: dirOf(path), name: /^module\s+"?([^\s"]+)/m.exec(text)?.[1] ?? '' }))
    .filter(({ name }) => name !== '')
    .toSorted((one, other) => other.name.length - one.name.length)

  return {
    find: (_file, { source }) => {
      for (const { dir, name } of modules) {
        if (source !== name && !source.startsWith(`${name}/`)) continue
        const found = byFolder.get(join(dir, source.slice(name.length)))
        // A package's tests are no part of it for those who import it.
        if (found !== undefined) return { module: { files: found.filter((each) => !each.endsWith('_test.go')) } }
      }
      return { external: standard.test(source) ? `go:${source}` : `gomod:${source}` }
    },
  }
}
