import { dirOf, join, type Module, type ModuleFinder, type Repository } from './modules.ts'
import { standardModules } from './python-standard.ts'

/** Where people put packages besides the root: a first guess, the path itself decides. */
const roots = ['', 'src', 'lib', 'python']

export function pythonModules({ files }: Repository): ModuleFinder {
  const packageRoots = [...new Set([...roots, ...rootsOf(files.keys())])]

  function at(path: string): Module | undefined {
    for (const file of [`${path}.py`, join(path, '__init__.py'), `${path}.pyi`, join(path, '__init__.pyi')])
      if (files.has(file)) return { files: [file], path }
    return undefined
  }

  function isFolder(path: string): boolean {
    for (const file of files.keys()) if (file.startsWith(`${path}/`)) return true
    return false
  }

  return {
    find: (file, { source }) => {
      const dots = /^\.*/.exec(source)?.[0].length ?? 0
      const path = source.slice(dots).replaceAll('.', '/')
      if (dots > 0) {
        const from = join(dirOf(file), '../'.repeat(dots - 1), path)
        const found = at(from)
        return found === undefined
          ? isFolder(from)
            ? { module: { files: [], path: from } }
            : undefined
          : { module: found }
      }
      for (const root of [dirOf(file), ...packageRoots]) {
        const found = at(join(root, path))
        // A script's own folder is on its path, but a package does not see its neighbours without a dot.
        if (found !== undefined && (root !== dirOf(file) || !files.has(join(root, '__init__.py'))))
          return { module: found }
      }
      const [top = ''] = source.split('.')
      return { external: `${standardModules.has(top) ? 'python' : 'pypi'}:${top}` }
    },
    below: (module, name) => (module.path === undefined ? undefined : at(join(module.path, name))),
    of: (file) => ({ files: [file], path: file.replace(/(?:\/__init__)?\.pyi?$/, '') }),
  }
}

/** Folders that hold a package and are none themselves. */
function rootsOf(paths: Iterable<string>): readonly string[] {
  const packages = new Set([...paths].filter((path) => path.endsWith('/__init__.py')).map(dirOf))
  return [...packages].filter((dir) => !packages.has(dirOf(dir))).map(dirOf)
}
